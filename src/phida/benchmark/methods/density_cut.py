"""HDBSCAN's hierarchy over a few thousand points, and its cut nearest to a wanted number of clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform

#: Points that make a point dense, itself included; and the fewest that make a cluster. The paper states neither.
MIN_SAMPLES = 5
MIN_CLUSTER_SIZE = 5


def density_cut(points: NDArray[np.float64], target: int) -> NDArray[np.int64]:
    """Labels at the count nearest to the target among cuts with at least the target, else at the nearest count.

    Groups below the least size are noise; a noise point takes the label of the nearest point that has one.
    """
    size = min(MIN_CLUSTER_SIZE, len(points))
    distances = squareform(pdist(points))
    tree = linkage(squareform(mutual_reachability(distances), checks=False), "single")
    group = fcluster(tree, best_height(tree, target, size), criterion="distance") - 1
    clusters = np.flatnonzero(np.bincount(group) >= size)
    label = np.full(group.max() + 1, -1)
    label[clusters] = np.arange(len(clusters))
    labels = label[group]
    known = np.flatnonzero(labels >= 0)
    nearest: NDArray[np.int64] = labels[known[distances[:, known].argmin(axis=1)]]
    return nearest


def mutual_reachability(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distance of two points, or the larger of their core distances."""
    k = min(MIN_SAMPLES, len(distances)) - 1
    core = np.partition(distances, k, axis=1)[:, k]
    reachability = np.maximum(distances, np.maximum(core[:, None], core))
    np.fill_diagonal(reachability, 0.0)
    return reachability


def best_height(tree: NDArray[np.float64], target: int, size: int) -> float:
    """The height at which to cut a single-linkage tree; of equally good ones the highest, which has the least noise."""
    n = len(tree) + 1
    sizes = np.concatenate([np.ones(n), tree[:, 3]])
    left, right = sizes[tree[:, 0].astype(int)] >= size, sizes[tree[:, 1].astype(int)] >= size
    # A merge makes one cluster of two, or a first one of noise.
    change = (tree[:, 3] >= size).astype(int) - left - right
    count = (n if size == 1 else 0) + np.cumsum(change)
    heights = tree[:, 2]
    last_of_its_height = np.append(heights[1:] > heights[:-1], True)
    heights, count = heights[last_of_its_height], count[last_of_its_height]
    some = count > 0
    heights, count = heights[some], count[some]
    enough = count >= target
    distance = np.where(enough, count - target, 2 * n + np.abs(count - target))
    return float(heights[np.flatnonzero(distance == distance.min())[-1]])
