"""Mapping comparisons: nodes learned by the IDA component alone, mapped to clusters by Ward, HDBSCAN or k-means.

Unlike PHIDA, the three are given the number of classes seen so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import pairwise_distances_argmin

from phida import _core
from phida_bench.methods.density_cut import density_cut
from phida_bench.methods.interface import Labels, Method, Rows, Task

MapNodes = Callable[[Rows, int, int], Labels]
"""Cluster of each node, from the nodes' positions, the target count and the seed."""

#: Details that the paper leaves open: the nodes that are mapped, and their space.
PARAMETERS: Mapping[str, Any] = {"nodes": "active", "space": "transformed"}


class IdaSystem:
    """The IDA component without a PH view; its nodes are mapped when labels are requested."""

    def __init__(self, task: Task, map_nodes: MapNodes) -> None:
        self._learner = _core.Learner(task.n_features, released=True, mapping=False)
        self._map_nodes = map_nodes
        self._seed = task.seed
        self._parameters = task.parameters
        self._target = 1
        self._nodes: Rows = np.empty((0, task.n_features))
        self._cluster: Labels = np.empty(0, np.int64)

    def learn(self, X: Rows) -> None:
        self._learner.learn(X)
        self._learner.end_learning()

    def tell_classes(self, count: int) -> None:
        self._target = count

    def labels(self, X: Rows) -> Labels:
        state = self._learner.__getstate__()
        nodes, active = state["representative"], state["active"].astype(bool)
        if self._parameters["nodes"] == "active" and active.any():
            nodes = nodes[active]
        if self._parameters["space"] == "transformed":
            transform = _core.adaptive_transform(nodes)
            nodes = (nodes - transform["center"]) * transform["inverse"]
            X = (X - transform["center"]) * transform["inverse"]
        few = len(nodes) <= self._target
        self._nodes = nodes
        self._cluster = np.arange(len(nodes)) if few else self._map_nodes(nodes, self._target, self._seed)
        labels: Labels = self._cluster[pairwise_distances_argmin(X, nodes)]
        return labels

    @property
    def n_nodes(self) -> int:
        return len(self._nodes)

    @property
    def n_clusters(self) -> int:
        return len(np.unique(self._cluster))


def ward(nodes: Rows, target: int, seed: int) -> Labels:
    """Cut Ward's hierarchy at the target."""
    return AgglomerativeClustering(target, linkage="ward").fit_predict(nodes)  # type: ignore[no-any-return]


def k_means(nodes: Rows, target: int, seed: int) -> Labels:
    """Run k-means with the target as K."""
    # If nodes coincide, k-means has fewer distinct points than K; its result is compared as it is.
    distinct = len(np.unique(nodes, axis=0))
    model = KMeans(min(target, distinct), n_init=10, random_state=seed)
    return model.fit_predict(nodes).astype(np.int64)  # type: ignore[no-any-return]


def hdbscan(nodes: Rows, target: int, seed: int) -> Labels:
    """Cut HDBSCAN's hierarchy nearest to the target."""
    return density_cut(nodes, target)


def _mapping(name: str, order: int, summary: str, map_nodes: MapNodes) -> Method:
    return Method(
        name, "mapping", order, summary, partial(IdaSystem, map_nodes=map_nodes), PARAMETERS, needs_class_count=True
    )


METHODS = (
    _mapping("IDA+Ward", 20, "IDA's nodes, Ward's hierarchy cut at the number of classes", ward),
    _mapping("IDA+HDBSCAN", 21, "IDA's nodes, HDBSCAN's hierarchy cut nearest to the number of classes", hdbscan),
    _mapping("IDA+KM", 22, "IDA's nodes, k-means with the number of classes", k_means),
)
