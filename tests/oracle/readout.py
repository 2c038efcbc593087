"""The read-out of PHIDA+: clusters of fine nodes, by density peaks at several scales (section 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import gamma as gamma_distribution

from phida import _core

from .fine_nodes import FineNodes, Metric

SCALES = (4, 8)  # k: numbers of neighbours that a density is measured over
EDGES = 10  # nearest neighbours that a node has edges to


@dataclass
class Places:
    """Nodes as the read-out takes them."""

    squares: np.ndarray  # (K, K) squared distances between means
    weight: np.ndarray  # (K,) w, in rows
    spread: np.ndarray  # (K,) v: mean squared distance of a node's rows to its mean
    n_features: int


@dataclass
class Reading:
    cluster: np.ndarray  # (K,) output cluster of each node
    mean: np.ndarray  # (K, d)
    metric: Metric

    @property
    def n_clusters(self) -> int:
        """Number of output clusters."""
        return self.cluster.max().item() + 1

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Cluster of the node nearest to each row; ties to the lower index."""
        return np.array([self.cluster[np.argmin(self.metric.squares(x, self.mean))] for x in X])


def places_of(nodes: FineNodes, metric: Metric) -> Places:
    """Nodes in the metric."""
    return Places(
        np.array([metric.squares(x, nodes.mean) for x in nodes.mean]),
        nodes.row_weight,
        np.array([metric.total(s) for s in nodes.scatter]) / nodes.weight,
        nodes.mean.shape[1],
    )


def read(nodes: FineNodes) -> Reading:
    """Clusters of the nodes as they are."""
    metric = nodes.reading_metric()
    places = places_of(nodes, metric)
    clusters = [np.arange(nodes.n_nodes)]
    for k in SCALES:
        clusters = [part for members in clusters for part in split(places, members, k)]
    cluster = np.empty(nodes.n_nodes, dtype=int)
    for label, members in enumerate(sorted(clusters, key=lambda members: members[0])):
        cluster[members] = label
    return Reading(cluster, nodes.mean.copy(), metric)


def split(places: Places, members: np.ndarray, k: int) -> list[np.ndarray]:
    """Parts of one cluster at scale k, each with its nodes in ascending order."""
    if len(members) <= max(2 * k, 3):
        return [members]
    lists = neighbour_lists(places, members, max(2 * k, EDGES))
    dimension = local_dimension(places, lists, k)
    height = {a: node_height(places, lists, a, k, dimension) for a in members.tolist()}
    edges = []
    for a, near in lists.items():
        for b in near[:EDGES]:
            if a < b or a not in lists[b][:EDGES]:
                edges.append((edge_height(places, lists, a, b, k, dimension), a, b))
    threshold = chance(places, members, lists, k)

    # Highest first; sorted() is stable, so equal heights stay as listed.
    tree = {a: a for a in members.tolist()}  # the peak of each node's tree
    for saddle, a, b in sorted(edges, key=lambda edge: -edge[0]):
        if tree[a] == tree[b]:
            continue
        winner, loser = sorted((tree[a], tree[b]), key=lambda peak: (-height[peak], peak))
        if height[loser] - saddle < threshold:
            tree = {node: winner if peak == loser else peak for node, peak in tree.items()}
    peaks = np.array([tree[a] for a in members.tolist()])
    return [members[peaks == peak] for peak in np.unique(peaks)]


def neighbour_lists(places: Places, members: np.ndarray, count: int) -> dict[int, list[int]]:
    """The nearest other members of each member, nearest first, ties to the lower index."""
    lists = {}
    for a in members.tolist():
        others = members[members != a]
        order = np.argsort(places.squares[a, others], kind="stable")
        lists[a] = others[order[:count]].tolist()
    return lists


def local_dimension(places: Places, lists: dict[int, list[int]], k: int) -> float:
    """m: how fast the radius grows with the number of neighbours, from half of k to k."""
    half = k // 2
    growth = 0.0
    for a, near in lists.items():
        growth += 0.5 * _core.log(places.squares[a, near[k - 1]] / places.squares[a, near[half - 1]])
    if growth == 0:
        return float(places.n_features)
    return min(max(_core.log(k / half) / (growth / len(lists)), 1.0), float(places.n_features))


def log_density(mass: float, moment: float, dimension: float) -> float:
    """Height of a place with that many rows around it, and that sum of their squared distances."""
    return _core.log(mass) - dimension / 2 * _core.log(moment / mass)


def node_height(places: Places, lists: dict[int, list[int]], a: int, k: int, dimension: float) -> float:
    """Log density at a node, over its k nearest neighbours and its own other rows."""
    mass = moment = 0.0
    for b in lists[a][:k]:
        mass += places.weight[b]
        moment += places.weight[b] * (places.squares[a, b] + places.spread[b])
    own = places.weight[a] - 1
    return log_density(mass + own, moment + own * places.spread[a], dimension)


def edge_height(places: Places, lists: dict[int, list[int]], a: int, b: int, k: int, dimension: float) -> float:
    """Log density at the middle of an edge, over the k nearest neighbours of both ends and the rows of the ends."""
    between = places.squares[a, b]
    nearby = {
        node: 0.5 * (places.squares[a, node] + places.squares[b, node]) - 0.25 * between
        for node in sorted({*lists[a], *lists[b]} - {a, b})
    }
    mass = moment = 0.0
    for node in sorted(nearby, key=lambda node: (nearby[node], node))[:k]:
        mass += places.weight[node]
        moment += places.weight[node] * (nearby[node] + places.spread[node])
    for end in (a, b):
        own = places.weight[end] - 1
        mass += own
        moment += own * (0.25 * between + places.spread[end])
    return log_density(mass, moment, dimension)


def coarse_dimension(places: Places, members: np.ndarray, k: int) -> float:
    """D: as the local dimension, from the k nearest nodes to half of the cluster's weight."""
    total = places.weight[members].sum()
    inverse = []
    for a in members[:: max(len(members) // 32, 1)]:
        others = members[members != a]
        order = others[np.argsort(places.squares[a, others], kind="stable")]
        mass = np.cumsum(places.weight[order])
        reached = min(int(np.searchsorted(mass, total / 2)), len(order) - 1)
        if total / 2 > mass[k - 1]:
            way = 0.5 * _core.log(places.squares[a, order[reached]] / places.squares[a, order[k - 1]])
            inverse.append(way / _core.log(total / 2 / mass[k - 1]))
    return 1.0 / min(max(float(np.mean(inverse)), 1e-3), 1.0) if inverse else 1.0


def chance(places: Places, members: np.ndarray, lists: dict[int, list[int]], k: int) -> float:
    """The prominence that counts of evenly spread rows would show."""
    average = places.weight[members].mean()
    shape = 1.0 / (1.0 / (k * average) + 0.02 * (1 - 1 / average) / k)
    p = 1.0 / len(members)
    ratio = gamma_distribution.isf(p, shape) / gamma_distribution.ppf(p, shape)
    return coarse_dimension(places, members, k) ** -0.75 * math.log(ratio)
