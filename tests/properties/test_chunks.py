"""Learning depends on the stream alone: chunk boundaries change no bit."""

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from kinds import MAKERS, each_kind
from states import assert_same_state, differences, state_of

from phida import PHIDA, PHIDAPlus

STREAMS = {"blobs": blobs(300), "drifting": drifting(300)}


@each_kind
@pytest.mark.parametrize("stream", STREAMS)
def test_one_row_per_call_equals_one_call(stream, make):
    X = STREAMS[stream]
    rows = make()
    for row in X:
        rows.partial_fit(row[None])
    assert_same_state(rows, make().partial_fit(X))


@given(
    st.lists(st.integers(1, 299), max_size=12, unique=True),
    st.sampled_from(sorted(STREAMS)),
    st.booleans(),
    st.sampled_from(sorted(MAKERS)),
)
def test_any_chunking_gives_the_same_bits(cuts, stream, labelled, kind):
    X = STREAMS[stream]
    chunks = MAKERS[kind](compute_labels=labelled)
    for chunk in np.split(X, sorted(cuts)):
        chunks.partial_fit(chunk)
    assert_same_state(chunks, MAKERS[kind]().partial_fit(X))


@each_kind
def test_partial_fit_and_refresh_equal_fit(make):
    """PHIDA answers as after the end of a stage, except for ids, which are confirmed there."""
    X = STREAMS["drifting"]
    whole, streamed = make().fit(X), make()
    for chunk in np.array_split(X, 7):
        streamed.partial_fit(chunk)
    if isinstance(streamed, PHIDAPlus):
        streamed.refresh()
    np.testing.assert_array_equal(streamed.predict(X), whole.labels_)
    assert streamed.n_clusters_ == whole.n_clusters_
    for record in ("nodes_", "graph_", "persistence_", "hierarchy_", "assignment_view_"):
        found = differences(vars(getattr(streamed, record)), vars(getattr(whole, record)))
        assert set(found) <= {"cluster_id"}
    assert streamed.refresh() is streamed
    if not isinstance(streamed, PHIDAPlus):  # whose lineage begins at the end of fit
        assert_same_state(streamed, whole)


@each_kind
@pytest.mark.parametrize("stream", STREAMS)
def test_fit_then_partial_fit_are_two_stages(stream, make):
    first, second = np.split(STREAMS[stream], [170])
    fitted = make().fit(first).partial_fit(second)
    staged = make().partial_fit(first).refresh().partial_fit(second)
    if isinstance(fitted, PHIDAPlus):
        assert set(differences(vars(fitted.nodes_), vars(staged.nodes_))) <= {"cluster_id"}
    else:
        assert_same_state(fitted, staged)


def test_refresh_between_chunks_changes_the_model():
    """Without this, the tests above would prove nothing."""
    differs = [
        differences(
            state_of(PHIDA().fit(X[:cut]).partial_fit(X[cut:])),
            state_of(PHIDA().partial_fit(X)),
        )
        for X in STREAMS.values()
        for cut in (50, 101, 170, 233)
    ]
    assert any(differs)


@each_kind
def test_second_refresh_changes_nothing(make):
    once, twice = (make().partial_fit(STREAMS["drifting"]) for _ in range(2))
    once.refresh()
    twice.refresh().refresh()
    assert_same_state(once, twice)
    assert_same_state(once.partial_fit(STREAMS["blobs"]), twice.refresh().partial_fit(STREAMS["blobs"]))


@each_kind
def test_second_fit_equals_fresh_fit(make):
    used = make().fit(STREAMS["blobs"][:, :2]).partial_fit(STREAMS["blobs"][:40, :2])
    assert_same_state(used.fit(STREAMS["drifting"]), make().fit(STREAMS["drifting"]))
    assert used.n_features_in_ == 3
