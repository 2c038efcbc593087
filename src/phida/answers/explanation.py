"""Explanations of why two rows, nodes or clusters are in the same cluster or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from phida.answers.novelty import novelty_scores
from phida.answers.profile import ALIKE, named_features
from phida.records import Floats, Graph, Hierarchy, Persistence


@dataclass(frozen=True)
class Side:
    """One of the two rows, nodes or clusters that are compared."""

    what: str
    """Name: ``node 12``, ``cluster 3``, ``row a`` or ``row b``."""
    node: int
    """Its node: the node itself, the node of the row's cluster nearest to the row, or the strongest of the cluster."""
    component: int
    """PH component of the node, -1 for none."""
    cluster: int
    """Output cluster, -1 for none."""
    cluster_id: int | None
    """Lasting id of the cluster; None without a cluster."""
    margin: float | None = None
    """For a row: distance to the next cluster minus distance to its own."""


@dataclass(frozen=True)
class Difference:
    """How two sides differ in one feature."""

    feature: str
    a: float
    """Value of the first side: of the row or node, or the mean of the cluster."""
    b: float
    """Value of the second side."""
    deviations: float
    """The first minus the second, in standard deviations of all rows learned; 0 for a constant feature."""

    def __str__(self) -> str:
        return f"{self.feature} ({self.deviations:+.1f} sd)"


@dataclass(frozen=True)
class Death:
    """The merge of a mode of support into a denser one."""

    mode: int
    """The node at the mode."""
    into: int
    """The mode that it met."""
    level: float
    """Log support at which they met."""
    persistence: float
    """Height of the mode above that level."""
    absorbed: bool
    """Whether the persistence is at most the threshold, so that both modes are one component."""


@dataclass(frozen=True)
class Explanation:
    """Explanation of why two rows, nodes or clusters are in the same cluster or not. ``str()`` shows it as text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> X = load_iris().data
    >>> explanation = PHIDA().fit(X).explain(X[0], X[149])
    >>> explanation.same_cluster, explanation.same_component
    (False, False)
    >>> print(str(explanation).splitlines()[0])
    row a and row b are in different clusters.
    """

    a: Side
    b: Side
    path: tuple[int, ...]
    """Nodes on the path of highest support between them in the PH graph; empty if there is no path."""
    path_support: float
    """The lowest support on the path; 0 if there is none."""
    deaths: tuple[Death, ...]
    """The modes merged on the way to the common mode of both, or all merged modes if there is none."""
    threshold: float
    """Persistence threshold (ε): modes up to it are absorbed."""
    merge_height: float | None
    """Height at which the hierarchy merges their components; None if it never does, 0.0 within one component."""
    cut: tuple[float, float]
    """Heights of the last merge made (0 if none) and of the first merge not made (inf if all were made)."""
    minimum_count: int
    """Minimum number of clusters, at which merging ends."""
    forbidden: bool
    """Whether the minimum number of clusters rules out their merge."""
    differences: tuple[Difference, ...] = ()
    """How the two sides differ, one entry a feature, the largest difference first."""

    @property
    def same_component(self) -> bool:
        """Return whether both are in one PH component."""
        return self.a.component == self.b.component != -1

    @property
    def same_cluster(self) -> bool:
        """Return whether both are in one output cluster."""
        return self.a.cluster == self.b.cluster != -1

    def sentences(self, name: Callable[[int], str] = "node {}".format, most_deaths: int | None = None) -> list[str]:
        """Describe what joins or separates them.

        Parameters
        ----------
        name : callable
            Function that returns the name of a node, by its position.
        most_deaths : int, optional
            Maximum number of modes to mention; None: all.
        """
        if self.path:
            least = f"the least support is {self.path_support:.6g}"
            length = "1 node" if len(self.path) == 1 else f"{len(self.path)} nodes"
            said = [f"A path of {length} in the PH graph joins them; {least}."]
        else:
            said = ["No path in the PH graph joins them."]
        said = [*_differing(self), *said]
        for death in self.deaths[:most_deaths]:
            fate = "was absorbed" if death.absorbed else "was kept apart"
            said.append(
                f"The mode at {name(death.mode)} stood out by {death.persistence:.3g} when it met that at "
                f"{name(death.into)}, and {fate}: the threshold is {self.threshold:.3g}."
            )
        return [*said, self._merging()]

    def __str__(self) -> str:
        return _text(self)

    def _merging(self) -> str:
        last, first = self.cut
        where = f"after {last:.4g}" if np.isinf(first) else f"between {last:.4g} and {first:.4g}"
        if self.same_component:
            return "They are in one PH component."
        if self.merge_height is None:
            return "The hierarchy never merges their components."
        meet = f"Their components meet at height {self.merge_height:.4g}"
        if self.same_cluster:
            return f"{meet} and are merged: the cut lies {where}."
        if self.forbidden:
            return f"{meet} and stay apart: at least {self.minimum_count} clusters are kept."
        return f"{meet} and stay apart: the cut lies {where}."


