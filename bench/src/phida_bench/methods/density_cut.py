"""HDBSCAN's hierarchy over some thousands of points, and the cut nearest to a target number of clusters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import DisjointSet, fcluster
from scipy.spatial.distance import cdist

Points = NDArray[np.float64]

#: Neighbours for the core distance, the point itself included; and the smallest cluster. The paper states neither.
MIN_SAMPLES = 5
MIN_CLUSTER_SIZE = 5


def density_cut(points: Points, target: int) -> NDArray[np.int64]:
    """Label the points at the cut whose number of clusters is nearest to the target, preferably not below it.

    Groups below the minimum size are noise; a noise point takes the label of the nearest labelled point.
    """
    size = min(MIN_CLUSTER_SIZE, len(points))
    tree = hierarchy(*spanning_tree(points, core_distances(points)))
    group = fcluster(tree, best_height(tree, target, size), criterion="distance") - 1
    clusters = np.flatnonzero(np.bincount(group) >= size)
    label = np.full(group.max() + 1, -1)
    label[clusters] = np.arange(len(clusters))
    labels: NDArray[np.int64] = label[group]
    known, noise = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
    for some in _portions(noise, len(known)):
        labels[some] = labels[known[cdist(points[some], points[known]).argmin(axis=1)]]
    return labels


def core_distances(points: Points) -> NDArray[np.float64]:
    """Core distance of each point: the distance to its k-th nearest neighbour."""
    k = min(MIN_SAMPLES, len(points)) - 1
    every = np.arange(len(points))
    return np.concatenate(
        [np.partition(cdist(points[some], points), k, axis=1)[:, k] for some in _portions(every, len(points))]
    )


def spanning_tree(points: Points, core: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Edges and lengths of a minimum spanning tree by Prim's algorithm, with one row of distances in memory.

    The length of an edge is the mutual reachability: the distance, or the larger of the two core distances.
    """
    n = len(points)
    edges, lengths = np.empty((n - 1, 2), np.int64), np.empty(n - 1)
    reach, source, inside = np.full(n, np.inf), np.zeros(n, np.int64), np.zeros(n, bool)
    here = 0
    for place in range(n - 1):
        inside[here] = True
        length = np.maximum(cdist(points[here : here + 1], points)[0], np.maximum(core, core[here]))
        closer = (length < reach) & ~inside
        reach[closer], source[closer] = length[closer], here
        reach[here] = np.inf
        here = int(reach.argmin())
        edges[place], lengths[place] = (source[here], here), reach[here]
    return edges, lengths


def hierarchy(edges: NDArray[np.int64], lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The single-linkage tree of a spanning tree, in the form of :func:`scipy.cluster.hierarchy.linkage`."""
    n = len(edges) + 1
    ends = DisjointSet(range(n))
    name, size = list(range(n)), [1] * n
    tree = np.empty((n - 1, 4))
    for place, edge in enumerate(np.argsort(lengths, kind="stable")):
        a, b = (ends[int(end)] for end in edges[edge])
        total = size[a] + size[b]
        tree[place] = min(name[a], name[b]), max(name[a], name[b]), lengths[edge], total
        ends.merge(a, b)
        root = ends[a]
        name[root], size[root] = n + place, total
    return tree


def _portions(rows: NDArray[np.int64], columns: int) -> Iterator[NDArray[np.int64]]:
    """Slices of rows, so small that a matrix with so many columns fits into memory."""
    step = max(1, 2**22 // max(columns, 1))
    return (rows[begin : begin + step] for begin in range(0, len(rows), step))


def best_height(tree: NDArray[np.float64], target: int, size: int) -> float:
    """The best height to cut a single-linkage tree; of equally good ones the highest, which has the least noise."""
    n = len(tree) + 1
    sizes = np.concatenate([np.ones(n), tree[:, 3]])
    left, right = sizes[tree[:, 0].astype(int)] >= size, sizes[tree[:, 1].astype(int)] >= size
    # A merge joins two clusters, or makes the first cluster of noise.
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
