"""Welford moments, used by the nodes and the global state."""

from __future__ import annotations

import numpy as np


def welford(count: int, mean: np.ndarray, m2: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and m2 after x became sample number `count` (sections 1 and 3.6)."""
    delta = x - mean
    new_mean = mean + delta / count
    return new_mean, m2 + delta * (x - new_mean)
