"""Why two things are in one cluster, or are not: read off the records of one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from phida.records import CoWins, Graph, Hierarchy, Nodes, Persistence


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
    """Id that the cluster keeps; None without a cluster."""
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
class Shared:
    """The samples that two groups of nodes won together, beside those that chance would give them."""

    samples: float
    """Samples of which a node of one was the winner and a node of the other its runner-up."""
    chance: float
    """As many as groups that win so often would share if runners-up were drawn at random."""
    n_nodes: tuple[int, int]
    """How many nodes the groups have."""


@dataclass(frozen=True)
class Explanation:
    """Why two things are in one cluster, or are not. ``str()`` tells it in a few lines.

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
    """Nodes from one to the other in the PH graph, by way of the highest support; empty if there is no way, or if nodes
    are mapped by co-activation."""
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
    mapping: str = "persistence"
    """The rule that made the clusters."""
    shared: Shared | None = None
    """With co-activation: what their groups shared just before they were merged, or what their clusters share; None
    where one of them is in no cluster."""

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
        if self.mapping == "coactivation":
            return self._sharing()
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
            component = "" if self.mapping == "coactivation" else f" component {side.component},"
            sides.append(f"{side.what}: node {side.node},{component} {where}{margin}")
        lines = [f"{self.a.what} and {self.b.what} {self._verdict}.", *sides, *self.sentences()]
        return "\n  ".join(lines)

    def _sharing(self) -> list[str]:
        """What groups share decides, and nothing else."""
        shared = self.shared
        if self.a.node == self.b.node:
            return []
        if shared is None:
            return ["A node that learned one sample, or won none together with another, is in no cluster."]
        ours, theirs = (f"{n} node{'' if n == 1 else 's'}" for n in shared.n_nodes)
        won = f"{shared.samples:.6g} samples together; chance would give {shared.chance:.4g}"
        more = shared.samples > shared.chance
        if self.same_cluster:
            why = "more, so that they were merged" if more else "no more, but the cut that was asked for merges them"
            return [f"When their groups met, {ours} and {theirs}, they had won {won}.", f"That is {why}."]
        why = "more, but the cut that was asked for keeps them apart" if more else "no more, so that they stay apart"
        return [f"Their clusters, of {ours} and {theirs}, won {won}.", f"That is {why}."]

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


def explain_by_wins(a: Side, b: Side, *, co_wins: CoWins, hierarchy: Hierarchy) -> Explanation:
    """Compare two sides where nodes are mapped by what they won together."""
    heights, level = hierarchy.merge_height, hierarchy.level
    ours, theirs = (int(hierarchy.group[side.node]) for side in (a, b))
    merge = _merge(hierarchy, ours, theirs)
    apart = level if merge is None else min(max(merge, 0), level)
    return Explanation(
        a=a,
        b=b,
        path=(),
        path_support=0.0,
        deaths=(),
        threshold=0.0,
        merge_height=None if merge is None else 0.0 if merge < 0 else float(heights[merge]),
        cut=(
            float(heights[level - 1]) if level else -np.inf,
            float(heights[level]) if level < len(heights) else np.inf,
        ),
        minimum_count=hierarchy.minimum_count,
        forbidden=False,
        mapping="coactivation",
        shared=None if ours < 0 or theirs < 0 else _shared(co_wins, hierarchy, ours, theirs, apart),
    )


def _shared(co_wins: CoWins, hierarchy: Hierarchy, a: int, b: int, n_merges: int) -> Shared:
    """What the groups of two nodes share when so many merges are made."""
    group = np.arange(len(hierarchy.mode))
    for into, other in zip(hierarchy.merge_into[:n_merges], hierarchy.merge_from[:n_merges], strict=True):
        group[group == other] = into
    inside = (hierarchy.group[co_wins.winner] >= 0) & (hierarchy.group[co_wins.runner_up] >= 0)
    winner = group[hierarchy.group[co_wins.winner[inside]]]
    runner_up = group[hierarchy.group[co_wins.runner_up[inside]]]
    count = co_wins.count[inside]
    strength = np.bincount(winner, count, len(group)) + np.bincount(runner_up, count, len(group))
    ours, theirs = group[a], group[b]
    between = (winner == ours) & (runner_up == theirs) | (winner == theirs) & (runner_up == ours)
    return Shared(
        samples=float(count[between].sum()),
        chance=float(strength[ours] * strength[theirs] / strength.sum()),
        n_nodes=(int((group == ours).sum()), int((group == theirs).sum())),
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
