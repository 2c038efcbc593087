"""The read-out of PHIDA+: clusters of fine nodes by density peaks at several scales (section 13)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from phida import _core

from .distance import sum_in_order
from .fine_nodes import FineNodes, Metric

SCALES = (1, 2, 4, 8, 16, 32)  # k: minimum number of neighbours for a density
EDGES = 10  # nearest neighbours that share an edge with a node
FACTOR = 0.92
POWER = 0.55  # exponent of the coarse dimension
UNEVEN = 0.15  # chance adds it per neighbour and dimension, since nodes are spread unevenly
LEAST = 0.35  # least chance per dimension, over the root of k: more rows do not make nodes lie more evenly
MOST_LOCAL = 4.0  # dimensions that count for it
FEW = 100  # smaller sets keep the dimensions of the set they were cut from
PLACE = 100.0  # rows at one place that make it a cluster
LATTICE = 1e-9  # relative difference below which squared distances count as equal
LEAST_SQUARE = 1e-300  # keeps logarithms finite


@dataclass
class Nodes:
    """Nodes as input of the read-out."""

    squares: np.ndarray  # (K, K) d^2 between means, in the metric
    weight: np.ndarray  # (K,) w, in rows
    spread: np.ndarray  # (K,) v: mean squared distance of a node's rows to its mean, in the metric
    n_features: int

    @property
    def own(self) -> np.ndarray:
        """Return the rows of a node without the one that represents the place itself."""
        return np.maximum(self.weight - 1, 0.0)


@dataclass
class Dimensions:
    local: float  # m, within the neighbourhoods of nodes
    inverse_coarse: float  # 1/D, across the cluster


@dataclass
class Cluster:
    members: np.ndarray  # node indices, ascending
    parent: Dimensions | None = None  # of the cluster it was cut from; None for the first


@dataclass
class Density:
    height: float  # logarithm of the density
    mass: float  # M: rows that the density was measured with


@dataclass
class Meeting:
    """An edge at which two trees met and stayed separate."""

    a: int
    b: int
    k: int
    prominence: float  # lower peak minus edge
    chance: float  # tau

    @property
    def ratio(self) -> float:
        """Return the prominence in units of chance."""
        return self.prominence / self.chance if self.chance > 0 else math.inf


@dataclass
class Reading:
    cluster: np.ndarray  # (K,) output cluster of each node
    mean: np.ndarray  # (K, d)
    metric: Metric
    boundaries: list[Meeting] = field(default_factory=list)  # merges that would unite the parts of each split

    @property
    def n_clusters(self) -> int:
        """Number of output clusters."""
        return self.cluster.max().item() + 1

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the cluster of the nearest node for each row; ties to the lower index."""
        return np.array([self.cluster[np.argmin(self.metric.squares(x, self.mean))] for x in X])


def read(learner: FineNodes) -> Reading:
    """Return the clusters of a learner's nodes. Faded nodes join the nearest unfaded node; ties to the lower index."""
    everything, unfaded = learner, np.flatnonzero(learner.unfaded())
    learner = learner.to_read()
    nodes = nodes_in_metric(learner)
    places = [i for i in range(learner.n_nodes) if is_place(nodes, i)]
    others = np.setdiff1d(np.arange(learner.n_nodes), places)
    clusters = [Cluster(others)] if len(others) else []
    boundaries: list[Meeting] = []
    for k in SCALES:
        parts = []
        for cluster in clusters:
            if len(cluster.members) > max(2 * k, 3):
                split = Split(nodes, cluster, k)
                parts += split.parts()
                boundaries += split.boundaries()
            else:
                parts.append(cluster)
        clusters = parts

    part = np.empty(learner.n_nodes, dtype=int)
    for number, members in enumerate([cluster.members for cluster in clusters] + [[place] for place in places]):
        part[members] = number
    part = np.array([part[np.argmin(learner.metric.squares(mean, learner.mean))] for mean in everything.mean])
    _, first, part = np.unique(part, return_index=True, return_inverse=True)
    label = np.argsort(np.argsort(first))[part]  # numbered by their lowest node
    for boundary in boundaries:
        boundary.a, boundary.b = unfaded[boundary.a], unfaded[boundary.b]
    return Reading(label, everything.mean, learner.metric, boundaries)


