"""The refresh: nodes removed, nodes in the PH input, and the resulting view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .assign import AssignmentView
from .graph import Edge, mutual_knn_graph
from .hierarchy import Hierarchy, component_hierarchy
from .persistence import component_persistence, ph_components, singleton_components


@dataclass
class PhInput:
    nodes: np.ndarray  # indices of the nodes in the PH input, ascending
    left: np.ndarray  # indices of the isolated nodes left out
    edges: list[Edge]  # edges of the induced graph, as positions in `nodes`


@dataclass
class View:
    component: np.ndarray  # (K,) PH component per node, -1 outside the map
    cluster: np.ndarray  # (K,) output cluster per node, -1 outside the view
    epsilon: float  # persistence threshold
    persistence: np.ndarray  # (C,) pi, per component
    hierarchy: Hierarchy
    assignment: AssignmentView


def low_support_nodes(support: np.ndarray, component: np.ndarray, interval: int) -> np.ndarray:
    """Return a mask of the nodes removed for low support (section 6a)."""
    low = support <= 1
    high = ~low
    if not high.any() or low.sum() <= interval:
        return np.zeros(len(support), dtype=bool)
    removed = low.copy()
    for a in np.unique(component[low & (component >= 0)]):
        # A component with fewer than two other nodes would vanish with its low nodes.
        if np.sum(high & (component == a)) < 2:
            removed[component == a] = False
    return removed


def ph_input(
    representatives: np.ndarray,
    support: np.ndarray,
    active: np.ndarray,
    weights: np.ndarray,
    *,
    prune: bool = True,
) -> PhInput:
    """Return the nodes in the PH input, and their graph (sections 6b to 6d)."""
    chosen = np.flatnonzero(active) if active.any() else np.arange(len(support))
    n = len(chosen)
    edges = mutual_knn_graph(representatives[chosen], weights[chosen]).edges
    if not prune:
        return PhInput(chosen, chosen[:0], edges)

    kept = np.zeros(n, dtype=bool)
    for p, q, _ in edges:
        kept[p] = kept[q] = True
    if kept.sum() < min(2, n):
        # If all are isolated, retain the two densest, the lower index first.
        kept[np.argsort(-np.log(support[chosen]), kind="stable")[:2]] = True
    position = np.cumsum(kept) - 1
    induced = [(position[p].item(), position[q].item(), delta) for p, q, delta in edges]
    return PhInput(chosen[kept], chosen[~kept], induced)


def build_view(
    representatives: np.ndarray,
    support: np.ndarray,
    active: np.ndarray,
    entering: PhInput,
    *,
    ph: bool = True,
) -> View:
    """Return PH components, hierarchy cut and assignment view of the PH input (sections 6e to 6h)."""
    nodes = entering.nodes
    if ph:
        parts = ph_components(support[nodes], len(nodes), entering.edges)
    else:
        parts = singleton_components(len(nodes))
    pi = component_persistence(support[nodes], parts.component, parts.mode_persistence)
    component = np.full(len(support), -1)
    component[nodes] = parts.component

    # The PH input is all active or, if nothing is active, all inactive; so each component keeps some node here.
    mapped = nodes[active[nodes]] if active[nodes].any() else nodes
    hierarchy = component_hierarchy(representatives[mapped], support[mapped], component[mapped], pi)
    cluster = np.full(len(support), -1)
    cluster[mapped] = hierarchy.cluster[component[mapped]]
    assignment = AssignmentView(
        representatives[mapped].copy(), support[mapped].copy(), cluster[mapped], hierarchy.transform
    )
    return View(component, cluster, parts.epsilon, pi, hierarchy, assignment)
