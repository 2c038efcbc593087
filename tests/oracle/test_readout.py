"""The read-out of PHIDA+: properties of the oracle, then the native reading against it."""

import numpy as np
import pytest
from hypothesis import given, settings

import oracle.readout as readout
from oracle.fine_nodes import FineNodes
from oracle.fine_streams import settings_of_learners, weighted_streams
from phida import _core


def learned(rows, weights=None, **settings):
    nodes = FineNodes(rows.shape[1], **settings)
    nodes.learn(rows, weights)
    return nodes


def clusters_of(rows, **settings):
    return readout.read(learned(rows, **settings)).predict(rows)


def same_partition(one, other):
    return len(set(zip(one.tolist(), other.tolist()))) == len(set(one.tolist())) == len(set(other.tolist()))


def places_of(points):
    """Nodes of one row each."""
    nodes = learned(points, scale="none")
    return readout.places_of(nodes, nodes.reading_metric())


def scale_of(points, k):
    return readout.Scale(places_of(points), np.arange(len(points)), k, readout.Dimensions(2.0, 0.5))


# The oracle itself.


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_few_rows_are_one_cluster(n):
    assert set(clusters_of(np.arange(n, dtype=float)[:, None] ** 2)) == {0}


def test_copies_of_one_row_are_one_cluster():
    assert set(clusters_of(np.full((50, 3), 2.0))) == {0}


@pytest.mark.parametrize("max_nodes", [32, 2048])
def test_groups_far_apart_are_clusters(max_nodes):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, size=900)
    rows = 40 * group[:, None] + rng.normal(size=(900, 2))
    assert same_partition(clusters_of(rows, max_nodes=max_nodes), group)


def test_grid_of_integers_is_one_cluster():
    rows = np.stack(np.meshgrid(np.arange(20.0), np.arange(20.0)), axis=-1).reshape(-1, 2)
    assert set(clusters_of(rows)) == {0}


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_local_dimension_of_a_cube_in_five_features(dimension):
    points = np.zeros((1500, 5))
    points[:, :dimension] = np.random.default_rng(0).uniform(size=(1500, dimension))
    found = scale_of(points, 8).dimensions
    assert found.local == pytest.approx(dimension, rel=0.15)
    assert 1 / found.inverse_coarse == pytest.approx(dimension, rel=0.3)


def test_neighbours_at_equal_distances_come_by_index():
    places = places_of(np.array([[0.0], [1.0], [-1.0], [2.0], [-2.0]]))
    assert readout.neighbour_lists(places, np.arange(5), 3) == {
        0: [1, 2, 3],
        1: [0, 3, 2],
        2: [0, 4, 1],
        3: [1, 0, 2],
        4: [2, 0, 1],
    }


def test_edge_is_measured_at_its_middle():
    points = np.random.default_rng(0).normal(size=(30, 3))
    middle = (points[0] + points[1]) / 2
    squares = np.sort(((points[2:] - middle) ** 2).sum(axis=1))[:8]
    scale = scale_of(points, 8)
    m = scale.dimensions.local
    expected = np.log(8) - m / 2 * np.log(squares.sum() / 8)
    scale.lists = {a: [b for b in range(30) if b != a] for a in range(30)}
    assert scale.at_edge(0, 1).height == pytest.approx(expected)


def test_prediction_is_the_cluster_of_the_nearest_node():
    nodes = learned(np.array([[0.0], [4.0]]), scale="none")
    reading = readout.Reading(np.array([0, 1]), nodes.mean, nodes.reading_metric())
    assert reading.predict(np.array([[1.9], [2.0], [2.1]])).tolist() == [0, 0, 1]


# The native reading.


@settings(max_examples=80)
@given(stream=weighted_streams(), arguments=settings_of_learners)
def test_native_clusters_agree(stream, arguments):
    rows, weights = stream
    assert_same_reading(rows, weights, arguments)


@pytest.mark.parametrize("max_nodes", [64, 300, 2048])
@pytest.mark.parametrize("seed", range(4))
def test_native_clusters_of_many_groups_agree(seed, max_nodes):
    rng = np.random.default_rng(seed)
    d = [2, 3, 8, 1][seed]
    rows = 6 * rng.normal(size=(12, d))[rng.integers(0, 12, size=1200)] + rng.normal(size=(1200, d))
    assert_same_reading(rows, None, {"max_nodes": max_nodes})


def assert_same_reading(rows, weights, arguments):
    native = _core.PlusLearner(rows.shape[1], **arguments)
    native.learn(rows, weights)
    native.end_learning()
    found, expected = native.reading(), readout.read(learned(rows, weights, **arguments))
    assert found.nodes()["cluster"].tolist() == expected.cluster.tolist()
    assert found.assign(rows).tolist() == expected.predict(rows).tolist()
