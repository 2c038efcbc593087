"""Edges of the map: only those that decide which nodes share a cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phida._reading import Answers
from phida._serve.moment import Moment

Ints = NDArray[np.int64]

#: Most merges of PHIDA+ above the cut that get an edge.
NEXT = 24


def deciding_edges(moment: Moment) -> tuple[Ints, Ints]:
    """Return the ends of the edges, as positions among the nodes.

    PHIDA: a spanning forest of the PH graph, which has the components of that graph. PHIDA+: for each of the next
    merges, those just above the cut, the shortest edge between the clusters that it would merge.
    """
    model = moment.model
    graph = model.graph_
    order = np.argsort(graph.distance, kind="stable")
    source, target = graph.source[order], graph.target[order]
    if moment.terms.components:
        chosen = _spanning(source.tolist(), target.tolist(), len(model.nodes_))
    else:
        chosen = _between_clusters(model, source, target)
    return source[chosen], target[chosen]


def _spanning(source: list[int], target: list[int], n_nodes: int) -> list[int]:
    """Return the edges that join two trees, taken in order."""
    parent = list(range(n_nodes))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    chosen = []
    for edge, (a, b) in enumerate(zip(source, target, strict=True)):
        a, b = root(a), root(b)
        if a != b:
            parent[a] = b
            chosen.append(edge)
    return chosen


def _between_clusters(model: Answers, source: Ints, target: Ints) -> list[int]:
    """Return the first edge of each of the next merges; none if no edge joins the two clusters."""
    tree, cluster = model.hierarchy_, model.nodes_.cluster
    following = slice(tree.level, tree.level + NEXT)
    edge = np.flatnonzero(cluster[source] != cluster[target])
    a, b = cluster[source[edge]], cluster[target[edge]]
    chosen = []
    for into, out in zip(tree.merge_into[following], tree.merge_from[following], strict=True):
        kept, gone = tree.cluster[into], tree.cluster[out]
        joins = ((a == kept) & (b == gone)) | ((a == gone) & (b == kept))
        if joins.any():
            chosen.append(int(edge[joins.argmax()]))
        a[a == gone] = kept
        b[b == gone] = kept
        inside = a == b
        if inside.any():
            edge, a, b = edge[~inside], a[~inside], b[~inside]
    return chosen
