"""Recalculation of the interval and the vigilance from the recent samples."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .distance import distances_to_rows
from .quantile import hazen
from .transform import Transform

SMALLEST_DETERMINANT = 1e-6


class Vigilance(NamedTuple):
    interval: int  # lambda
    vigilance: float  # tau
    ratio: float  # r_bar, smoothed cluster-to-node ratio


def recalculate(
    buffer: np.ndarray,
    transform: Transform,
    interval: int,
    vigilance: float,
    ratio: float,
    cluster_count: float,
    n_nodes: int,
    max_scale: float,
) -> Vigilance:
    """Run both scans over the buffer, oldest sample first, as in section 5."""
    similarity = similarity_matrix(transform.apply(buffer), max_scale)
    available = len(buffer)

    def window(m: int) -> np.ndarray:
        """Return R of W(m), the m newest samples."""
        return similarity[available - m :, available - m :]

    def mix(length: int, r: float) -> float:
        """Return the ratio part of `threshold`."""
        current = clip_unit(cluster_count / n_nodes)
        return clip_unit(current / length + (1 - 1 / length) * clip_unit(r))

    def threshold(m: int, length: int, r: float) -> tuple[float, float]:
        r = mix(length, r)
        return hazen(nearest_similarities(window(m)), r), r

    start = Vigilance(interval, vigilance, ratio)

    # Decremental scan: shrink the interval to the last stable length.
    accepted = start
    for m in range(2, min(interval, available) + 1):
        if not is_stable(window(m)):
            return accepted
        accepted = Vigilance(m, *threshold(m, interval, accepted.ratio))

    # Incremental scan: all windows were stable, so try longer ones, from the old ratio again.
    if available <= interval:
        return start
    longest = min(2 * interval, available)
    low, h, stride = interval, min(interval + 1, longest), 1
    while h <= longest:
        if not is_stable(window(h)):
            return Vigilance(low, *threshold(low, low, mix(interval, ratio)))
        low = h
        stride = min(2 * stride, longest - interval)
        h = min(interval + stride, longest)
        if h <= low:
            break
    return Vigilance(longest, *threshold(longest, interval, ratio))


def cluster_count(n_clusters: int, n_components: int, component: np.ndarray, support: np.ndarray) -> float:
    """Return C: the best known cluster count, between 1 and K (section 5)."""
    distinct = len(np.unique(component[component >= 0]))
    p = support / support.sum()
    effective = math.exp(-np.sum(p * np.log(p)))
    count = n_clusters or n_components or distinct or effective
    return max(min(count, len(support)), 1)


def similarity_matrix(z: np.ndarray, max_scale: float) -> np.ndarray:
    """Return R: inverse-distance similarities between transformed samples, without weights (section 5)."""
    alpha = 1.0 / max(max_scale, 1e-12)
    return np.array([1.0 / (1.0 + alpha * distances_to_rows(v, z, 0.0)) for v in z])


def is_stable(similarity: np.ndarray) -> bool:
    """Return whether R has a Cholesky factor and a determinant of at least 1e-6 (section 5)."""
    try:
        factor = np.linalg.cholesky(similarity)
    except np.linalg.LinAlgError:
        return False
    return bool(np.prod(np.diag(factor)) ** 2 >= SMALLEST_DETERMINANT)


def nearest_similarities(similarity: np.ndarray) -> np.ndarray:
    """Return u: the largest off-diagonal entry of every row (section 5)."""
    off_diagonal = similarity.copy()
    np.fill_diagonal(off_diagonal, -np.inf)
    return off_diagonal.max(axis=1)


def clip_unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)
