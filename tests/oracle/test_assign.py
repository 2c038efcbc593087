"""Scores and labels of new samples."""

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.assign import AssignmentView, assign, scores
from oracle.transform import adaptive_transform
from phida import _core


@st.composite
def assignments(draw, kinds=strategies.continuous_kinds):
    """Draw nodes in up to six clusters, none empty, and queries on and near them."""
    n_clusters = draw(st.integers(1, 6))
    nodes = draw(strategies.nodes(kinds, n=(n_clusters, 30)))
    rng = np.random.default_rng(draw(strategies.seeds))
    rest = rng.integers(0, n_clusters, size=len(nodes.rows) - n_clusters)
    cluster = rng.permutation(np.append(np.arange(n_clusters), rest)).astype(np.int32)
    return nodes.rows, nodes.support, cluster, n_clusters, rng


def oracle_view(rows, support, cluster):
    return AssignmentView(rows, support, cluster, adaptive_transform(rows))


@given(assignments())
def test_scores_and_labels_equal_oracle(case):
    rows, support, cluster, n_clusters, rng = case
    queries = rows[rng.integers(len(rows), size=12)]
    queries += rng.choice([0.0, 0.3, 5.0], size=(12, 1)) * rng.normal(size=queries.shape) * np.std(rows, axis=0)
    labels, native = _core.assign(rows, support, cluster, n_clusters, queries)
    view = oracle_view(rows, support, cluster)
    expected = scores(view, queries)
    np.testing.assert_allclose(native, expected, rtol=1e-9, atol=1e-12 * np.max(expected))
    # Copies of a row in two clusters tie up to rounding; labels of such close scores are not compared.
    best, second = np.sort(np.column_stack([expected, np.full(len(expected), np.inf)]), axis=1)[:, :2].T
    settled = second - best > 1e-9 * np.max(expected)
    np.testing.assert_array_equal(labels[settled], assign(view, queries)[settled])
    np.testing.assert_array_equal(labels, np.argmin(native, axis=1))


@given(assignments(strategies.exact_kinds))
def test_ties_go_to_the_lower_label(case):
    rows, support, cluster, n_clusters, rng = case
    assume(adaptive_transform(rows).gamma == 0)
    queries = rng.integers(0, 3, size=(12, rows.shape[1])).astype(float)
    labels, native = _core.assign(rows, support, cluster, n_clusters, queries)
    view = oracle_view(rows, support, cluster)
    np.testing.assert_array_equal(native, scores(view, queries))
    np.testing.assert_array_equal(labels, assign(view, queries))


def test_score_of_a_single_node_is_its_squared_distance():
    rows = np.array([[0.0], [10.0], [11.0]])
    _, native = _core.assign(rows, np.ones(3), np.array([0, 1, 1], np.int32), 2, np.array([[3.0]]))
    # Support shares 1/3 and 2/3: q = 5/9 of two nodes includes the second, so 7 + 8.
    assert native.tolist() == [[9.0, 15.0]]
