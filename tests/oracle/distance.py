"""The penalised distance: Euclidean, increased in proportion to the weighted distance."""

from __future__ import annotations

import numpy as np


def distances_to_rows(z: np.ndarray, rows: np.ndarray, gamma: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Return distances d_i of one transformed point to transformed rows, with weights per row (section 3.4)."""
    # Differences, not |a|^2 + |b|^2 - 2ab: exact ties decide entire runs (section 11).
    squared = (z - rows) ** 2
    g = np.sqrt(sum_in_order(squared))
    if weights is None or gamma == 0:
        return g
    kappa = np.clip(1.0 / sum_in_order(weights**2), 1.0, rows.shape[1])
    local = np.sqrt(kappa * sum_in_order(weights * squared))
    return g + gamma * np.maximum(local - g, 0.0)


def sum_in_order(terms: np.ndarray) -> np.ndarray:
    """Return the sum of every row in index order; ``sum`` adds long rows pairwise, which breaks exact ties."""
    return np.cumsum(terms, axis=1)[:, -1]


def pairwise_distances(rows: np.ndarray, gamma: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Return distances delta_pq between transformed rows, infinite on the diagonal (section 7)."""
    n = len(rows)
    delta = np.empty((n, n))
    for p in range(n):
        shared = None if weights is None else (weights[p] + weights) / 2
        delta[p] = distances_to_rows(rows[p], rows, gamma, shared)
    np.fill_diagonal(delta, np.inf)
    return delta
