"""Clusters of nodes that win together (section 13): Python's integers, every pair looked at, nothing remembered."""

from __future__ import annotations

import numpy as np


def coactivation_clusters(support: np.ndarray, won: np.ndarray) -> np.ndarray | None:
    """Output cluster per node, -1 for none; None where no two nodes ever won together."""
    inside = np.flatnonzero(support > 1)
    if not len(inside):
        inside = np.arange(len(support))
    shared = {int(a): {int(b): int(won[a, b]) + int(won[b, a]) for b in inside} for a in inside}
    strength = {a: sum(row.values()) for a, row in shared.items() if any(row.values())}
    if not strength:
        return None
    groups = {a: [a] for a in strength}
    total = sum(strength.values())
    while True:
        excess = {(a, b): total * shared[a][b] - strength[a] * strength[b] for a in groups for b in groups if a < b}
        best = max(excess, key=lambda pair: (excess[pair], -pair[0], -pair[1]), default=None)
        if best is None or excess[best] <= 0:
            break
        a, b = best
        groups[a] += groups.pop(b)
        strength[a] += strength.pop(b)
        for c in groups:
            shared[a][c] += shared[b][c]
            shared[c][a] = shared[a][c]
    cluster = np.full(len(support), -1)
    for label, name in enumerate(sorted(groups)):
        cluster[groups[name]] = label
    return cluster
