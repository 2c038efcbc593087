"""The pruned mutual kNN graph."""

import numpy as np
import pytest
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.graph import mutual_knn_graph
from oracle.transform import adaptive_transform
from oracle.weights import feature_weights
from phida import _core


def edges_of(graph):
    """Return (p, q, length) with p < q, sorted, from both directions of the native graph."""
    source = np.repeat(np.arange(len(graph["offset"]) - 1), np.diff(graph["offset"]))
    both = list(zip(source.tolist(), graph["neighbour"].tolist(), graph["length"].tolist(), strict=True))
    forward = [(p, q, length) for p, q, length in both if p < q]
    assert sorted((q, p, length) for p, q, length in both if p > q) == forward
    return forward


def assert_graph(native, oracle, *, exact=False):
    rtol = 0 if exact else 1e-9
    largest = np.max(oracle.distances, initial=0.0)
    atol = 0 if exact else 1e-9 * largest
    assert native["k"] == oracle.k
    np.testing.assert_array_equal(native["candidate"], oracle.candidates)
    np.testing.assert_allclose(native["distance"], oracle.distances, rtol=rtol, atol=atol)
    if oracle.k:
        np.testing.assert_allclose(native["row_threshold"], oracle.row_threshold, rtol=rtol, atol=atol)
        np.testing.assert_allclose(native["global_threshold"], oracle.global_threshold, rtol=rtol, atol=atol)
    edges = edges_of(native)
    assert [edge[:2] for edge in edges] == [edge[:2] for edge in oracle.edges]
    np.testing.assert_allclose([e[2] for e in edges], [e[2] for e in oracle.edges], rtol=rtol, atol=atol)


@given(strategies.rows())
def test_graph_without_weights_equals_oracle(rows):
    assert_graph(_core.knn_graph(rows), mutual_knn_graph(rows))


@given(strategies.nodes())
def test_graph_with_weights_equals_oracle(nodes):
    weights = feature_weights(nodes.m2, nodes.support, nodes.count, nodes.stream_m2)
    assert_graph(_core.knn_graph(nodes.rows, *nodes.weight_source), mutual_knn_graph(nodes.rows, weights))


# Nodes of a single sample have equal feature weights, which changes nothing.
@given(strategies.nodes(st.just(strategies.scaled), n=(8, 40), d=(4, 7), least_support=2))
def test_graph_changed_by_weights_equals_oracle(nodes):
    assume(adaptive_transform(nodes.rows).gamma > 0.1)
    weights = feature_weights(nodes.m2, nodes.support, nodes.count, nodes.stream_m2)
    weighted = mutual_knn_graph(nodes.rows, weights)
    native = _core.knn_graph(nodes.rows, *nodes.weight_source)
    assert_graph(native, weighted)
    # Weights only lengthen distances; they must differ here, or the test would not check weights.
    plain = _core.knn_graph(nodes.rows)
    assert native["distance"].sum() > plain["distance"].sum()


@given(strategies.rows(strategies.exact_kinds))
def test_graph_of_tied_rows_equals_oracle(rows):
    assume(adaptive_transform(rows).gamma == 0)
    # The transformation subtracts a median, which may end in .5: still exact.
    assert_graph(_core.knn_graph(rows), mutual_knn_graph(rows), exact=True)


@pytest.mark.parametrize("n", [1, 2, 3, 54, 55, 56, 200])
def test_neighbour_count_equals_ceil_sqrt_log(n):
    """k = ceil(sqrt(ln n)) steps up between 54 and 55."""
    rows = np.random.default_rng(n).normal(size=(n, 3))
    assert_graph(_core.knn_graph(rows), mutual_knn_graph(rows))


def test_graph_equals_oracle_beyond_the_candidates_of_the_kernel():
    """From n = 8104 on, k would be 4; the kernel keeps five nearest, including the row itself."""
    rows = np.random.default_rng(0).normal(size=(8200, 2))
    native = _core.knn_graph(rows)
    assert native["k"] == 4
    some = rows[::100]
    delta = np.sqrt(((some[:, None] - rows) ** 2).sum(axis=2))
    delta[np.arange(len(some)), np.arange(0, len(rows), 100)] = np.inf
    np.testing.assert_array_equal(native["candidate"][::100], np.argsort(delta, axis=1, kind="stable")[:, :4])
