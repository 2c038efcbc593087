"""The flow between nodes that no valley separates (PLUS, section 3, steps 1 to 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .pairs import Pairs


@dataclass
class Flow:
    """Whole numbers, in the unit of the counts; Python's integers, which never overflow."""

    nodes: np.ndarray  # (n,) V: indices of the nodes that take part, ascending
    shared: list[list[int]]  # (n, n) S, symmetric, 0 on the diagonal
    loop: list[int]  # (n,) twice the samples of a node that flow to no other node of V
    strength: list[int]  # (n,) k: all that flows from or to a node, loops included

    def edges(self) -> list[tuple[int, int]]:
        """Pairs (a, b) of positions in V, a < b, between which anything flows."""
        n = len(self.nodes)
        return [(a, b) for a in range(n) for b in range(a + 1, n) if self.shared[a][b] > 0]


def valley(n: float, s1: float, s2: float) -> bool:
    """Whether n samples stand off from the plane between two nodes."""
    # No more than four samples ever cut: s1 squared is at most n s2. Equal offsets of four are a tie but for rounding.
    return bool(n > 4 and 4 * s1 * s1 > (3 * n + 2 * math.sqrt(n)) * s2)


def nodes_with_flow(support: np.ndarray, pairs: Pairs) -> np.ndarray | None:
    """V after step 1; None where no two of its nodes have counts with each other."""
    V = np.flatnonzero(support > 1)
    if not len(V):
        V = np.arange(len(support))
    between = pairs.count[np.ix_(V, V)].copy()
    np.fill_diagonal(between, 0)
    met = (between > 0).any(axis=0) | (between > 0).any(axis=1)
    return V[met] if met.any() else None


def cut_pairs(V: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Mask of the ordered pairs of V, as positions, that a valley cuts (step 2)."""
    inside = np.ix_(V, V)
    n, s1, s2 = pairs.samples[inside], pairs.s1[inside].copy(), pairs.s2[inside].copy()
    for a in (n, s1, s2):
        np.fill_diagonal(a, 0)
    cut = np.zeros((len(V), len(V)), dtype=bool)
    for a in range(len(V)):
        alone = valley(sum(n[a].tolist()), sum(s1[a].tolist()), sum(s2[a].tolist()))
        for b in range(len(V)):
            cut[a, b] = n[a, b] > 0 and (alone or valley(n[a, b], s1[a, b], s2[a, b]))
    return cut


def flow(support: np.ndarray, pairs: Pairs) -> Flow | None:
    """Flow over V; None where the paper's map serves (steps 1 to 3)."""
    V = nodes_with_flow(support, pairs)
    if V is None:
        return None
    forward = np.where(cut_pairs(V, pairs), 0, pairs.count[np.ix_(V, V)])  # F
    np.fill_diagonal(forward, 0)
    shared = forward + forward.T
    won = pairs.count[V].sum(axis=1)  # w: runner-ups outside V and deleted ones included
    loop = 2 * (won - forward.sum(axis=1))
    strength = shared.sum(axis=1) + loop
    # At least one node has k > 0: where two nodes have counts, the winner keeps them, as flow or as a loop.
    stay = strength > 0
    if stay.sum() < 2:
        stay[:] = True
    return Flow(V[stay], shared[np.ix_(stay, stay)].tolist(), loop[stay].tolist(), strength[stay].tolist())
