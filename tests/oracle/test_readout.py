"""The read-out of PHIDA+: properties of the oracle, then the native reading compared."""

import numpy as np
import pytest
from data import same_partition
from hypothesis import given, settings

import oracle.readout as readout
from oracle.fine_nodes import learned
from oracle.fine_streams import native_learner, settings_of_learners, weighted_streams


def clusters_of(rows, **settings):
    return readout.read(learned(rows, **settings)).predict(rows)


def split_of(points, k):
    """Return a split of all points, as nodes of one row each, at one scale."""
    nodes = readout.nodes_in_metric(learned(points, scale="none").to_read())
    return readout.Split(nodes, readout.Cluster(np.arange(len(points))), k)


# The oracle.


def test_places_with_a_hundred_rows_are_clusters():
    place = np.repeat(np.arange(12), 100)
    assert same_partition(clusters_of((place**1.5)[:, None]), place)
    assert set(clusters_of(place[:1100, None] ** 1.5)) == set(range(11))
    assert set(clusters_of(np.repeat(np.arange(12.0) ** 1.5, 99)[:, None])) != set(range(12))


def test_lattice_of_heavy_places_is_one_cluster():
    assert set(clusters_of(np.repeat(np.arange(12.0), 100)[:, None])) != set(range(12))


def test_faded_node_joins_its_nearest_unfaded_node():
    nodes = learned(np.arange(9.0)[:, None] ** 2, half_life=2.0)
    assert nodes.to_read().mean[:, 0].tolist() == [36.0, 49.0, 64.0]
    reading = readout.read(nodes)
    assert len(reading.cluster) == nodes.n_nodes == 9
    assert (reading.cluster[:6] == reading.cluster[6]).all()


@pytest.mark.parametrize("k", [1, 2, 8, 32])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_dimensions_of_a_cube_in_five_features(dimension, k):
    points = np.zeros((1500, 5))
    points[:, :dimension] = np.random.default_rng(0).uniform(size=(1500, dimension))
    found = split_of(points, k).dimensions
    assert found.local == pytest.approx(dimension, rel=0.15)
    assert 1 / found.inverse_coarse == pytest.approx(dimension, rel=0.3)


def test_local_dimension_of_a_lattice_is_the_number_of_features():
    points = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    assert split_of(points, 2).dimensions.local == 2


def test_few_nodes_keep_the_dimensions_of_their_parent_cluster():
    rng = np.random.default_rng(0)
    nodes = readout.nodes_in_metric(learned(rng.normal(size=(150, 2)), scale="none").to_read())
    parent = readout.Dimensions(1.25, 0.375)
    for n, inherits in ((99, True), (100, False)):
        split = readout.Split(nodes, readout.Cluster(np.arange(n), parent), 4)
        assert (split.dimensions == parent) == inherits
    assert readout.Split(nodes, readout.Cluster(np.arange(99)), 4).dimensions != parent


def test_neighbourhood_has_k_nodes_and_the_rows_of_k_average_nodes():
    """Two neighbours of weight 1 precede heavy ones; k = 2 needs three, since the mean weight is 5.5."""
    points = np.arange(8.0)[:, None] ** 1.1
    nodes = learned(points, np.array([2.0, 1, 1, 20, 5, 5, 5, 5]), scale="none")
    split = readout.Split(readout.nodes_in_metric(nodes.to_read()), readout.Cluster(np.arange(8)), 2)
    squares = (points[1:4, 0] - points[0, 0]) ** 2
    assert split.peak[0].mass == (2 - 1) + 1 + 1 + 20
    moment = np.sum([1, 1, 20] * squares)
    m = split.dimensions.local
    assert split.peak[0].height == pytest.approx(np.log(23) - m / 2 * np.log(moment / 23))


def test_edge_is_measured_at_its_middle():
    points = np.random.default_rng(0).normal(size=(11, 3))
    split = split_of(points, 4)
    squares = np.sort(((points[2:] - (points[0] + points[1]) / 2) ** 2).sum(axis=1))[:4]
    expected = np.log(4) - split.dimensions.local / 2 * np.log(squares.sum() / 4)
    assert split.at_middle(0, 1).height == pytest.approx(expected)
    assert split.at_middle(0, 1).mass == 4


