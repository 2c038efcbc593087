"""max_nodes, half_life and scale: their effects, and values out of range."""

import copy

import numpy as np
import pytest
from data import blobs, drifting
from states import bits, differences, state_of

from phida import PHIDAPlus, _core
from phida._parameters import PLUS
from phida.river import PHIDAPlus as RiverPHIDAPlus

LIMITS = [{"max_nodes": 16}, {"half_life": 50.0}, {"max_nodes": 16, "half_life": 50.0}, {"scale": "standard"}]
STREAMS = {"blobs": blobs(300), "drifting": drifting(300)}

every_limit = pytest.mark.parametrize("limits", LIMITS, ids="-".join)


def moving(n, clusters=3, seed=0):
    """Return clusters that move together, one sigma per hundred rows, and the cluster of each row."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, clusters, size=n)
    rows = rng.normal(size=(n, 4))
    rows[:, 1] += 12.0 * cluster
    rows[:, 0] += np.arange(n) / 100
    return rows, cluster


@every_limit
def test_reading_has_the_nodes_and_the_last_map(limits):
    model = PHIDAPlus(compute_labels=False, **limits)
    for chunk in np.array_split(STREAMS["drifting"], 40):
        model.partial_fit(chunk)
        before = state_of(model)
        nodes, labels = vars(model.nodes_), model.predict(chunk)
        assert bits(labels) == bits([model.predict(row[None])[0] for row in chunk])
        assert bits(model.predict_id(chunk)) == bits(model.cluster_ids_[labels])
        assert set(nodes["cluster"]) == set(range(model.n_clusters_))
        assert differences(before, state_of(model)) == []
        ended = copy.deepcopy(model).refresh()
        assert set(differences(nodes, vars(ended.nodes_))) <= {"cluster", "cluster_id", "component", "scale"}
        again = copy.deepcopy(ended).refresh()
        assert differences(state_of(ended), state_of(again)) == []


@pytest.mark.parametrize("max_nodes", [8, 9, 16, 100])
def test_max_nodes_is_never_exceeded(max_nodes):
    model = PHIDAPlus(max_nodes=max_nodes, compute_labels=False)
    for row in STREAMS["drifting"]:
        model.partial_fit(row[None])
        assert model._model.learner.n_nodes <= max_nodes
    assert model.allowance_ > 0
    labels = model.predict(STREAMS["drifting"])
    assert labels.min() >= 0 and labels.max() < model.n_clusters_


def test_few_distinct_rows_are_kept_exactly():
    model = PHIDAPlus().fit(np.repeat(STREAMS["blobs"], 3, axis=0))
    assert model.n_nodes_ == 300 and model.allowance_ == 0
    np.testing.assert_array_equal(model.nodes_.representatives, STREAMS["blobs"])
    assert (model.nodes_.support == 3).all() and (model.nodes_.scale == 0).all()


def test_memory_is_bounded_over_many_drifting_rows():
    rng = np.random.default_rng(0)
    model, sizes = PHIDAPlus(max_nodes=64, half_life=1000.0, compute_labels=False), []
    for first in range(0, 100_000, 5000):
        rows = rng.normal(size=(5000, 3))
        rows[:, 0] += np.arange(first, first + 5000) / 50
        sizes.append(len(model.partial_fit(rows).to_bytes()))
        assert model.n_nodes_ <= 64
    assert max(sizes) < 200_000


def test_weights_fade_by_half_life():
    half_life = 20.0
    model = PHIDAPlus(half_life=half_life).fit(STREAMS["blobs"])
    left = model.nodes_.support.sum()
    # Rows have weights 1, 2^(-1/H), 2^(-2/H), … Nodes below half a row may have been removed.
    assert 0.5 * half_life < left <= 1 / (1 - 2 ** (-1 / half_life)) + 1e-9


def test_moving_clusters_are_followed():
    X, cluster = moving(12_000)
    model = PHIDAPlus(max_nodes=256, half_life=500.0, compute_labels=False).partial_fit(X)
    assert model.nodes_.representatives[:, 0].min() > X[4000:, 0].min()  # the first rows are forgotten
    labels = model.predict(X[-300:])
    assert all(len(np.unique(cluster[-300:][labels == c])) == 1 for c in np.unique(labels))


def test_shortest_half_life_keeps_a_node():
    for X in STREAMS.values():
        assert PHIDAPlus(half_life=1.0).fit(X).n_nodes_ >= 1


def test_scale_sets_the_divisor_of_features():
    X = blobs(500, 3) * [1.0, 10.0, 1000.0]
    for scale, powers in (("standard", [1.0]), ("auto", np.linspace(0.0, 1.0, 1001)), (None, [0.0])):
        view = PHIDAPlus(scale=scale).fit(X).assignment_view_
        ratios = view.denominator / view.denominator[0]
        deviation = X.std(axis=0) / X[:, 0].std()
        assert min(np.abs(ratios / deviation**power - 1.0).max() for power in powers) < 0.01


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_nodes", 7), ("max_nodes", 2**16 + 1), ("max_nodes", 10.0), ("max_nodes", "30"), ("max_nodes", None),
     ("half_life", 0), ("half_life", -1.0), ("half_life", np.nan), ("half_life", np.inf), ("half_life", 1e301),
     ("half_life", "a"), ("scale", "none"), ("scale", 1)],
)  # fmt: skip
def test_limits_out_of_range_are_refused(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter"):
        PHIDAPlus(**{name: value}).fit(STREAMS["blobs"])
    with pytest.raises(ValueError, match=f"{name} must be"):
        RiverPHIDAPlus(**{name: value})


@pytest.mark.parametrize("one", PLUS.values(), ids=lambda one: one.name)
def test_native_learner_has_the_ranges_of_the_declared_parameters(one):
    least, most = (0, one.off) if one.choices else (one.least, one.most)
    number = float if one.type is float else int
    for value in (number(least), number(most)):
        assert _core.PlusLearner(3, **{one.name: value}).__getstate__()[one.name] == value
    for value in (number(least) - 2, 2 * number(most) + 1):
        with pytest.raises(ValueError, match=one.name):
            _core.PlusLearner(3, **{one.name: value})
