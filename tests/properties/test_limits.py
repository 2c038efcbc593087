"""max_nodes and half_life: bounded models that keep every promise of the others."""

import copy
import pickle

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from states import assert_same_state, bits, differences, state_of

from phida import PHIDAPlus, _core

LIMITS = [{"max_nodes": 15}, {"half_life": 50.0}, {"max_nodes": 15, "half_life": 50.0}]
STREAMS = {"blobs": blobs(300), "drifting": drifting(300)}

every_limit = pytest.mark.parametrize("limits", LIMITS, ids="-".join)


def moving(n, groups=3, seed=0):
    """Groups that move on together, one sigma in a hundred rows; and which group each row is of."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, size=n)
    rows = rng.normal(size=(n, 4))
    rows[:, 1] += 8.0 * group
    rows[:, 0] += np.arange(n) / 100
    return rows, group


@given(
    st.lists(st.integers(1, 299), max_size=12, unique=True),
    st.sampled_from(sorted(STREAMS)),
    st.sampled_from(LIMITS),
)
def test_any_chunking(cuts, stream, limits):
    X = STREAMS[stream]
    chunks = PHIDAPlus(**limits)
    for chunk in np.split(X, sorted(cuts)):
        chunks.partial_fit(chunk)  # which reads, too, for labels_
    assert_same_state(chunks, PHIDAPlus(compute_labels=False, **limits).partial_fit(X))


@every_limit
@pytest.mark.parametrize("how", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copy_at_any_row_then_continue_equals_continue(how, limits):
    X, more = np.split(STREAMS["drifting"], [260])
    whole = PHIDAPlus(**limits).partial_fit(X).partial_fit(more)
    for cut in (*range(1, 12), *range(12, 260, 31)):
        resumed = how(PHIDAPlus(**limits).partial_fit(X[:cut]))
        assert_same_state(resumed.partial_fit(X[cut:]).partial_fit(more), whole)


@every_limit
def test_reading_shows_what_refresh_would(limits):
    model = PHIDAPlus(compute_labels=False, **limits)
    for chunk in np.array_split(STREAMS["drifting"], 40):
        model.partial_fit(chunk)
        before = state_of(model)
        nodes, labels = vars(model.nodes_), model.predict(chunk)
        assert differences(before, state_of(model)) == []
        ended = copy.deepcopy(model).refresh()
        assert set(differences(nodes, vars(ended.nodes_))) <= {"cluster_id"}  # ids are confirmed when learning ends
        assert bits(labels) == bits(ended.predict(chunk))


def test_never_more_nodes():
    model = PHIDAPlus(max_nodes=7, compute_labels=False)
    for row in STREAMS["drifting"]:
        model.partial_fit(row[None])
        assert model._model.learner.n_nodes <= 7
        assert model.interval_ <= 7
    assert state_of(model)["n_created"] > 30
    assert model.nodes_.support.dtype == np.int64


def test_three_nodes_are_enough():
    labels = PHIDAPlus(max_nodes=3).fit(STREAMS["blobs"]).labels_
    assert labels.min() >= 0


def test_support_fades():
    model = PHIDAPlus(half_life=20.0).fit(STREAMS["blobs"])
    support = model.nodes_.support
    assert support.dtype == np.float64
    assert (support >= 0.5).all()
    # A row counts for its winner and perhaps for a runner-up.
    assert support.sum() < 2 * 20.0 / np.log(2) + 2 * model.interval_
    assert len(model.nodes_.to_pandas()) == model.n_nodes_


def test_a_stream_that_moves_is_followed():
    X, group = moving(6000)
    model = PHIDAPlus(half_life=500.0, compute_labels=False)
    counts = [model.partial_fit(chunk).n_nodes_ for chunk in np.split(X, 6)]
    assert max(counts[2:]) < 1.5 * min(counts[2:])
    assert model.nodes_.scale.max() < X[:, 0].std() / 2
    assert model.nodes_.representatives[:, 0].min() > X[2000:, 0].min()  # the beginning is forgotten
    labels = model.predict(X[-300:])
    assert all(len(np.unique(group[-300:][labels == c])) == 1 for c in np.unique(labels))


def test_a_half_life_far_below_the_interval_harms_nothing():
    for X in STREAMS.values():
        assert PHIDAPlus(half_life=1e-9).fit(X).n_nodes_ >= 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_nodes", 2), ("max_nodes", 10.0), ("max_nodes", "3"), ("half_life", 0), ("half_life", -1.0),
     ("half_life", np.nan), ("half_life", np.inf)],
)  # fmt: skip
def test_values_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter"):
        PHIDAPlus(**{name: value}).fit(STREAMS["blobs"])


def test_the_native_learner_needs_room_for_three_nodes():
    with pytest.raises(ValueError, match="max_nodes"):
        _core.Learner(3, plus=True, max_nodes=2)
