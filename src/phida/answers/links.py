"""Links between the clusters of PHIDA+ on a map of its nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from phida.records import Floats, Ints


@dataclass(frozen=True, eq=False)
class ClusterLinks:
    """The merges that the cut refuses, each as a link between the closest nodes of the two clusters."""

    source: Ints
    """One end of each link, as a position among the nodes."""
    target: Ints
    """The other end."""
    height: Floats
    """Height of the merge; the links are in ascending order."""

    @classmethod
    def of(cls, model: Any, most: int | None = None) -> Self:
        """Create the lowest links of a fitted model (default: all). Merges of infinite height have none."""
        nodes, graph, tree, view = model.nodes_, model.graph_, model.hierarchy_, model.assignment_view_
        refused = slice(tree.level, int(np.isfinite(tree.merge_height).sum()))
        if most is not None:
            refused = slice(tree.level, min(refused.stop, tree.level + most))
        group = nodes.cluster.copy()
        order = np.argsort(graph.distance, kind="stable")
        crossing = order[group[graph.source[order]] != group[graph.target[order]]]
        source, target = graph.source[crossing], graph.target[crossing]
        points = (nodes.representatives - view.center) / view.denominator
        ends = []
        for into, other in zip(tree.merge_into[refused], tree.merge_from[refused], strict=True):
            kept, lost = (group[np.flatnonzero(tree.leaf == leaf)[0]] for leaf in (into, other))
            a, b = group[source], group[target]
            between = np.flatnonzero(((a == kept) & (b == lost)) | ((a == lost) & (b == kept)))
            if len(between):
                ends.append((source[between[0]], target[between[0]]))
            else:
                ends.append(_nearest(points, np.flatnonzero(group == kept), np.flatnonzero(group == lost)))
            group[group == lost] = kept
        source, target = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        return cls(source, target, tree.merge_height[refused])


def _nearest(points: Floats, some: Ints, others: Ints) -> tuple[int, int]:
    """Return the two points of both sets that are closest to each other."""
    squares = (points**2).sum(axis=1)
    between = squares[some][:, None] + squares[others] - 2 * points[some] @ points[others].T
    first, second = np.unravel_index(np.argmin(between), between.shape)
    return int(some[first]), int(others[second])
