"""AuToMATo: its parts against direct computation, known results and edge cases."""

import sys

import numpy as np
import pytest
from data import blobs
from golden.files import HAS_SHARED, WITHOUT_SHARED, load
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from phida_bench.systems import AuToMATo
from phida_bench.systems._bootstrap_neighbours import BootstrapNeighbours
from phida_bench.systems._bottleneck import bottleneck_distance

tomato = pytest.importorskip(
    "gudhi.clustering.tomato", reason="gudhi is not installed; it is in the extra phida-bench[tda]"
)


def drawn(n, seed):
    return np.random.default_rng(seed).integers(n, size=n)


@pytest.mark.parametrize(("n", "k"), [(200, 10), (30, 10), (12, 10), (11, 11), (5, 1)])
def test_neighbours_in_a_resample_equal_a_search_in_it(n, k):
    X = blobs(n, seed=n)
    neighbours = BootstrapNeighbours(X, k)
    for seed in range(20):
        chosen = drawn(n, seed)
        found = neighbours.drawn(np.bincount(chosen, minlength=n))
        present = np.unique(chosen)
        distances = np.linalg.norm(X[present][:, None] - X[chosen], axis=2)
        np.testing.assert_allclose(found.distances, np.sort(distances, axis=1)[:, :k], atol=1e-12)
        for row, near in enumerate(np.argsort(distances, axis=1, kind="stable")[:, :k]):
            assert set(present[found.graph[row]]) == set(chosen[near]) | {present[row]}


def test_lists_grow_when_a_resample_needs_more():
    X = np.arange(100.0)[:, None]
    counts = np.zeros(100, dtype=np.int64)
    counts[[0, 99]] = 1, 99
    found = BootstrapNeighbours(X, 3).drawn(counts)
    assert found.distances.tolist() == [[0.0, 99.0, 99.0], [0.0, 0.0, 0.0]]
    assert found.graph.tolist() == [[0, 1, 0], [1, 1, 1]]


def diagrams(n_points):
    points = arrays(np.float64, st.tuples(n_points, st.just(2)), elements=st.integers(-20, 20).map(lambda i: i / 4))
    return points.map(lambda d: np.sort(d, axis=1)[np.ptp(d, axis=1) > 0])


@given(diagrams(st.integers(0, 12)), diagrams(st.integers(0, 12)))
def test_bottleneck_distance_equals_hera(first, second):
    hera = pytest.importorskip("gudhi.hera")
    expected = hera.bottleneck_distance(first, second, 0.0)
    assert bottleneck_distance(first, second) == pytest.approx(expected, abs=1e-12)
    assert bottleneck_distance(second[:, ::-1], first[:, ::-1]) == bottleneck_distance(first, second)


def test_bottleneck_distance_of_infinite_points():
    infinite = np.array([[np.inf, 1.0], [4.0, 2.0]])
    assert bottleneck_distance(infinite, np.array([[np.inf, 1.5]])) == 1.0
    assert bottleneck_distance(infinite, np.array([[4.0, 2.0]])) == np.inf
    assert bottleneck_distance(np.empty((0, 2)), np.empty((0, 2))) == 0.0


@pytest.mark.parametrize("load_data", [load_iris, load_wine])
def test_diagram_and_width_equal_separate_searches_in_resamples(load_data):
    X = load_data().data
    n, d = X.shape
    model = AuToMATo(n_bootstrap=40, random_state=5).fit(X)

    def diagram(rows):
        return tomato.Tomato(graph_type="knn", density_type="logDTM", k=10, q=d, dim=d).fit(rows).diagram_

    def sorted_rows(points):
        return points[np.lexsort(points.T)]

    np.testing.assert_allclose(sorted_rows(model.diagram_), sorted_rows(diagram(X)), rtol=1e-9)
    generator = np.random.RandomState(5)
    distances = [bottleneck_distance(model.diagram_, diagram(X[generator.randint(n, size=n)])) for _ in range(40)]
    assert model.width_ == pytest.approx(2 * np.sort(distances)[25], rel=1e-9)  # the 26th: 40 * 0.65


def test_a_peak_as_long_as_the_width_counts():
    """Half its lifetime is the bottleneck distance to resamples without it, so equality occurs."""
    model = AuToMATo(n_bootstrap=1, random_state=0)
    for seed in range(40):
        X = blobs(40, 2, centers=2, seed=seed)
        model.set_params(random_state=seed).fit(X)
        lifetimes = model.diagram_[:, 0] - model.diagram_[:, 1]
        if (lifetimes == model.width_).any():
            components = tomato.Tomato(k=10, q=2, dim=2).fit(X).max_weight_per_cc_
            assert model.n_clusters_ == len(components) + np.count_nonzero(lifetimes >= model.width_)
            return
    pytest.fail("no such case among these data")


def test_iris():
    X, y = load_iris(return_X_y=True)
    model = AuToMATo(n_bootstrap=200, random_state=0).fit(X)
    assert model.n_clusters_ == 2
    assert round(adjusted_rand_score(y, model.labels_), 3) == 0.568


@pytest.mark.skipif(not HAS_SHARED, reason=WITHOUT_SHARED)
@pytest.mark.parametrize(("name", "clusters", "ari"), [("seeds", 3, 0.789), ("pima", 2, 0.012), ("dermatology", 1, 0)])
def test_published_results(name, clusters, ari):
    X, y = load(name)
    model = AuToMATo(n_bootstrap=150, random_state=0).fit(X)
    assert model.n_clusters_ == clusters
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(ari, abs=0.001)


def test_equal_rows_have_infinite_density_and_are_clustered():
    X = np.repeat([[0.0, 0.0], [5.0, 5.0]], 15, axis=0)
    assert AuToMATo(n_bootstrap=10, random_state=0).fit(X[:10]).n_clusters_ == 1
    labels = AuToMATo(n_bootstrap=10, random_state=0).fit_predict(X)
    assert not set(labels[:15]) & set(labels[15:])


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_too_many_features_are_refused(scale):
    X = scale * np.random.default_rng(0).normal(size=(30, 400))
    with pytest.raises(ValueError, match=r"power of the number of features, here 400.*reduce their number"):
        AuToMATo(n_bootstrap=5).fit(X)


def test_without_gudhi_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi.clustering.tomato", None)
    with pytest.raises(ImportError, match=r"\./bench\[tda\]"):
        AuToMATo().fit(blobs(30))


@pytest.mark.parametrize(("alpha", "rank"), [(0.7, 300), (0.35, 650), (0.0, 1000), (0.9, 100)])
def test_rounding_does_not_change_the_quantile(alpha, rank, monkeypatch):
    distances = iter(np.random.default_rng(0).permutation(1000) + 1.0)
    monkeypatch.setattr("phida_bench.systems.automato.bottleneck_distance", lambda here, there: next(distances))
    assert AuToMATo(alpha=alpha, random_state=0).fit(blobs(12, 2)).width_ == 2.0 * rank


def test_peaks_of_infinite_density_do_not_make_the_width_infinite():
    X = np.random.default_rng(0).normal(size=(150, 2))
    X[:11], X[11:22] = [-1.0, 0.0], [1.0, 0.0]  # two peaks of one group; a resample holds ten of each or does not
    model = AuToMATo(n_bootstrap=60, random_state=0).fit(X)
    assert np.isinf(model.diagram_).any()
    assert np.isfinite(model.width_)