def test_chance_of_single_rows_in_one_dimension():
    """With D = 1 and M = k = 8: sqrt(2 ln 50) times two standard deviations of 1 / sqrt(7.5)."""
    split = split_of(np.random.default_rng(0).uniform(size=(50, 1)), 8)
    split.dimensions = readout.Dimensions(1.0, 1.0)
    eight = readout.Density(0.0, 8.0)
    assert split.chance(eight, eight) == pytest.approx(0.92 * np.sqrt(2 * np.log(50)) * 2 / np.sqrt(7.5))
    split.dimensions.inverse_coarse = 0.5
    assert split.chance(eight, eight) == pytest.approx(0.5**0.55 * 0.92 * np.sqrt(2 * np.log(50)) * 2 / np.sqrt(7.5))


@pytest.mark.parametrize(("local", "counted"), [(1.0, 1.0), (2.5, 2.5), (9.0, 4.0)])
def test_chance_of_countless_rows_is_the_least_one(local, counted):
    split = split_of(np.random.default_rng(0).uniform(size=(50, 1)), 8)
    split.dimensions = readout.Dimensions(local, 1.0)
    many = readout.Density(0.0, 1e12)
    assert split.chance(many, many) == pytest.approx(0.92 * 0.35 * counted / np.sqrt(8))


@settings(max_examples=40)
@given(stream=weighted_streams(), arguments=settings_of_learners)
def test_boundaries_separate_two_clusters_with_prominence_of_at_least_chance(stream, arguments):
    reading = readout.read(learned(stream[0][:150], **arguments))
    assert all(boundary.prominence >= boundary.chance for boundary in reading.boundaries)
    assert all(reading.cluster[boundary.a] != reading.cluster[boundary.b] for boundary in reading.boundaries)
    assert len(reading.boundaries) < reading.n_clusters


# The native reading.


@settings(max_examples=80)
@given(stream=weighted_streams(), arguments=settings_of_learners)
def test_native_clusters_equal_oracle(stream, arguments):
    rows, weights = stream
    assert_same_reading(rows, weights, arguments)


@pytest.mark.parametrize("max_nodes", [64, 300, 2048])
@pytest.mark.parametrize("seed", range(4))
def test_native_clusters_of_many_groups_equal_oracle(seed, max_nodes):
    rng = np.random.default_rng(seed)
    d = [2, 3, 8, 1][seed]
    rows = 6 * rng.normal(size=(12, d))[rng.integers(0, 12, size=1200)] + rng.normal(size=(1200, d))
    assert_same_reading(rows, None, {"max_nodes": max_nodes})


@pytest.mark.parametrize("weight", [100.0, 1e4, 1e9])
@pytest.mark.parametrize("d", [1, 2, 3, 8])
def test_native_clusters_of_heavy_rows_equal_oracle(d, weight):
    rows = np.random.default_rng(d).normal(size=(600, d))
    assert_same_reading(rows, np.full(600, weight), {"max_nodes": 300})


def assert_same_reading(rows, weights, arguments):
    native = native_learner(rows.shape[1], arguments)
    native.learn(rows, weights)
    native.end_learning()
    found, expected = native.reading(), readout.read(learned(rows, weights, **arguments))
    assert found.n_clusters == expected.n_clusters
    assert found.nodes()["cluster"].tolist() == expected.cluster.tolist()
    assert found.assign(rows).tolist() == expected.predict(rows).tolist()
    # Other merges unite places, or parts without an edge between them.
    hierarchy = found.hierarchy()
    above = np.isfinite(hierarchy["merge_prominence"]) & (hierarchy["merge_height"] >= 1)
    merges = sorted(zip(hierarchy["merge_prominence"][above], hierarchy["merge_chance"][above]))
    boundaries = sorted((boundary.prominence, boundary.chance) for boundary in expected.boundaries)
    np.testing.assert_allclose(merges, boundaries, rtol=1e-9)
