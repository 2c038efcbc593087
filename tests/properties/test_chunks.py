"""Learning depends on the stream alone: any chunking gives the same bits."""

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from states import assert_same_state, differences, state_of

from phida import PHIDA

STREAMS = {"blobs": blobs(300), "drifting": drifting(300)}
MODES = ["equations", "released"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stream", STREAMS)
def test_one_row_a_call(stream, mode):
    X = STREAMS[stream]
    rows = PHIDA(compatibility=mode)
    for row in X:
        rows.partial_fit(row[None])
    assert_same_state(rows, PHIDA(compatibility=mode).partial_fit(X))


@given(st.lists(st.integers(1, 299), max_size=12, unique=True), st.sampled_from(sorted(STREAMS)), st.booleans())
def test_any_chunking(cuts, stream, labelled):
    X = STREAMS[stream]
    chunks = PHIDA(compute_labels=labelled)
    for chunk in np.split(X, sorted(cuts)):
        chunks.partial_fit(chunk)
    assert_same_state(chunks, PHIDA().partial_fit(X))


@pytest.mark.parametrize("mode", MODES)
def test_partial_fit_shows_what_fit_shows(mode):
    """Reading answers as if the stage had just ended."""
    X = STREAMS["drifting"]
    whole, streamed = PHIDA(compatibility=mode).fit(X), PHIDA(compatibility=mode)
    for chunk in np.array_split(X, 7):
        streamed.partial_fit(chunk)
    np.testing.assert_array_equal(streamed.predict(X), whole.labels_)
    assert streamed.n_clusters_ == whole.n_clusters_
    for record in ("nodes_", "graph_", "persistence_", "hierarchy_", "assignment_view_"):
        assert differences(vars(getattr(streamed, record)), vars(getattr(whole, record))) == []
    assert streamed.refresh() is streamed
    assert_same_state(streamed, whole)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("stream", STREAMS)
def test_fit_then_partial_fit_is_a_stage_each(stream, mode):
    first, second = np.split(STREAMS[stream], [170])
    fitted = PHIDA(compatibility=mode).fit(first).partial_fit(second)
    staged = PHIDA(compatibility=mode).partial_fit(first).refresh().partial_fit(second)
    assert_same_state(fitted, staged)


def test_stages_matter():
    """Else the tests above would prove nothing: a refresh in between does change what is learned."""
    differs = [
        differences(
            state_of(PHIDA().fit(X[:cut]).partial_fit(X[cut:])),
            state_of(PHIDA().partial_fit(X)),
        )
        for X in STREAMS.values()
        for cut in (50, 101, 170, 233)
    ]
    assert any(differs)


def test_a_second_refresh_does_nothing():
    once, twice = (PHIDA().partial_fit(STREAMS["drifting"]) for _ in range(2))
    once.refresh()
    twice.refresh().refresh()
    assert_same_state(once, twice)
    assert_same_state(once.partial_fit(STREAMS["blobs"]), twice.refresh().partial_fit(STREAMS["blobs"]))


def test_fit_starts_afresh():
    used = PHIDA().fit(STREAMS["blobs"][:, :2]).partial_fit(STREAMS["blobs"][:40, :2])
    assert_same_state(used.fit(STREAMS["drifting"]), PHIDA().fit(STREAMS["drifting"]))
    assert used.n_features_in_ == 3
