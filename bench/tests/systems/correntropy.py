"""The correntropy-induced metric and its bandwidth, for CAE and CAEA."""

from __future__ import annotations

import numpy as np


def cim(x, rows, bandwidth):
    """CIM of a sample to every row, features summed in their order."""
    total = np.zeros(len(rows))
    for j in range(len(x)):
        total += np.exp(-((x[j] - rows[:, j]) ** 2) / (2 * bandwidth**2))
    return np.sqrt(1 - total / len(x))


def bandwidth(rows):
    """Median over the features of Silverman's rule."""
    n, d = np.shape(rows)
    # Differences from the first row are exactly 0 for a constant feature.
    spread = np.std(rows - rows[0], axis=0, ddof=1) if n > 1 else np.zeros(d)
    spread = np.where(spread == 0, 1e-6, spread)
    return np.median(spread) * (4 / (2 + d)) ** (1 / (4 + d)) * n ** (-1 / (4 + d))


def mean(values):
    """Return the mean of one sum, from first to last."""
    return sum(values) / len(values)


def without(edges, gone):
    """Return the edges without the nodes in ``gone``, and renumber the others."""
    shift = {node: node - sum(g < node for g in gone) for edge in edges for node in edge}
    return {(shift[a], shift[b]): age for (a, b), age in edges.items() if a not in gone and b not in gone}
