"""Parts: greedy modularity of the flow (PLUS, section 3, step 8). Every pair looked at, nothing remembered."""

from __future__ import annotations

import numpy as np

from .flow import Flow


def parts(flow: Flow) -> np.ndarray:
    """Part of every node of V, numbered by their lowest node."""
    n = len(flow.nodes)
    shared = [row.copy() for row in flow.shared]
    strength = flow.strength.copy()
    total = sum(strength)
    part = list(range(n))  # of every node, the lowest node of its part
    alive = list(range(n))
    while True:
        # Nothing is gained where nothing flows. The highest gain, then the lowest a, then the lowest b.
        flowing = [(a, b) for a in alive for b in alive if a < b and shared[a][b] > 0]
        gains = [(total * shared[a][b] - strength[a] * strength[b], -a, -b) for a, b in flowing]
        gain, minus_a, minus_b = max(gains, default=(0, 0, 0))
        if gain <= 0:
            break
        a, b = -minus_a, -minus_b
        strength[a] += strength[b]
        for c in alive:
            shared[a][c] += shared[b][c]
            shared[c][a] = shared[a][c]
        part = [a if p == b else p for p in part]
        alive.remove(b)
    return np.array([alive.index(p) for p in part])
