"""Node-wise feature weights: features in which a node is narrow weigh more."""

from __future__ import annotations

import numpy as np

FLOOR = 1e-12


def feature_weights(m2: np.ndarray, support: np.ndarray, global_count: int, global_m2: np.ndarray) -> np.ndarray:
    """Return weights omega, one row per node, each summing to 1 (section 4)."""
    v = global_variance(global_count, global_m2)
    u = m2 / np.maximum(support - 1, 1)[:, None]
    # A node with a single sample has no spread.
    known = np.isfinite(u) & (u > 0) & (support > 1)[:, None]
    u = np.maximum(np.where(known, u, v), FLOOR)

    score = v / (u + v)
    weights = score / score.sum(axis=1, keepdims=True)
    weights = np.maximum(weights, FLOOR)
    return weights / weights.sum(axis=1, keepdims=True)


def global_variance(count: int, m2: np.ndarray) -> np.ndarray:
    """Return the variance per feature of all samples so far, bounded for division (section 4)."""
    if count <= 1:
        return np.ones_like(m2)
    v = m2 / (count - 1)
    return np.maximum(np.where(np.isfinite(v) & (v > 0), v, 1.0), FLOOR)
