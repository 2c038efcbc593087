"""Learning depends on the stream alone: chunk boundaries change no bit."""

from functools import partial

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from kinds import MAKERS, each_kind
from states import assert_same_state, differences

from phida import PHIDAPlus

KINDS = MAKERS | {"fading": partial(PHIDAPlus, max_nodes=16, half_life=50.0, scale="standard")}
STREAMS = {"blobs": blobs(300), "drifting": drifting(300)}


@given(
    cuts=st.lists(st.integers(1, 299), max_size=12, unique=True),
    stream=st.sampled_from(sorted(STREAMS)),
    labelled=st.booleans(),
    weighted=st.booleans(),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_any_chunking_gives_the_same_bits(cuts, stream, labelled, weighted, kind):
    X = STREAMS[stream]
    chunks, whole = (KINDS[kind](compute_labels=choice) for choice in (labelled, False))
    weights = [np.random.default_rng(1).exponential(size=300)] if weighted and isinstance(whole, PHIDAPlus) else []
    for chunk in zip(*(np.split(array, sorted(cuts)) for array in (X, *weights)), strict=True):
        chunks.partial_fit(*chunk[:1], None, *chunk[1:])
    assert_same_state(chunks, whole.partial_fit(X, None, *weights))


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
