"""Groups: density-guided H0 persistence, with the density of flow as density (PLUS, section 3, steps 4 to 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .distance import distances_to_rows
from .flow import Flow

#: Peak over valley of two equal Gaussians four standard deviations apart.
PROMINENCE = math.exp(2) / 2
SHORTEST = 1e-6  # of the mean length

Pair = tuple[int, int]  # positions in V, the lower first


@dataclass
class Heights:
    """Of nodes that have edges; a node without has the entry NaN."""

    node: list[float]  # h
    neighbours: list[float]  # e, the effective number
    edge: dict[Pair, float]  # t


def edge_lengths(flow: Flow, z: np.ndarray) -> dict[Pair, float]:
    """Length of every edge, not below a floor."""
    distance = {(a, b): float(distances_to_rows(z[a], z[b : b + 1], 0.0)[0]) for a, b in flow.edges()}
    total = sum(flow.shared[a][b] for a, b in distance)
    mean = sum(flow.shared[a][b] * length for (a, b), length in distance.items()) / total if total else 0.0
    if mean == 0:
        # All edges join nodes that coincide: lengths are equal, and groups do not depend on their unit.
        return dict.fromkeys(distance, 1.0)
    return {pair: max(length, SHORTEST * mean) for pair, length in distance.items()}


def heights(flow: Flow, z: np.ndarray) -> Heights:
    """Densities of flow, as heights of nodes and edges (step 4); z are the transformed rows of V."""
    length = edge_lengths(flow, z)
    density = {(a, b): flow.shared[a][b] / length[a, b] for a, b in length}
    node, neighbours = [], []
    for a in range(len(flow.nodes)):
        touching = [pair for pair in length if a in pair]
        if not touching:
            node.append(math.nan)
            neighbours.append(math.nan)
            continue
        shared = [flow.shared[p][q] for p, q in touching]
        mean_length = sum(s * length[pair] for s, pair in zip(shared, touching)) / sum(shared)
        loop = flow.loop[a] / mean_length  # o
        node.append(sum(density[pair] for pair in touching) + loop)
        neighbours.append(node[a] ** 2 / (sum(density[pair] ** 2 for pair in touching) + loop**2))
    edge = {(a, b): min(density[a, b] * math.sqrt(neighbours[a] * neighbours[b]), node[a], node[b]) for a, b in density}
    return Heights(node, neighbours, edge)


def join_trees(n: int, found: Heights) -> np.ndarray:
    """Group of every node: trees join where the lower peak does not rise high enough above the edge (steps 5 and 6)."""
    tree = list(range(n))  # of every node, the peak of its tree
    for (a, b), t in sorted(found.edge.items(), key=lambda item: (-item[1], item[0])):
        # Equal heights: the higher index is the lower peak.
        high, low = sorted((tree[a], tree[b]), key=lambda peak: (-found.node[peak], peak))
        if high != low and found.node[low] < PROMINENCE * t:
            tree = [high if peak == low else peak for peak in tree]
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(peak, len(numbers)) for peak in tree])


def groups(flow: Flow, z: np.ndarray) -> np.ndarray:
    """Group of every node of V, numbered by their lowest node."""
    return join_trees(len(flow.nodes), heights(flow, z))
