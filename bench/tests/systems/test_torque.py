"""Torque Clustering: the plain version, ties and duplicates, known results, and memory."""

import tracemalloc

import numpy as np
import pytest
from data import blobs
from golden.files import HAS_SHARED, WITHOUT_SHARED, load
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida_bench.systems import DoesNotFit, TorqueClustering, _single_linkage
from phida_bench.systems.torque import link_layers
from systems.plain_torque import layers, torque_clustering

#: A coarse grid: nearly every distance is tied, and rows repeat.
GRID = arrays(
    np.float64, st.tuples(st.integers(1, 16), st.integers(1, 3)), elements=st.integers(0, 3).map(lambda i: i / 2)
)


@given(GRID)
def test_labels_with_tied_distances_equal_the_plain_version(X):
    np.testing.assert_array_equal(TorqueClustering().fit_predict(X), torque_clustering(X))


@pytest.mark.parametrize("seed", range(5))
def test_links_equal_the_plain_version(seed):
    X = blobs(40, seed=seed)
    links = link_layers(X)
    found = zip(links.first, links.second, links.mass, links.squared, links.early)
    assert [tuple(link) for link in found] == layers(X)
    np.testing.assert_array_equal(TorqueClustering().fit_predict(X), torque_clustering(X))


def test_block_size_does_not_change_the_links(monkeypatch):
    X = np.round(blobs(150, seed=3), 1)
    expected = TorqueClustering().fit_predict(X)
    monkeypatch.setattr(_single_linkage, "BLOCK_BYTES", 1000)
    np.testing.assert_array_equal(TorqueClustering().fit_predict(X), expected)


def test_many_blocks_take_no_more_memory_than_one(monkeypatch):
    X = blobs(2000, 2)
    monkeypatch.setattr(_single_linkage, "BLOCK_BYTES", 8 * 4 * len(X))
    tracemalloc.start()
    TorqueClustering().fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20  # 500 lists of all rows would take 8 MiB


def test_rounding_of_products_does_not_change_the_links():
    """Far from the origin, products of rows are wrong by more than the distances between them."""
    X = np.round(8 * blobs(60, seed=1))
    np.testing.assert_array_equal(TorqueClustering().fit_predict(X + 2.0**40), TorqueClustering().fit_predict(X))


@given(arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-1e3, 1e3)))
def test_links_span_all_rows_and_labels_are_numbered_as_they_appear(X):
    assert len(X) == 1 or len(link_layers(X).first) >= len(X) - 1
    model = TorqueClustering().fit(X)
    _, first = np.unique(model.labels_, return_index=True)
    assert model.labels_[np.sort(first)].tolist() == list(range(model.n_clusters_))


@pytest.mark.parametrize("n", [1, 2])
def test_without_a_link_after_the_first_layer_there_is_one_cluster(n):
    model = TorqueClustering().fit(np.arange(n, dtype=float)[:, None])
    assert model.n_clusters_ == 1


def test_equal_rows_are_one_cluster():
    assert TorqueClustering().fit(np.ones((20, 3))).n_clusters_ == 1


def test_drop_to_zero_torque_is_infinite():
    """Two pairs of equal rows: the link between them is the only one with torque, and is removed."""
    assert TorqueClustering().fit_predict([[0.0], [0.0], [1.0], [1.0]]).tolist() == [0, 0, 1, 1]


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = TorqueClustering().fit(X)
    assert model.n_clusters_ == 2
    assert np.bincount(model.labels_).tolist() == [50, 100]
    assert round(adjusted_rand_score(y, model.labels_), 3) == 0.568


#: Clusters, ARI and AMI as published.
PUBLISHED = {
    "seeds": (7, 0.411, 0.527),
    "dermatology": (10, 0.328, 0.518),
    "pima": (12, 0.018, 0.039),
    "mice_protein": (15, 0.393, 0.610),
    "binalpha": (327, 0.120, 0.383),
    "semeion": (347, 0.048, 0.375),
    "msra25": (24, 0.653, 0.864),
    "image_segmentation": (2, 0.102, 0.347),
    "phoneme": (37, 0.025, 0.103),
    "optdigits": (10, 0.900, 0.922),
}


@pytest.mark.skipif(not HAS_SHARED, reason=WITHOUT_SHARED)
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_results(name):
    X, y = load(name)
    model = TorqueClustering().fit(X)
    clusters, ari, ami = PUBLISHED[name]
    assert model.n_clusters_ == clusters
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(ari, abs=0.001)
    assert adjusted_mutual_info_score(y, model.labels_) == pytest.approx(ami, abs=0.001)


def test_too_little_memory_is_refused_with_advice():
    with pytest.raises(DoesNotFit, match=r"would need 2\.\d MiB for these rows and may use 1\.0 MiB.*max_memory"):
        TorqueClustering(max_memory=2**20).fit(np.arange(200.0)[:, None])