@dataclass(frozen=True)
class DensityExplanation:
    """Explanation of why two rows, nodes or clusters share a cluster of PHIDA+ or not. ``str()`` shows it as text.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from phida import PHIDAPlus
    >>> X, y = make_blobs(2000, centers=4, cluster_std=0.5, random_state=3)
    >>> model = PHIDAPlus().fit(X)
    >>> model.explain(X[y == 0][0], X[y == 1][0]).same_cluster
    False
    """

    a: Side
    b: Side
    prominence: float
    """Log density of the lower of their two peaks minus that of the saddle between them, at the merge that brings their
    nodes together. At most 0 within one peak; inf if no neighbouring nodes join them."""
    chance: float
    """The prominence that chance alone would show for that merge."""
    made: bool
    """Whether that merge is made."""
    by_hand: bool
    """Whether the merge is made, or not made, only because the cut was chosen by hand."""
    differences: tuple[Difference, ...] = ()
    """How the two sides differ, one entry a feature, the largest difference first."""

    @property
    def same_cluster(self) -> bool:
        """Return whether both are in one cluster."""
        return self.a.cluster == self.b.cluster != -1

    def sentences(self, name: Callable[[int], str] = "node {}".format, most_deaths: int | None = None) -> list[str]:
        """Describe what joins or separates them; the arguments are those of :meth:`Explanation.sentences`."""
        if self.a.node == self.b.node:
            return []
        said = _differing(self)
        if self.prominence <= 0.0:
            said.append("Between them the density does not fall.")
        elif math.isinf(self.prominence):
            said.append("Between them there are no rows.")
        else:
            falls, chance = _fraction(self.prominence), _fraction(self.chance)
            said.append(f"Between them the density falls to {falls}; chance alone would reach {chance}.")
        if self.by_hand:
            said.append(f"The cut was chosen by hand and {'joins' if self.made else 'separates'} them.")
        return said

    def __str__(self) -> str:
        return _text(self)


def _fraction(log_ratio: float) -> str:
    """Return a density relative to its peak, in words, from the difference of their logarithms."""
    if log_ratio > _DEEP:
        return "almost nothing"
    ratio = math.exp(log_ratio)
    return f"1/{ratio:.1f}" if ratio < 10 else f"1/{ratio:,.0f}"


#: A log ratio above which the density between two peaks is called almost nothing.
_DEEP = math.log(1e6)


@dataclass(frozen=True)
class Pull:
    """How much closer one feature puts a row to its cluster than to the next one."""

    feature: str
    share: float
    """Share of the difference of the squared distances; negative if the feature draws to the next cluster."""
    nearer: float
    """How much nearer the row is to its own cluster in this feature, in standard deviations of all rows learned."""

    def __str__(self) -> str:
        return f"{self.feature} ({self.nearer:.1f} sd nearer)"


@dataclass(frozen=True)
class RowExplanation:
    """Explanation of why a row is in its cluster, and how usual it is. ``str()`` shows it as text.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> flowers = load_iris(as_frame=True).data
    >>> why = PHIDAPlus().fit(flowers).explain(flowers.iloc[0])
    >>> why.cluster, why.next_cluster, why.pulls[0].feature
    (0, 1, 'petal length (cm)')
    """

    cluster: int
    """Label of the row."""
    cluster_id: int
    """Lasting id of its cluster."""
    next_cluster: int | None
    """Label of the second nearest cluster; None if there is one cluster."""
    next_id: int | None
    """Lasting id of that cluster."""
    distance: float
    """Distance to its cluster, as in ``transform``."""
    next_distance: float | None
    """Distance to the second nearest cluster."""
    pulls: tuple[Pull, ...]
    """Effect of each feature on the distances to the nearest node of its cluster and of the next one, the largest
    first."""
    differences: tuple[Difference, ...]
    """Per feature: the row (``a``) and the mean of its cluster (``b``), the largest difference first."""
    score: float
    """Share of the latest rows that fitted worse, as in ``score_samples``."""

    def sentences(self) -> list[str]:
        """Describe why the row is in its cluster."""
        own = _named(self.cluster, self.cluster_id)
        if self.next_cluster is None or self.next_id is None or self.next_distance is None:
            said = [f"The row is in {own}, the only one."]
        else:
            other = _named(self.next_cluster, self.next_id)
            times = self.next_distance / self.distance if self.distance > 0 else math.inf
            far = f"{times:.2g} times as far away" if times < 100 else "much farther away"
            said = [f"The row is in {own}. The next is {other}, {far}."]
            if self.pulls[0].share > 0:
                deciding = [pull for pull in self.pulls[:_FEATURES] if pull.share >= _RELEVANT * self.pulls[0].share]
                said.append(
                    f"It belongs to cluster {self.cluster} rather than {self.next_cluster} mainly by "
                    f"{_listed(map(str, deciding))}."
                )
        if main := _main(self.differences):
            said.append(f"It differs from the mean of cluster {self.cluster} mainly in {_listed(map(str, main))}.")
        worse = f"{100 * self.score:.0f} %" if self.score >= _UNUSUAL else f"only {100 * self.score:.1f} %"
        usual = "usual" if self.score >= _UNUSUAL else "unusual"
        return [*said, f"It is {usual}: {worse} of the latest rows learned fitted worse."]

    def __str__(self) -> str:
        return "\n".join(self.sentences())


