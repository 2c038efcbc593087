"""The read-out of PHIDA+: clusters of fine nodes, by density peaks at several scales (section 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phida import _core

from .fine_nodes import FineNodes, Metric

SCALES = (1, 2, 4, 8, 16, 32)  # k: numbers of neighbours that a density is measured over
EDGES = 10  # nearest neighbours that a node has edges to
FEWEST = 48  # nodes that dimensions are measured with
SAFETY = 0.85
OWN_SCATTER = 0.13


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
    clusters: list[tuple[np.ndarray, Dimensions | None]] = [(np.arange(nodes.n_nodes), None)]
    for k in SCALES:
        clusters = [part for members, parent in clusters for part in split(places, members, k, parent)]
    cluster = np.empty(nodes.n_nodes, dtype=int)
    for label, (members, _) in enumerate(sorted(clusters, key=lambda part: part[0][0])):
        cluster[members] = label
    return Reading(cluster, nodes.mean.copy(), metric)


def split(
    places: Places, members: np.ndarray, k: int, parent: Dimensions | None
) -> list[tuple[np.ndarray, Dimensions | None]]:
    """Parts of one cluster at scale k, each with its nodes in ascending order."""
    if len(members) <= max(2 * k, 3):
        return [(members, parent)]
    scale = Scale(places, members, k, parent)
    peak = {a: scale.at_node(a) for a in members.tolist()}
    edges = [(scale.at_edge(a, b), a, b) for a, b in scale.edges()]

    # Highest first; sorted() is stable, so equal heights stay as listed.
    tree = {a: a for a in members.tolist()}  # the peak of each node's tree
    for saddle, a, b in sorted(edges, key=lambda edge: -edge[0].height):
        if tree[a] == tree[b]:
            continue
        winner, loser = sorted((tree[a], tree[b]), key=lambda node: (-peak[node].height, node))
        if peak[loser].height - saddle.height < scale.chance(peak[loser], saddle):
            tree = {node: winner if top == loser else top for node, top in tree.items()}
    peaks = np.array([tree[a] for a in members.tolist()])
    return [(members[peaks == top], scale.dimensions) for top in np.unique(peaks)]


@dataclass
class Dimensions:
    local: float  # m: how fast the number of rows grows with the radius
    inverse_coarse: float  # 1/D: the same over long distances, inverse


@dataclass
class Density:
    """Density at a place, from the rows around it."""

    height: float  # logarithm of the density
    mass: float  # M: number of rows it was measured with


class Scale:
    """Densities of one cluster, each over about k neighbours in the cluster."""

    def __init__(self, places: Places, members: np.ndarray, k: int, parent: Dimensions | None) -> None:
        self.places, self.members, self.k = places, members, k
        self.mean_weight = places.weight[members].sum() / len(members)
        self.lists = neighbour_lists(places, members, max(2 * k, EDGES))
        if parent and len(members) < FEWEST:
            self.dimensions = parent
        else:
            self.dimensions = Dimensions(self._local_dimension(), self._inverse_coarse_dimension())

    def edges(self) -> list[tuple[int, int]]:
        """Pairs of a node and one of its nearest, each pair once, in the order of the lists."""
        pairs = []
        for a, near in self.lists.items():
            pairs += [(a, b) for b in near[:EDGES] if a < b or a not in self.lists[b][:EDGES]]
        return pairs

    def at_node(self, a: int) -> Density:
        """Density at a node, from its neighbourhood and its own other rows."""
        squares = {b: self.places.squares[a, b].item() for b in self.lists[a]}
        return self._density(squares, {a: 0.0})

    def at_edge(self, a: int, b: int) -> Density:
        """Density at the middle of an edge, from its neighbourhood and the other rows of both ends."""
        between = self.places.squares[a, b].item()
        candidates = sorted({*self.lists[a], *self.lists[b]} - {a, b})
        squares = {c: middle_square(self.places, a, b, c) for c in candidates}
        return self._density(squares, {a: 0.25 * between, b: 0.25 * between})

    def chance(self, peak: Density, saddle: Density) -> float:
        """Prominence that counts of evenly spread rows would show."""
        noise = 1 / math.sqrt(peak.mass - 0.5) + 1 / math.sqrt(saddle.mass - 0.5)
        noise *= math.sqrt(2 * _core.log(len(self.members)) * self.dimensions.inverse_coarse)
        own = OWN_SCATTER * self.dimensions.local / self.k * max(1 - self.k / peak.mass, 0.0)
        return SAFETY * (noise + own)

    def _density(self, squares: dict[int, float], ends: dict[int, float]) -> Density:
        """Density from the nearest nodes, ties to the lower index, and all but one row of each end."""
        weight, spread = self.places.weight, self.places.spread
        mass = moment = 0.0
        for count, b in enumerate(sorted(squares, key=lambda b: (squares[b], b))):
            if count >= self.k and mass >= self.k * self.mean_weight:
                break
            mass += weight[b]
            moment += weight[b] * (squares[b] + spread[b])
        for end, square in ends.items():
            mass += weight[end] - 1
            moment += (weight[end] - 1) * (square + spread[end])
        height = _core.log(mass) - self.dimensions.local / 2 * _core.log(moment / mass)
        return Density(height, mass)

    def _local_dimension(self) -> float:
        """Half of the k neighbours are within a radius that is 2^(1/m) times smaller, in the median."""
        far, near = (self.k, self.k // 2) if self.k > 1 else (2, 1)
        growth = []
        for a, neighbours in self.lists.items():
            squares = self.places.squares[a, neighbours]
            growth.append(0.5 * _core.log(squares[far - 1] / squares[near - 1]))
        median = np.median(growth).item()
        most = float(self.places.n_features)
        return min(max(_core.log(2.0) / median, 1.0), most) if median > 0 else most

    def _inverse_coarse_dimension(self) -> float:
        """As the local dimension, over the upper half of the way from k nodes to half of the cluster's weight."""
        places, members = self.places, self.members
        half = places.weight[members].sum() / 2
        inverse = []
        for a in members[:: max(len(members) // 32, 1)]:
            others = members[members != a]
            order = others[np.argsort(places.squares[a, others], kind="stable")]
            mass = np.cumsum(places.weight[order])
            middle = int(np.searchsorted(mass, math.sqrt(mass[self.k - 1] * half)))
            reached = min(int(np.searchsorted(mass, half)), len(order) - 1)
            if middle < reached:
                way = 0.5 * _core.log(places.squares[a, order[reached]] / places.squares[a, order[middle]])
                inverse.append(way / _core.log(mass[reached] / mass[middle]))
        return min(max(sum(inverse) / len(inverse), 0.0), 1.0) if inverse else 1.0


def neighbour_lists(places: Places, members: np.ndarray, count: int) -> dict[int, list[int]]:
    """The nearest other members of each member, nearest first, ties to the lower index."""
    lists = {}
    for a in members.tolist():
        others = members[members != a]
        order = np.argsort(places.squares[a, others], kind="stable")
        lists[a] = others[order[:count]].tolist()
    return lists


def middle_square(places: Places, a: int, b: int, c: int) -> float:
    """Squared distance of node c to the middle of nodes a and b."""
    squares = places.squares
    return (0.5 * (squares[a, c] + squares[b, c]) - 0.25 * squares[a, b]).item()
