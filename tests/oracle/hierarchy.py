"""The PH-constrained component hierarchy and its cut into output clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .graph import Edge, mutual_knn_graph
from .transform import Transform, adaptive_transform

FLOOR = 1e-12


@dataclass
class Hierarchy:
    transform: Transform  # of the rows; prediction uses it too
    masses: np.ndarray  # (C,) S*, component masses
    centroids: np.ndarray  # (C, d) mass-weighted, in the transformed space
    c_min: int  # fewest clusters that the cut may have
    edges: list[Edge]  # adjacency of the components
    levels: list[np.ndarray]  # group id per component, one partition per level
    heights: list[float]  # merge height q of each level, 0 for the first
    chosen: int  # the level of the cut
    cluster: np.ndarray  # (C,) output cluster per component


def component_hierarchy(
    rows: np.ndarray, support: np.ndarray, component: np.ndarray, persistence: np.ndarray
) -> Hierarchy:
    """Return the hierarchy over the PH components of raw rows, cut at the largest jump (section 8)."""
    transform = adaptive_transform(rows)
    z = transform.apply(rows)
    mass = node_masses(support, component, persistence)
    members = [component == a for a in range(len(persistence))]
    masses = np.array([mass[m].sum() for m in members])
    centroids = np.array([np.average(z[m], axis=0, weights=mass[m]) for m in members])
    c_min = minimum_clusters(masses)
    edges = mutual_knn_graph(centroids).edges
    levels, heights = merge_components(masses, centroids, edges, c_min)
    chosen = largest_jump(heights)
    _, cluster = np.unique(levels[chosen], return_inverse=True)
    return Hierarchy(transform, masses, centroids, c_min, edges, levels, heights, chosen, cluster)


def node_masses(support: np.ndarray, component: np.ndarray, persistence: np.ndarray) -> np.ndarray:
    """Return the support of every node, reduced in components of low persistence (section 8)."""
    usable = persistence[np.isfinite(persistence) & (persistence > 0)]
    reference = np.median(usable) if len(usable) else 1.0
    pi = persistence[component]
    mass = support * (pi / np.maximum(pi + reference, FLOOR))
    if not (np.isfinite(mass).all() and mass.sum() > 0):
        mass = support.astype(float)
    return np.where(mass > 0, mass, FLOOR)


def minimum_clusters(masses: np.ndarray) -> int:
    """Return C_min: the entropy effective count of the component masses, rounded up (section 8)."""
    p = masses / masses.sum()
    effective = math.exp(-float(np.sum(p * np.log(p))))
    return min(max(math.ceil(effective), 1), len(masses))


def merge_components(
    masses: np.ndarray, centroids: np.ndarray, edges: list[Edge], c_min: int
) -> tuple[list[np.ndarray], list[float]]:
    """Merge adjacent groups, cheapest first, down to c_min groups (section 8)."""
    n = len(masses)
    weight = dict(enumerate(masses.tolist()))
    center = dict(enumerate(centroids))
    adjacent = {(p, q) for p, q, _ in edges}  # always p < q
    group = np.arange(n)
    levels, heights = [group.copy()], [0.0]

    def cost(pair: tuple[int, int]) -> float:
        a, b = pair
        gap = float(np.sum((center[a] - center[b]) ** 2))
        return weight[a] * weight[b] / (weight[a] + weight[b]) * gap

    while len(weight) > c_min and adjacent:
        # Equal costs go to the lower ids.
        height, (a, b) = min((cost(pair), pair) for pair in adjacent)
        total = weight[a] + weight[b]
        center[a] = (weight[a] * center[a] + weight[b] * center[b]) / total
        weight[a] = total
        del weight[b], center[b]
        # The merged group keeps the lower id a; neighbours of b become neighbours of a.
        renamed = {tuple(sorted(a if g == b else g for g in pair)) for pair in adjacent}
        adjacent = {(p, q) for p, q in renamed if p != q}
        group[group == b] = a
        levels.append(group.copy())
        heights.append(height)
    return levels, heights


def largest_jump(heights: list[float]) -> int:
    """Return the level before the largest jump of merge height (section 8)."""
    chosen, best = 0, -math.inf
    for level in range(len(heights) - 1):
        upper = heights[level + 1]
        jump = upper - heights[level]
        # Among nearly equal jumps, the one that ends higher.
        tied = level > 0 and abs(jump - best) <= 1e-8 + 1e-5 * abs(best)
        if jump > best or (tied and upper > heights[chosen + 1]):
            chosen, best = level, jump
    return chosen