#: Rows with a lower score are called unusual.
_UNUSUAL = 0.01

#: Features named in a sentence, and the minimum difference relative to the largest.
_FEATURES, _RELEVANT = 3, 0.5


def _main(differences: Sequence[Difference]) -> list[Difference]:
    """Return the largest differences, which sentences name."""
    if not differences or abs(differences[0].deviations) < ALIKE:
        return []
    least = _RELEVANT * abs(differences[0].deviations)
    return [one for one in differences[:_FEATURES] if abs(one.deviations) >= least]


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _named(cluster: int, id: int) -> str:
    return f"cluster {cluster}" if id == cluster else f"cluster {cluster} (id {id})"


def _differing(explanation: Explanation | DensityExplanation) -> list[str]:
    if not explanation.differences:
        return []
    a, b, main = explanation.a.what, explanation.b.what, _main(explanation.differences)
    if not main:
        return [f"{_capital(a)} and {b} are alike in every feature."]
    return [f"{_capital(a)} differs from {b} mainly in {_listed(map(str, main))}."]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _text(explanation: Explanation | DensityExplanation) -> str:
    a, b = explanation.a, explanation.b
    if a.what == f"cluster {a.cluster}":
        return "\n".join(explanation.sentences()) or f"{a.what} is compared with itself."
    if a.node == b.node:
        verdict = "have the same node"
    elif a.cluster < 0 or b.cluster < 0:
        verdict = "are not both in a cluster"
    else:
        verdict = "are in one cluster" if explanation.same_cluster else "are in different clusters"
    lines = [f"{a.what} and {b.what} {verdict}."]
    for side in (a, b):
        where = "no cluster" if side.cluster_id is None else _named(side.cluster, side.cluster_id)
        lines.append(f"{side.what}: {where}")
    return "\n".join([*lines, *explanation.sentences()])


