"""The weak bridge of appendix B: PH components separate two dense groups that a weak node connects."""

import numpy as np
import strategies

from phida import PHIDA, _core


def bridge(dense, weak):
    """Return two chains of three dense nodes, joined by one weak node."""
    edges = [(p, p + 1, 1.0) for p in range(6)]
    return strategies.Graph(7, edges), np.array([dense, dense + 1, dense, weak, dense, dense + 2, dense], dtype=float)


def test_weak_node_separates_two_components():
    graph, support = bridge(dense=50, weak=1)
    found = _core.ph_components(*graph.csr(), support)
    assert found["mode"].tolist() == [1, 5]
    assert found["component"].tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_bridge_without_a_dip_is_one_component():
    graph, _ = bridge(dense=50, weak=50)
    found = _core.ph_components(*graph.csr(), np.full(7, 50.0))
    assert found["component"].tolist() == [0] * 7


def bridged_stream(seed):
    """Return two dense groups and a thin line of points between them, shuffled."""
    rng = np.random.default_rng(seed)
    left = rng.normal([-6, 0], 1.0, size=(600, 2))
    right = rng.normal([6, 0], 1.0, size=(600, 2))
    line = np.column_stack([np.linspace(-6, 6, 40), rng.normal(0, 0.05, size=40)])
    return rng.permutation(np.concatenate([left, right, line]))


def test_stream_with_a_bridge_has_pure_clusters():
    X = bridged_stream(0)
    model = PHIDA().fit(X)
    left, right = model.labels_[X[:, 0] < -3], model.labels_[X[:, 0] > 3]
    assert model.n_clusters_ > 1
    assert not set(left) & set(right)
