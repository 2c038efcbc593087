"""Wrap scikit-learn estimators as systems of the benchmark."""

from __future__ import annotations

from typing import Any

from phida_bench.methods.interface import Labels, Rows


class OnlineSystem:
    """An estimator that learns one stage per call of ``partial_fit``."""

    def __init__(self, estimator: Any, nodes: str | None = "n_nodes_") -> None:
        self._estimator = estimator
        self._nodes = nodes

    def learn(self, X: Rows) -> None:
        self._estimator.partial_fit(X)

    def labels(self, X: Rows) -> Labels:
        labels: Labels = self._estimator.predict(X)
        return labels

    @property
    def n_nodes(self) -> int | None:
        return None if self._nodes is None else getattr(self._estimator, self._nodes)

    @property
    def n_clusters(self) -> int:
        count: int = self._estimator.n_clusters_
        return count


class BatchSystem:
    """An estimator that needs all rows at once and labels only these."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def learn(self, X: Rows) -> None:
        self._estimator.fit(X)

    def labels(self, X: Rows) -> Labels:
        labels: Labels = self._estimator.labels_
        return labels

    @property
    def n_nodes(self) -> int | None:
        return getattr(self._estimator, "n_nodes_", None)

    @property
    def n_clusters(self) -> int:
        count: int = self._estimator.n_clusters_
        return count