class Explainer:
    """Explains a model, which must not learn meanwhile."""

    def __init__(self, model: Any) -> None:
        """``model``: the answers of one moment."""
        self._model, self._reading = model, model._reading
        self._nodes, self._view, self._ids = model.nodes_, model.assignment_view_, model.cluster_ids_

    def nodes(self, a: int, b: int) -> Explanation | DensityExplanation:
        """Compare two nodes."""
        at = self._nodes.representatives
        sides = self._side(f"node {a}", a), self._side(f"node {b}", b)
        return self._compared(*sides, at[a], at[b])

    def clusters(self, a: int, b: int) -> Explanation | DensityExplanation:
        """Compare two clusters, given by label: their means, and the structure between their strongest nodes."""
        at = self._reading.cluster_centers()
        side_a, side_b = (self._side(f"cluster {label}", self._strongest(label)) for label in (a, b))
        return self._compared(side_a, side_b, at[a], at[b])

    def nearest_cluster(self, label: int) -> int | None:
        """Return the other cluster whose centre is nearest, in the metric of prediction; None for a single cluster."""
        if self._reading.n_clusters == 1:
            return None
        away = self._distances()[label]
        away[label] = np.inf
        return int(np.argmin(away))

    def closest_clusters(self) -> tuple[int, int] | None:
        """Return the clusters that the first merge beyond the cut would join, or the two nearest centres."""
        if self._reading.n_clusters == 1:
            return None
        found = self._model.hierarchy_
        if found.level < len(found.merge_height):
            a, b = sorted(found.cluster[[found.merge_into[found.level], found.merge_from[found.level]]].tolist())
            return a, b
        away = self._distances()
        np.fill_diagonal(away, np.inf)
        first, second = sorted(int(i) for i in np.unravel_index(np.argmin(away), away.shape))
        return first, second

    def _distances(self) -> Floats:
        """Return squared distances between the centres of the clusters, in the metric of prediction."""
        at = (self._reading.cluster_centers() - self._view.center) / self._view.denominator
        squares = np.square(at).sum(axis=1)
        distances: Floats = squares[:, None] + squares - 2 * at @ at.T
        return distances

    def rows(self, a: Floats, b: Floats) -> Explanation | DensityExplanation:
        """Compare two rows, each given as a matrix of one row."""
        nodes = (self._nearest(row, int(self._reading.assign(row)[0])) for row in (a, b))
        side_a, side_b = (
            self._side(name, node, self._margin(row))
            for name, node, row in zip(("row a", "row b"), nodes, (a, b), strict=True)
        )
        return self._compared(side_a, side_b, a[0], b[0])

    def row(self, row: Floats) -> RowExplanation:
        """Explain the cluster of one row, given as a matrix of one row."""
        label = int(self._reading.assign(row)[0])
        distances = self._reading.scores(row)[0]
        others = np.where(np.arange(len(distances)) == label, np.inf, distances)
        other = int(np.argmin(others)) if len(distances) > 1 else None
        at = self._nodes.representatives
        pulls: tuple[Pull, ...] = ()
        if other is not None:
            far, near = (np.abs(row[0] - at[self._nearest(row, c)]) for c in (other, label))
            pulls = self._pulls(far, near)
        return RowExplanation(
            cluster=label,
            cluster_id=int(self._ids[label]),
            next_cluster=other,
            next_id=None if other is None else int(self._ids[other]),
            distance=float(distances[label]),
            next_distance=None if other is None else float(distances[other]),
            pulls=pulls,
            differences=self._differences(row[0], self._reading.cluster_centers()[label]),
            score=float(novelty_scores(self._reading, row)[0]),
        )

    def _strongest(self, label: int) -> int:
        return int(np.argmax(np.where(self._nodes.cluster == label, self._nodes.support, -1)))

    def _nearest(self, row: Floats, label: int) -> int:
        """Return the node of a cluster that is nearest to a row."""
        inside = np.flatnonzero(self._nodes.cluster == label)
        away = (self._nodes.representatives[inside] - row) / self._view.denominator
        return int(inside[np.argmin(np.square(away).sum(axis=1))])

    def _margin(self, row: Floats) -> float:
        distances = np.sort(self._reading.scores(row)[0])
        return float(distances[1] - distances[0]) if len(distances) > 1 else math.inf

    def _side(self, what: str, node: int, margin: float | None = None) -> Side:
        cluster = int(self._nodes.cluster[node])
        id = int(self._ids[cluster]) if cluster >= 0 else None
        return Side(what, node, int(self._nodes.component[node]), cluster, id, margin)

    def _deviations(self, values: Floats) -> Floats:
        """Return values per feature in standard deviations of all rows; 0 for a constant feature."""
        deviation = self._model.moments_.deviation
        away: Floats = np.divide(values, deviation, out=np.zeros(len(values)), where=deviation > 0)
        return away

    def _differences(self, a: Floats, b: Floats) -> tuple[Difference, ...]:
        away, names = self._deviations(a - b), named_features(self._nodes.feature_names, len(a))
        order = np.argsort(-np.abs(away), kind="stable").tolist()
        return tuple(Difference(names[j], float(a[j]), float(b[j]), float(away[j])) for j in order)

    def _pulls(self, far: Floats, near: Floats) -> tuple[Pull, ...]:
        """Return pulls from the distances to the next and to the own cluster, per feature."""
        pull = np.square(far / self._view.denominator) - np.square(near / self._view.denominator)
        total, nearer = float(pull.sum()), self._deviations(far - near)
        share = pull / total if total > 0 else np.zeros(len(pull))
        names = named_features(self._nodes.feature_names, len(pull))
        order = np.argsort(-share, kind="stable").tolist()
        return tuple(Pull(names[j], float(share[j]), float(nearer[j])) for j in order)

    def _compared(self, a: Side, b: Side, at_a: Floats, at_b: Floats) -> Explanation | DensityExplanation:
        whole = self._model._snapshot().whole
        merges = Hierarchy(**whole.at_level(len(whole.merge_heights())).hierarchy())  # also those above the cut
        of = self._by_density if merges.merge_chance is not None else self._by_components
        return of(a, b, merges, self._differences(at_a, at_b))

    def _by_components(self, a: Side, b: Side, merges: Hierarchy, differences: tuple[Difference, ...]) -> Explanation:
        persistence, heights, level = self._model.persistence_, merges.merge_height, self._model.hierarchy_.level
        merge = _merge(merges, a.component, b.component)
        path = _widest_path(self._model.graph_, self._nodes.support, a.node, b.node)
        upper = float(heights[level]) if level < len(heights) else np.inf
        return Explanation(
            a=a,
            b=b,
            path=path,
            path_support=float(min((self._nodes.support[node] for node in path), default=0)),
            deaths=tuple(_deaths(persistence, a.node, b.node)),
            threshold=_threshold(persistence),
            merge_height=None if merge is None else 0.0 if merge < 0 else float(heights[merge]),
            cut=(float(heights[level - 1]) if level else 0.0, upper),
            minimum_count=merges.minimum_count,
            forbidden=merge is not None and merge >= len(merges.mode) - merges.minimum_count,
            differences=differences,
        )

    def _by_density(
        self, a: Side, b: Side, merges: Hierarchy, differences: tuple[Difference, ...]
    ) -> DensityExplanation:
        merge = _merge(merges, int(merges.leaf[a.node]), int(merges.leaf[b.node]))
        assert merge is not None and merges.merge_prominence is not None and merges.merge_chance is not None
        made = a.cluster == b.cluster
        if merge < 0:
            return DensityExplanation(a, b, 0.0, 0.0, made=True, by_hand=False, differences=differences)
        height = float(merges.merge_height[merge])
        return DensityExplanation(
            a=a,
            b=b,
            prominence=float(merges.merge_prominence[merge]) if math.isfinite(height) else math.inf,
            chance=float(merges.merge_chance[merge]),
            made=made,
            by_hand=made != (height < 1.0),
            differences=differences,
        )


