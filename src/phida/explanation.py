"""Why two things are in one cluster, or are not: read off the records of one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from phida.views import Graph, Hierarchy, Nodes, Persistence


@dataclass(frozen=True)
class Side:
    """One of the two things that are compared, and where it stands."""

    what: str
    """In words: ``node 12``, ``cluster 3``, ``row a`` or ``row b``."""
    node: int
    """Its node: itself, the nearest one of the row's cluster, or the strongest one of the cluster."""
    component: int
    """PH component of the node, -1 for none."""
    cluster: int
    """Output cluster, -1 for none."""
    cluster_id: int | None
    margin: float | None = None
    """Of a row: by how much the next cluster is further away than its own."""


@dataclass(frozen=True)
class Death:
    """A mode of support that met a denser one."""

    mode: int
    """The node at the mode."""
    into: int
    """The mode that it met."""
    level: float
    """Log support at which they met."""
    persistence: float
    """How far the mode stood out above that."""
    absorbed: bool
    """It stood out no more than the threshold, so that both are one component."""


@dataclass(frozen=True)
class Explanation:
    """Why two things are in one cluster, or are not. ``str()`` tells it in a few lines."""

    a: Side
    b: Side
    path: tuple[int, ...]
    """Nodes from one to the other in the PH graph, by way of the highest support; empty if there is no way."""
    path_support: float
    """The lowest support on the path; 0 where there is none."""
    deaths: tuple[Death, ...]
    """The modes that died on the way to the mode that both have in common, or all that did if they have none."""
    threshold: float
    """Modes that stand out no more than this are absorbed (ε)."""
    merge_height: float | None
    """Height at which the hierarchy unites their components; None if it never does, 0.0 within one component."""
    cut: tuple[float, float]
    """Heights of the last merge that was made (0 if none was) and of the first that was not (inf if all were)."""
    minimum_count: int
    """The least number of clusters, at which merging ends whatever it costs."""
    forbidden: bool
    """Their merge comes after that, so that it was never up for choice."""

    @property
    def same_component(self) -> bool:
        """Whether both are in one PH component."""
        return self.a.component == self.b.component != -1

    @property
    def same_cluster(self) -> bool:
        """Whether both are in one output cluster."""
        return self.a.cluster == self.b.cluster != -1

    @property
    def _verdict(self) -> str:
        if self.a.node == self.b.node:
            return "have the same node"
        if self.a.cluster < 0 or self.b.cluster < 0:
            return "are not both in a cluster"
        return "are in one cluster" if self.same_cluster else "are in different clusters"

    def sentences(self, name: Callable[[int], str] = "node {}".format, most_deaths: int | None = None) -> list[str]:
        """What joins or separates them, in sentences.

        Parameters
        ----------
        name : callable
            The name of a node, by its position.
        most_deaths : int, optional
            How many modes to speak of; all of them if None.

        Returns
        -------
        sentences : list of str
        """
        if self.path:
            least = f"the least support is {self.path_support:.6g}"
            said = [f"A path of {len(self.path)} nodes in the PH graph joins them; {least}."]
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
        sides = []
        for side in (self.a, self.b):
            where = "no cluster" if side.cluster < 0 else f"cluster {side.cluster} (id {side.cluster_id})"
            margin = "" if side.margin is None else f", margin to the next cluster {side.margin:.4g}"
            sides.append(f"{side.what}: node {side.node}, component {side.component}, {where}{margin}")
        lines = [f"{self.a.what} and {self.b.what} {self._verdict}.", *sides, *self.sentences()]
        return "\n  ".join(lines)

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
        threshold=persistence.threshold,
        merge_height=None if merge is None else 0.0 if merge < 0 else float(heights[merge]),
        cut=(float(heights[level - 1]) if level else 0.0, float(heights[level]) if level < len(heights) else np.inf),
        minimum_count=hierarchy.minimum_count,
        forbidden=merge is not None and merge >= len(hierarchy.mode) - hierarchy.minimum_count,
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
            yield Death(mode, into, level, lasted, lasted <= persistence.threshold)


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