def nodes_in_metric(learner: FineNodes) -> Nodes:
    """Return the nodes in the metric."""
    z = learner.mean * learner.metric.inverse
    squares = np.array([sum_in_order((row - z) ** 2) for row in z])
    scatter = np.array([learner.metric.total(row) for row in learner.scatter])
    return Nodes(squares, learner.row_weight, scatter / learner.weight, learner.mean.shape[1])


def is_place(nodes: Nodes, a: int) -> bool:
    """Return whether a node holds many equal rows and its two nearest nodes differ in distance (no lattice)."""
    if nodes.spread[a] > 0 or nodes.weight[a] < PLACE:
        return False
    squares = np.sort(np.delete(nodes.squares[a], a))
    return len(squares) < 2 or squares[1] > squares[0] * (1 + LATTICE)


class Split:
    """Parts of one cluster at scale k; positions index the cluster's members."""

    def __init__(self, nodes: Nodes, cluster: Cluster, k: int) -> None:
        self.members, self.k = cluster.members, k
        self.n_all = len(nodes.weight)  # K
        self.n_features = nodes.n_features
        self.squares = nodes.squares[np.ix_(self.members, self.members)]
        self.weight = nodes.weight[self.members]
        self.spread = nodes.spread[self.members]
        self.own = nodes.own[self.members]
        self.n = len(self.members)
        self.total = sum_in_order(self.weight[None]).item()  # W
        # All other nodes by distance from each node; ties to the lower index.
        self.order = [self._by_distance(a) for a in range(self.n)]
        self.lists = [order[: max(2 * k, EDGES)] for order in self.order]
        if cluster.parent is None or self.n >= FEW:
            self.dimensions = Dimensions(self._local_dimension(), self._inverse_coarse_dimension())
        else:
            self.dimensions = cluster.parent
        self.peak = [self.at_node(a) for a in range(self.n)]
        self.root = np.arange(self.n)  # the peak of each node's tree
        self.apart: list[Meeting] = []
        self._join()

    def parts(self) -> list[Cluster]:
        """Return the trees, by their lowest node."""
        roots = list(dict.fromkeys(self.root.tolist()))
        return [Cluster(self.members[self.root == root], self.dimensions) for root in roots]

    def boundaries(self) -> list[Meeting]:
        """Return the least prominent meetings that would unite all parts that met."""
        part = dict(zip(self.members.tolist(), self.root.tolist()))
        found = []
        for meeting in sorted(self.apart, key=lambda meeting: meeting.ratio):
            one, other = part[meeting.a], part[meeting.b]
            if one != other:
                found.append(meeting)
                part = {node: one if tree == other else tree for node, tree in part.items()}
        return found

    def edges(self) -> list[tuple[int, int]]:
        """Return pairs a < b in which one is among the nearest of the other."""
        return sorted({(min(a, b), max(a, b)) for a in range(self.n) for b in self.lists[a][:EDGES].tolist()})

    def at_node(self, a: int) -> Density:
        """Return the density at a node."""
        near = self.lists[a]
        return self._density(self.own[a], self.own[a] * self.spread[a], near, self.squares[a, near], self.k, 0.0)

    def at_middle(self, a: int, b: int) -> Density:
        """Return the density at the middle of an edge."""
        quarter = 0.25 * self.squares[a, b]
        near = np.setdiff1d(np.concatenate([self.lists[a], self.lists[b]]), [a, b])
        squares = np.maximum(0.5 * (self.squares[a, near] + self.squares[b, near]) - quarter, 0.0)
        order = np.argsort(squares, kind="stable")
        moment = self.own[a] * (quarter + self.spread[a]) + self.own[b] * (quarter + self.spread[b])
        own = self.own[a] + self.own[b]
        return self._density(own, moment, near[order], squares[order], self.k - 1, own)

    def chance(self, peak: Density, edge: Density) -> float:
        """Return the prominence expected by chance (tau)."""
        coarse = self.dimensions.inverse_coarse
        narrow = _core.exp(POWER * _core.log(coarse)) if coarse > 0 else 0.0
        largest = math.sqrt(2 * _core.log(max(self.n_all, 4)))
        noise = largest * (count_noise(peak.mass) + count_noise(edge.mass))
        uneven = UNEVEN * (self.dimensions.local / self.k) * max(1 - self.k / peak.mass, 0.0)
        least = LEAST * min(self.dimensions.local, MOST_LOCAL) / math.sqrt(self.k)
        return FACTOR * narrow * max(noise + uneven, least)

    def _join(self) -> None:
        edges = [(self.at_middle(a, b), a, b) for a, b in self.edges()]
        # Highest first; sorted() is stable, so equal heights keep the order of their ends.
        for edge, a, b in sorted(edges, key=lambda edge: -edge[0].height):
            if self.root[a] == self.root[b]:
                continue
            # Among equal peaks, the lower index counts as the higher one.
            higher, lower = sorted((self.root[a], self.root[b]), key=lambda top: (-self.peak[top].height, top))
            prominence = self.peak[lower].height - edge.height
            chance = self.chance(self.peak[lower], edge)
            if prominence < chance:
                self.root[self.root == lower] = higher
            else:
                ends = self.members[[a, b]].tolist()
                self.apart.append(Meeting(*ends, self.k, prominence, chance))

    def _by_distance(self, a: int) -> np.ndarray:
        order = np.argsort(self.squares[a], kind="stable")
        return order[order != a]

    def _density(
        self, mass: float, moment: float, near: np.ndarray, squares: np.ndarray, least: int, rows: float
    ) -> Density:
        """Return the density from own rows and neighbours: at least `least`, and with `rows` as many rows as k average
        nodes."""
        enough = self.k * (self.total / self.n)
        for t, (b, square) in enumerate(zip(near.tolist(), squares.tolist())):
            if t >= least and rows >= enough:
                break
            weight = self.weight[b].item()
            rows += weight
            mass += weight
            moment += weight * (square + self.spread[b].item())
        height = _core.log(mass) - self.dimensions.local / 2 * _core.log(moment / mass + LEAST_SQUARE)
        return Density(height, mass)

    def _local_dimension(self) -> float:
        """Return m from the median growth of the radius between half of the neighbours and all of them."""
        half = max(self.k // 2, 1)
        growth = []
        for a, near in enumerate(self.lists):
            inner, outer = self.squares[a, near[half - 1]], self.squares[a, near[2 * half - 1]]
            if inner > 0:
                growth.append(0.5 * _core.log(outer / inner))
        if not growth:
            return 1.0
        median = sorted(growth)[len(growth) // 2]
        most = float(self.n_features)
        return min(max(_core.log(2.0) / median, 1.0), most) if median > 0 else most

    def _inverse_coarse_dimension(self) -> float:
        """Return 1/D from the growth of the radius up to half of the weight, from its geometric mean with k nodes."""
        half = self.total / 2
        terms = []
        for a in range(0, self.n, max(1, self.n // 32)):
            order = np.concatenate([[a], self.order[a]])
            mass = np.cumsum(self.weight[order])
            near = mass[self.k].item()
            if half <= near:
                continue
            middle = math.sqrt(near * half)
            at_inner, at_outer = (order[np.argmax(mass >= rows)] for rows in (middle, half))
            inner, outer = self.squares[a, at_inner], self.squares[a, at_outer]
            if at_inner != at_outer and inner > 0 and outer > 0:
                terms.append(0.5 * _core.log(outer / inner) / _core.log(half / middle))
        return min(max(sum(terms) / len(terms), 0.0), 1.0) if terms else 1.0


def count_noise(mass: float) -> float:
    """Return the standard deviation of the logarithm of a count."""
    return 1 / math.sqrt(max(mass - 0.5, 0.5))
