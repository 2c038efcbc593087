"""TBM-P: the plain version, known results and edge cases."""

import numpy as np
import pytest
from data import blobs
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

from phida_bench.systems import TopoBARTMAP
from phida_bench.systems._group_correlation import GroupCorrelation
from phida_bench.systems._topo_art import Categories
from systems.plain_tbm_p import topo_bartmap

PARAMETERS = st.fixed_dictionaries(
    {
        "rho_a": st.sampled_from([0.0, 0.3, 0.6, 0.8, 0.93, 1.0]),
        "rho_b": st.sampled_from([0.0, 0.5, 0.7, 0.85, 1.0]),
        "bsb_a": st.sampled_from([0.0, 0.25, 1.0]),
        "bsb_b": st.sampled_from([0.0, 0.25, 1.0]),
        "phi_a": st.integers(0, 4),
        "phi_b": st.integers(0, 2),
        "tau_a": st.sampled_from([0.01, 0.3, 0.5, 1.0]),
        "tau_b": st.sampled_from([0.1, 0.5, 1.0]),
        "eta": st.sampled_from([-0.5, 0.0, 0.4, 0.9]),
        "beta": st.sampled_from([1.0, 0.5]),
    }
)


@settings(max_examples=40)  # the plain version is slow
@given(PARAMETERS, st.integers(0, 50), st.sampled_from([2, 3, 6]))
def test_results_equal_the_plain_version(parameters, seed, d):
    X = blobs(20, d, centers=3, seed=seed)
    model = TopoBARTMAP(**parameters).fit(X)
    groups, n_nodes, labels = topo_bartmap(X, model.get_params())
    assert model.feature_labels_.tolist() == groups
    assert model.n_nodes_ == n_nodes
    assert model.labels_.tolist() == labels


@settings(max_examples=30)
@given(PARAMETERS, st.integers(0, 50))
def test_equal_rows_and_constant_features_are_clustered(parameters, seed):
    """Many activations are equal: scaled to eighths, their sums are exact, so rounding does not decide between them."""
    X = np.clip(np.round(blobs(18, 4, centers=2, seed=seed, spread=1.0)), -4.0, 4.0)
    X[0], X[1] = -4.0, 4.0
    X[:, 1] = 7.0
    X[10:14] = X[3]
    model = TopoBARTMAP(**parameters).fit(X)
    assert model.labels_.tolist() == topo_bartmap(X, model.get_params())[2]


@pytest.mark.parametrize(
    ("load", "parameters", "nodes", "sizes"),
    [
        (load_iris, {"phi_a": 5}, 8, [50, 53, 47]),
        (load_iris, {"rho_a": 0.85, "phi_a": 4, "tau_a": 0.5}, 9, [50, 72, 28]),
        (load_wine, {"rho_a": 0.7, "eta": 0.3, "phi_a": 3, "rho_b": 0.8}, 23, [61, 5, 5, 49, 50, 8]),
    ],
)
def test_known_results(load, parameters, nodes, sizes):
    model = TopoBARTMAP(**parameters).fit(load().data)
    assert model.n_nodes_ == nodes
    assert np.bincount(model.labels_).tolist() == sizes


def test_if_no_category_stays_all_rows_are_one_cluster():
    model = TopoBARTMAP(phi_a=1000).fit(blobs(50))
    assert (model.n_nodes_, model.n_clusters_) == (1, 1)


def test_groups_of_one_feature_have_correlation_zero():
    """With one feature and a threshold of 0, only a row that equals a prototype finds a category."""
    X = np.array([[0.0], [0.4], [1.0], [0.4]])
    model = TopoBARTMAP(rho_a=0.0, phi_a=0, eta=0.0).fit(X)
    assert model.n_nodes_ == 3
    assert model.labels_.tolist() == [0, 1, 2, 1]
    assert TopoBARTMAP(rho_a=0.0, phi_a=0, eta=-0.1).fit(X).n_nodes_ == 1


def test_mean_correlations_with_the_rows_of_a_category():
    rows = np.random.default_rng(0).normal(size=(12, 7))
    groups = np.array([0, 1, 0, 1, 0, 2, 1])
    correlation = GroupCorrelation(rows, groups)
    for category in range(9):  # more than its initial capacity
        correlation.begin(category, 0)
    correlation.include(8, 1)
    correlation.include(8, 2)
    expected = [
        np.mean([np.corrcoef(rows[11, groups == g], rows[m, groups == g])[0, 1] for m in range(3)]) for g in (0, 1)
    ]
    largest = max(*expected, 0.0)
    assert correlation.exceeds(largest - 1e-9, 8, 11) and not correlation.exceeds(largest + 1e-9, 8, 11)
    correlation.keep(np.arange(9) == 8)
    assert correlation.exceeds(largest - 1e-9, 0, 11) and not correlation.exceeds(largest + 1e-9, 0, 11)


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.sampled_from([0.0, -1.0, 1.0]))
def test_mean_correlation_equal_to_the_limit_does_not_exceed_it(seed, mean):
    """Two features correlate by +1 or -1, so the means are known."""
    rows = np.random.default_rng(seed).random((5, 2))
    signs = {0.0: [1, -1, 1, -1], -1.0: [-1] * 4, 1.0: [1] * 4}[mean]
    rising = np.array([*signs, 1]) > 0
    rows = np.where(rising[:, None], np.sort(rows), -np.sort(-rows))
    correlation = GroupCorrelation(rows, np.zeros(2, dtype=np.int64))
    correlation.begin(0, 0)
    for row in (1, 2, 3):
        correlation.include(0, row)
    assert not correlation.exceeds(mean, 0, 4)


def test_tied_categories_give_bucket_inputs_to_the_first():
    rows = np.array([[3, 3, 1], [2, 3, 2], [3, 2, 2]]) / 3
    categories = Categories(np.hstack([rows, 1 - rows]), choice=1e-3)
    categories.add(0)
    categories.add(1)
    categories.empty_bucket()
    assert categories.labels.tolist() == [0, 1, 0]


@settings(max_examples=60)
@given(PARAMETERS, st.integers(0, 10**6))
def test_ties_equal_the_plain_version(parameters, seed):
    """Quarters are scaled and summed without rounding."""
    X = np.random.default_rng(seed).integers(0, 5, (24, 4)).astype(float)
    X[0], X[1] = 0.0, 4.0
    exact = {name: min(parameters[name], 0.5) // 0.25 * 0.25 for name in ("bsb_a", "bsb_b")} | {"beta": 1.0}
    model = TopoBARTMAP(**parameters | exact).fit(X)
    assert model.labels_.tolist() == topo_bartmap(X, model.get_params())[2]