def _widest_path(graph: Graph, support: np.ndarray, start: int, end: int) -> tuple[int, ...]:
    """Return the path with the highest minimum support; ties go to fewer nodes, then to lower ones."""
    neighbours: dict[int, list[int]] = {}
    for source, target in zip(graph.source.tolist(), graph.target.tolist(), strict=True):
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    queue = [(-float(support[start]), 1, start, -1)]
    came_from: dict[int, int] = {}
    while queue:
        lowest, length, node, before = heappop(queue)
        if node in came_from:
            continue
        came_from[node] = before
        if node == end:
            return tuple(_back(came_from, end))[::-1]
        for other in neighbours.get(node, ()):
            if other not in came_from:
                heappush(queue, (max(lowest, -float(support[other])), length + 1, other, node))
    return ()


def _back(came_from: dict[int, int], node: int) -> Iterator[int]:
    while node != -1:
        yield node
        node = came_from[node]


def _deaths(persistence: Persistence, a: int, b: int) -> Iterator[Death]:
    """Yield the modes that merged on the paths from a and b to their first common mode."""
    row_of = {node: i for i, node in enumerate(persistence.node.tolist())}
    base = dict(zip(persistence.input_nodes.tolist(), persistence.base.tolist(), strict=True))

    def upwards(node: int) -> Iterator[int]:
        mode = base.get(node, -1)
        while mode != -1:
            yield mode
            mode = int(persistence.partner[row_of[mode]])

    up_from_b = list(upwards(b))
    common = next((mode for mode in upwards(a) if mode in up_from_b), None)
    for side in (upwards(a), iter(up_from_b)):
        for mode in side:
            i = row_of[mode]
            if mode == common or persistence.partner[i] == -1:
                break
            lasted = float(persistence.persistence[i])
            level, into = float(persistence.death[i]), int(persistence.partner[i])
            yield Death(mode, into, level, lasted, lasted <= _threshold(persistence))


def _threshold(persistence: Persistence) -> float:
    """Return the threshold of PHIDA, equal for all modes."""
    assert isinstance(persistence.threshold, float)
    return persistence.threshold


def _merge(hierarchy: Hierarchy, a: int, b: int) -> int | None:
    """Return the number of the merge that joins two components; -1 if they are equal, None if there is none."""
    if a < 0 or b < 0:
        return None
    if a == b:
        return -1
    group = np.arange(len(hierarchy.mode))
    for number, (into, other) in enumerate(zip(hierarchy.merge_into, hierarchy.merge_from, strict=True)):
        group[group == other] = into
        if group[a] == group[b]:
            return number
    return None
