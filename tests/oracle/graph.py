"""The pruned mutual kNN graph, for learned nodes and for component centroids alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .distance import pairwise_distances
from .quantile import hazen
from .transform import adaptive_transform

Edge = tuple[int, int, float]  # p < q, delta_pq


@dataclass
class Graph:
    k: int  # candidates per row; 0 for at most one row
    candidates: np.ndarray  # (n, k) indices, nearest first
    distances: np.ndarray  # (n, k) delta of the candidates
    row_threshold: np.ndarray  # (n,) pruning threshold of each row; NaN without candidates
    global_threshold: float  # pruning threshold over all n * k candidates; NaN without any
    edges: list[Edge]  # sorted
    gamma: float  # of the transformation of the rows


def mutual_knn_graph(rows: np.ndarray, weights: np.ndarray | None = None) -> Graph:
    """Return the pruned mutual kNN graph of raw rows, with optional feature weights (section 7)."""
    n = len(rows)
    transform = adaptive_transform(rows)
    if n <= 1:
        none = np.empty((n, 0))
        return Graph(0, none.astype(int), none, np.full(n, np.nan), np.nan, [], transform.gamma)

    k = max(1, min(math.ceil(math.sqrt(math.log(n))), n - 1))
    delta = pairwise_distances(transform.apply(rows), transform.gamma, weights)
    # A stable sort puts the lower index first among equal distances.
    candidates = np.argsort(delta, axis=1, kind="stable")[:, :k]
    distances = np.take_along_axis(delta, candidates, axis=1)
    row_threshold = np.array([pruning_threshold(row) for row in distances])
    global_threshold = pruning_threshold(distances.ravel())

    kept = []
    for p in range(n):
        near = distances[p] <= min(row_threshold[p], global_threshold)
        # If pruning leaves a row without candidates, it keeps the nearest.
        kept.append(set(candidates[p, near].tolist()) or {candidates[p, 0].item()})
    edges = [(p, q, delta[p, q].item()) for p in range(n) for q in sorted(kept[p]) if p < q and p in kept[q]]
    return Graph(k, candidates, distances, row_threshold, global_threshold, edges, transform.gamma)


def pruning_threshold(distances: np.ndarray) -> float:
    """Return the median plus 1.5 interquartile ranges of candidate distances (section 7)."""
    iqr = hazen(distances, 0.75) - hazen(distances, 0.25)
    return hazen(distances, 0.5) + 1.5 * iqr
