"""Winner and runner-up."""

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.distance import distances_to_rows
from oracle.matching import match
from oracle.transform import adaptive_transform
from oracle.weights import feature_weights
from phida import _core


def query_near(nodes, seed):
    """Draw a query near a node, or exactly on one, which ties with duplicates."""
    rng = np.random.default_rng(seed)
    row = nodes.rows[rng.integers(len(nodes.rows))]
    return row + rng.choice([0.0, 1.0]) * rng.normal(size=len(row)) * (np.std(nodes.rows, axis=0) + 1e-9)


def oracle_match(z, rows, gamma, nodes):
    weights = feature_weights(nodes.m2, nodes.support, nodes.count, nodes.stream_m2)
    return match(z, rows, gamma, weights, np.ones(len(rows)))


def assert_match(native, expected):
    winner, runner_up, *distances = native
    assert (winner, runner_up) == (expected.winner, expected.runner_up)
    wanted = expected.distance[[expected.winner, expected.runner_up]]
    np.testing.assert_allclose(distances, wanted, rtol=1e-9, atol=1e-12 * np.max(expected.distance, initial=0.0))


@given(strategies.nodes(), strategies.seeds)
def test_match_equals_oracle(nodes, seed):
    x = query_near(nodes, seed)
    transform = adaptive_transform(nodes.rows)
    expected = oracle_match(transform.apply(x), transform.apply(nodes.rows), transform.gamma, nodes)
    inverse = None if transform.gamma == 0 else 1.0 / transform.denominator
    assert_match(_core.nearest_two(x, nodes.rows, inverse, transform.gamma, *nodes.weight_source), expected)


@given(strategies.nodes(), strategies.seeds, st.sampled_from([0.2, 0.9]))
def test_match_among_transformed_rows_equals_oracle(nodes, seed, gamma):
    """The released behaviour passes cached rows: without scaling, with feature weights."""
    x = query_near(nodes, seed)
    expected = oracle_match(x, nodes.rows, gamma, nodes)
    assert_match(_core.nearest_two(x, nodes.rows, None, gamma, *nodes.weight_source), expected)


@given(strategies.nodes(strategies.exact_kinds), strategies.seeds)
def test_ties_go_to_the_lower_index(nodes, seed):
    x = np.random.default_rng(seed).integers(0, 3, size=nodes.rows.shape[1]).astype(float)
    expected = np.argsort(distances_to_rows(x, nodes.rows, 0.0), kind="stable")[:2].tolist()
    winner, runner_up, *distances = _core.nearest_two(x, nodes.rows, None, 0.0, *nodes.weight_source)
    assert [winner, runner_up] == expected
    assert distances == np.linalg.norm(nodes.rows[expected] - x, axis=1).tolist()


def test_different_squares_with_equal_roots_tie():
    """Distances are compared after the square root (spec, step 4): only the squares differ here."""
    rows = np.array([[1.398737151086295, 0.0], [0.997209935789211, 0.9808353387762301], [3.0, 3.0]])
    squares = (rows**2).sum(axis=1)
    assert squares[0] > squares[1] and np.sqrt(squares[0]) == np.sqrt(squares[1])
    winner, runner_up, *_ = _core.nearest_two(np.zeros(2), rows, None, 0.0, np.zeros((3, 2)), np.ones(3), 3, np.ones(2))
    assert (winner, runner_up) == (0, 1)


@given(strategies.nodes(st.just(strategies.scaled), d=(4, 7)), strategies.seeds)
def test_feature_weights_apply_if_gamma_is_positive(nodes, seed):
    transform = adaptive_transform(nodes.rows)
    assume(transform.gamma > 0.1)
    x = query_near(nodes, seed)
    inverse = 1.0 / transform.denominator
    *_, weighted, _ = _core.nearest_two(x, nodes.rows, inverse, transform.gamma, *nodes.weight_source)
    *_, euclidean, _ = _core.nearest_two(x, nodes.rows, inverse, 0.0, *nodes.weight_source)
    assert weighted >= euclidean
