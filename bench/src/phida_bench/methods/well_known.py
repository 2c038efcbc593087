"""Common clustering methods, for data with visible groups.

k-means, Birch and CluStream are given the number of groups, K; HDBSCAN and the other methods for streams are not.

A distance threshold is a share of the diagonal of the features' range, which is known beforehand: a fixed default suits
only one scale. Each share is a separate method.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, Birch, KMeans, MiniBatchKMeans

from phida_bench.methods.interface import Labels, Method, Rows, Task
from phida_bench.protocol import ORDERS

#: Rows per batch of a stream.
BATCH = 1000
#: The tried shares of the diagonal, for each method with a distance.
SHARES = (0.02, 0.05, 0.1)


class AllRowsSystem:
    """An estimator that is refitted to all rows so far."""

    n_nodes = None

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._rows: list[Rows] = []

    def learn(self, X: Rows) -> None:
        self._rows.append(X)
        self._estimator.fit(np.concatenate(self._rows))

    def labels(self, X: Rows) -> Labels:
        return np.asarray(self._estimator.labels_, np.int64)

    @property
    def n_clusters(self) -> int:
        return _count(self._estimator.labels_)


class PatientHDBSCAN(HDBSCAN):
    """HDBSCAN that labels all rows as noise while there are fewer rows than the minimum cluster size."""

    def fit(self, X: Rows, y: None = None) -> PatientHDBSCAN:
        if len(X) >= self.min_cluster_size:
            return super().fit(X)  # type: ignore[no-any-return]
        self.labels_ = np.full(len(X), -1)
        return self


class BatchwiseSystem:
    """An estimator that learns rows in batches, once each, and labels them afterwards."""

    n_nodes = None

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._found = 0

    def learn(self, X: Rows) -> None:
        for begin in range(0, len(X), BATCH):
            self._estimator.partial_fit(X[begin : begin + BATCH])

    def labels(self, X: Rows) -> Labels:
        labels = np.asarray(self._estimator.predict(X), np.int64)
        self._found = _count(labels)
        return labels

    @property
    def n_clusters(self) -> int:
        return self._found


class PatientMiniBatchKMeans(MiniBatchKMeans):
    """Mini-batch k-means that buffers the first rows until there are as many as clusters."""

    def partial_fit(self, X: Rows, y: None = None, sample_weight: None = None) -> PatientMiniBatchKMeans:
        held = getattr(self, "_held", None)
        X = X if held is None else np.concatenate([held, X])
        self._held = X if len(X) < self.n_clusters else None
        return self if self._held is not None else super().partial_fit(X)


class RiverSystem(BatchwiseSystem):
    """A clusterer of river: one row per call, as a dict."""

    def learn(self, X: Rows) -> None:
        for row in X.tolist():
            self._estimator.learn_one(dict(enumerate(row)))

    def labels(self, X: Rows) -> Labels:
        labels = np.array([self._estimator.predict_one(dict(enumerate(row))) for row in X.tolist()], np.int64)
        self._found = _count(labels)
        return labels


class IncDBSCANSystem(BatchwiseSystem):
    """Incremental DBSCAN, which labels only the rows that it has learned."""

    def learn(self, X: Rows) -> None:
        for begin in range(0, len(X), BATCH):
            self._estimator.insert(X[begin : begin + BATCH])

    def labels(self, X: Rows) -> Labels:
        labels: Labels = np.nan_to_num(self._estimator.get_cluster_labels(X), nan=-1.0).astype(np.int64)
        self._found = _count(labels)
        return labels


def _count(labels: Any) -> int:
    """Count the clusters, without noise."""
    return len(np.unique(labels[np.asarray(labels) >= 0]))


def _reach(task: Task) -> float:
    low, high = task.feature_range
    return float(task.parameters["share"] * np.linalg.norm(high - low))


def _k_means(task: Task) -> AllRowsSystem:
    return AllRowsSystem(KMeans(task.n_classes or 1, n_init=10, random_state=task.seed))


def _mini_batch_k_means(task: Task) -> BatchwiseSystem:
    return BatchwiseSystem(PatientMiniBatchKMeans(task.n_classes or 1, random_state=task.seed))


def _birch(task: Task) -> BatchwiseSystem:
    """Birch with a threshold of a hundredth of the diagonal: the default of 0.5 suits only one scale."""
    return BatchwiseSystem(Birch(threshold=_reach(task), n_clusters=task.n_classes or 1))


def _hdbscan(task: Task) -> AllRowsSystem:
    return AllRowsSystem(PatientHDBSCAN(min_cluster_size=task.parameters["min_cluster_size"], copy=True))


def _dbstream(task: Task) -> RiverSystem:
    from river.cluster import DBSTREAM

    return RiverSystem(DBSTREAM(clustering_threshold=_reach(task)))


def _denstream(task: Task) -> RiverSystem:
    from river.cluster import DenStream

    return RiverSystem(DenStream(epsilon=_reach(task), n_samples_init=20))


def _clustream(task: Task) -> RiverSystem:
    from river.cluster import CluStream

    k = task.n_classes or 1
    return RiverSystem(CluStream(n_macro_clusters=k, max_micro_clusters=max(100, 2 * k), seed=task.seed))


def _incdbscan(task: Task) -> IncDBSCANSystem:
    from incdbscan import IncrementalDBSCAN

    return IncDBSCANSystem(IncrementalDBSCAN(eps=_reach(task), min_pts=5))


def _mcmststream(task: Task) -> BatchwiseSystem:
    from mcmststream import MCMSTStream

    return BatchwiseSystem(MCMSTStream(r=_reach(task), random_state=task.seed))


_RIVER = {"river": "river"}


def _by_share() -> Iterator[Method]:
    makers = (
        ("DBSTREAM", _dbstream, _RIVER, "river's DBSTREAM, its threshold"),
        ("DenStream", _denstream, _RIVER, "river's DenStream, which begins with 20 rows, its epsilon"),
        ("IncDBSCAN", _incdbscan, {"incdbscan": "shapes"}, "incremental DBSCAN of at least 5 rows, its radius"),
        ("MCMSTStream", _mcmststream, {"mcmststream": "shapes"}, "MCMSTStream with its window of 200 rows, its radius"),
    )
    place = 60
    for name, make, requires, summary in makers:
        for share in SHARES:
            title = f"{name}-{100 * share:g}"
            words = f"{summary} {100 * share:g} % of the features' diagonal"
            place += 1
            yield Method(title, "stream", place, words, make, {"share": share}, ORDERS, requires=requires)


_given_k = partial(Method, needs_class_count=True)

METHODS = (
    _given_k("KMeans", "told", 50, "k-means, given K; all rows at once, 10 starts", _k_means, settings=("shuffled",)),
    _given_k("MiniBatchKMeans", "told", 51, "given K; batches of 1,000", _mini_batch_k_means, settings=ORDERS),
    _given_k(
        "Birch",
        "told",
        52,
        "given K; batches of 1,000, a threshold of 1 % of the features' diagonal",
        _birch,
        {"share": 0.01},
        settings=ORDERS,
    ),
    *(
        Method(
            f"HDBSCAN-{size}",
            "density",
            53 + place,
            f"min_cluster_size {size}; all rows at once",
            _hdbscan,
            {"min_cluster_size": size},
            ("shuffled",),
        )
        for place, size in enumerate((5, 10, 25))
    ),
    *_by_share(),
    _given_k("CluStream", "stream", 80, "river's CluStream, given K", _clustream, settings=ORDERS, requires=_RIVER),
)
