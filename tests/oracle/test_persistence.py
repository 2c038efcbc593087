"""H0 persistence, its cut and the PH components."""

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.persistence import component_persistence, h0_persistence, ph_components
from oracle.refresh import ph_input
from oracle.weights import feature_weights
from phida import _core


@st.composite
def supported_graphs(draw):
    graph = draw(strategies.graphs())
    support = draw(strategies.supports(graph.n))
    # A gap between persistences may depend on the last bit of a logarithm, and NumPy's differs between platforms.
    assume(all(np.log(m) == _core.log(m) for m in support))
    return graph, support


@given(supported_graphs())
def test_modes_equal_oracle(case):
    graph, support = case
    native = _core.ph_components(*graph.csr(), support, prune=False)
    tree = h0_persistence(support, graph.n, graph.edges)
    assert native["base"].tolist() == tree.base.tolist()
    # The native stage counts every root of a tree as a mode; the oracle, nodes without an active neighbour.
    assert native["partner"][tree.modes].tolist() == tree.parent.tolist()
    np.testing.assert_array_equal(native["value"][tree.modes], tree.persistence)
    heads = np.flatnonzero(native["base"] == np.arange(graph.n))
    assert heads.tolist() == tree.modes.tolist()


@given(supported_graphs())
def test_components_equal_oracle(case):
    graph, support = case
    native = _core.ph_components(*graph.csr(), support, prune=False)
    parts = ph_components(support, graph.n, graph.edges)
    assert native["threshold"] == parts.epsilon
    assert native["component"].tolist() == parts.component.tolist()
    assert native["mode"].tolist() == parts.modes.tolist()
    pi = component_persistence(support, parts.component, parts.mode_persistence)
    np.testing.assert_allclose(native["persistence"], pi, rtol=1e-12)


@given(supported_graphs())
def test_isolated_nodes_are_left_out(case):
    graph, support = case
    native = _core.ph_components(*graph.csr(), support)
    enters = {v for edge in graph.edges for v in edge[:2]}
    if not enters:
        # If all are isolated, the two densest stay, the lower index first.
        enters = set(sorted(range(graph.n), key=lambda v: (-support[v], v))[:2])
    assert set(np.flatnonzero(native["input"])) == enters
    assert set(np.flatnonzero(native["component"] >= 0)) == enters


@given(strategies.nodes(n=(1, 40)), st.booleans())
def test_refresh_from_representatives_to_components_equals_oracle(nodes, prune):
    """Graph, isolated nodes and persistence together, as in a refresh."""
    assume(all(np.log(m) == _core.log(m) for m in nodes.support))
    weights = feature_weights(nodes.m2, nodes.support, nodes.count, nodes.stream_m2)
    inactive = np.zeros(len(nodes.rows), dtype=bool)
    entering = ph_input(nodes.rows, nodes.support, inactive, weights, prune=prune)
    parts = ph_components(nodes.support[entering.nodes], len(entering.nodes), entering.edges)
    expected = np.full(len(nodes.rows), -1)
    expected[entering.nodes] = parts.component

    graph = _core.knn_graph(nodes.rows, *nodes.weight_source)
    native = _core.ph_components(graph["offset"], graph["neighbour"], nodes.support, prune=prune)
    assert native["component"].tolist() == expected.tolist()
    assert native["mode"].tolist() == entering.nodes[parts.modes].tolist()


def test_equal_gaps_cut_at_the_larger_one():
    """Persistences log 2 and log 4: both gaps are log 2. The upper gap wins, so epsilon is log 2."""
    # Three paths down to a node of support 1: modes 8, 4 and 2 die there, in this order.
    support = np.array([8.0, 4.0, 2.0, 1.0])
    graph = strategies.Graph(4, [(0, 3, 1.0), (1, 3, 1.0), (2, 3, 1.0)])
    native = _core.ph_components(*graph.csr(), support)
    assert native["threshold"] == np.log(2)
    assert native["component"].tolist() == [0, 1, 0, 0]


def test_equal_densities_keep_the_lower_index_alive():
    graph = strategies.Graph(3, [(0, 2, 1.0), (1, 2, 1.0)])
    native = _core.ph_components(*graph.csr(), np.array([4.0, 4.0, 1.0]))
    assert native["partner"].tolist()[:2] == [-1, 0]
