"""Explanations of why two rows, nodes or clusters are in the same cluster or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from phida.records import Graph, Hierarchy, Nodes, Persistence


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
    """The lowest support on the path; 0 where there is none."""
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

    @property
    def same_component(self) -> bool:
        """Whether both are in one PH component."""
        return self.a.component == self.b.component != -1

    @property
    def same_cluster(self) -> bool:
        """Whether both are in one output cluster."""
        return self.a.cluster == self.b.cluster != -1

    def sentences(self, name: Callable[[int], str] = "node {}".format, most_deaths: int | None = None) -> list[str]:
        """Describe what joins or separates them.

        Parameters
        ----------
        name : callable
            Function that returns the name of a node, by its position.
        most_deaths : int, optional
            Maximum number of modes to mention; None: all.

        Returns
        -------
        sentences : list of str
        """
        if self.path:
            least = f"the least support is {self.path_support:.6g}"
            length = "1 node" if len(self.path) == 1 else f"{len(self.path)} nodes"
            said = [f"A path of {length} in the PH graph joins them; {least}."]
        else:
            said = ["No path in the PH graph joins them."]
        for death in self.deaths[:most_deaths]:
            fate = "was absorbed" if death.absorbed else "was kept apart"
            said.append(
                f"The mode at {name(death.mode)} stood out by {death.persistence:.3g} when it met that at "
                f"{name(death.into)}, and {fate}: the threshold is {self.threshold:.3g}."
            )
        return [*said, self._merging()]

    def __str__(self) -> str:
        return _text(self, lambda side: f"node {side.node}, component {side.component}")

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

    @property
    def same_cluster(self) -> bool:
        """Whether both are in one cluster."""
        return self.a.cluster == self.b.cluster != -1

    def sentences(self, name: Callable[[int], str] = "node {}".format, most_deaths: int | None = None) -> list[str]:
        """Describe what joins or separates them.

        Parameters
        ----------
        name, most_deaths : ignored

        Returns
        -------
        sentences : list of str
        """
        if self.a.node == self.b.node:
            return []
        if self.prominence <= 0.0:
            said = ["They are in one peak."]
        elif math.isinf(self.prominence):
            said = ["No path over neighbouring nodes joins them."]
        else:
            falls, chance = _fraction(self.prominence), _fraction(self.chance)
            said = [f"Between them the density falls to {falls}; chance alone would reach {chance}."]
        if self.by_hand:
            said.append(f"The cut was chosen by hand and {'joins' if self.made else 'separates'} them.")
        return said

    def __str__(self) -> str:
        return _text(self, lambda side: f"node {side.node}")


def _fraction(log_ratio: float) -> str:
    """A density relative to its peak, from the difference of their logarithms."""
    if log_ratio > _DEEP:
        return "almost nothing"
    ratio = math.exp(log_ratio)
    return f"1/{ratio:.1f}" if ratio < 10 else f"1/{ratio:,.0f}"


#: A log ratio above which the density between two peaks is called almost nothing.
_DEEP = math.log(1e6)


def _text(explanation: Explanation | DensityExplanation, place: Callable[[Side], str]) -> str:
    a, b = explanation.a, explanation.b
    if a.node == b.node:
        verdict = "have the same node"
    elif a.cluster < 0 or b.cluster < 0:
        verdict = "are not both in a cluster"
    else:
        verdict = "are in one cluster" if explanation.same_cluster else "are in different clusters"
    lines = [f"{a.what} and {b.what} {verdict}."]
    for side in (a, b):
        where = "no cluster" if side.cluster < 0 else f"cluster {side.cluster} (id {side.cluster_id})"
        margin = "" if side.margin is None else f", margin to the next cluster {side.margin:.4g}"
        lines.append(f"{side.what}: {place(side)}, {where}{margin}")
    return "\n  ".join([*lines, *explanation.sentences()])


def explain(
    a: Side, b: Side, *, nodes: Nodes, graph: Graph, persistence: Persistence, hierarchy: Hierarchy, level: int
) -> Explanation:
    """Compare two sides; ``hierarchy`` holds all merges, of which the cut makes the first ``level``."""
    heights = hierarchy.merge_height
    merge = _merge(hierarchy, a.component, b.component)
    path = _widest_path(graph, nodes.support, a.node, b.node)
    return Explanation(
        a=a,
        b=b,
        path=path,
        path_support=float(min((nodes.support[node] for node in path), default=0)),
        deaths=tuple(_deaths(persistence, a.node, b.node)),
        threshold=_threshold(persistence),
        merge_height=None if merge is None else 0.0 if merge < 0 else float(heights[merge]),
        cut=(float(heights[level - 1]) if level else 0.0, float(heights[level]) if level < len(heights) else np.inf),
        minimum_count=hierarchy.minimum_count,
        forbidden=merge is not None and merge >= len(hierarchy.mode) - hierarchy.minimum_count,
    )


def explain_by_density(a: Side, b: Side, *, hierarchy: Hierarchy, level: int) -> DensityExplanation:
    """Compare two sides of PHIDA+; ``hierarchy`` holds all merges, of which the cut makes the first ``level``."""
    merge = _merge(hierarchy, int(hierarchy.leaf[a.node]), int(hierarchy.leaf[b.node]))
    assert merge is not None and hierarchy.merge_prominence is not None and hierarchy.merge_chance is not None
    if merge < 0:
        return DensityExplanation(a, b, 0.0, 0.0, made=True, by_hand=False)
    made, height = merge < level, float(hierarchy.merge_height[merge])
    return DensityExplanation(
        a=a,
        b=b,
        prominence=float(hierarchy.merge_prominence[merge]) if math.isfinite(height) else math.inf,
        chance=float(hierarchy.merge_chance[merge]),
        made=made,
        by_hand=made != (height < 1.0),
    )


def _widest_path(graph: Graph, support: np.ndarray, start: int, end: int) -> tuple[int, ...]:
    """The path whose lowest support is highest; of equals, the one with fewer nodes, then the lower ones."""
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
    """Modes that died on both ways up to the first mode that is on both."""
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
    """The threshold of PHIDA, which is one for all modes."""
    assert isinstance(persistence.threshold, float)
    return persistence.threshold


def _merge(hierarchy: Hierarchy, a: int, b: int) -> int | None:
    """The number of the merge that brings two components together; -1 if they are one, None if none does."""
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
