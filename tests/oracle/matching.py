"""Matching one sample with the learned nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .distance import distances_to_rows


@dataclass
class Match:
    winner: int  # r, the nearest node
    runner_up: int  # b, the nearest of the others
    distance: np.ndarray  # (K,) d, penalised distance to every node
    similarity: np.ndarray  # (K,) a, inverse-distance similarity to every node


def match(z: np.ndarray, rows: np.ndarray, gamma: float, weights: np.ndarray, scale: np.ndarray) -> Match:
    """Return winner and runner-up of a transformed sample among transformed rows (section 3.4)."""
    distance = distances_to_rows(z, rows, gamma, weights)
    # d/s, not alpha * d: similarity and vigilance can be equal to the last bit.
    similarity = 1.0 / (1.0 + distance / np.maximum(scale, 1e-12))
    # A stable sort of the roots gives equal distances to the lower index.
    r, b = np.argsort(distance, kind="stable")[:2].tolist()
    return Match(r, b, distance, similarity)
