"""The model's clusters as the page lists them: one entry per label, the largest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from phida._estimator import Estimator
from phida.answers.profile import deviations

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters in the order of the list: by rows won, the largest first, ties to the lower label."""

    label: Ints
    """Label of each cluster, as ``predict`` gives it."""
    place: Ints
    """The inverse: position in the list of each label."""
    id: Ints
    """Lasting id: ``cluster_ids_[label]``."""
    names: tuple[str, ...]
    """The id as text. While a split is not confirmed, clusters share an id; all but the largest of them then get a
    number: ``3``, ``3.2``, ``3.3``."""
    rows: Ints
    """Rows won."""
    share: Floats
    """Share of these rows."""
    nodes: Ints
    """Number of nodes."""
    center: Floats
    """Centre, in the space of the data."""
    deviations: Floats
    """Centre in standard deviations from the mean of the stream; 0 for a constant feature."""

    @classmethod
    def of(cls, model: Estimator) -> Self:
        """Return the clusters of a fitted model."""
        nodes, ids = model.nodes_, model.cluster_ids_
        won = _rows_won(model)
        label = np.argsort(-won, kind="stable")
        place = np.empty_like(label)
        place[label] = np.arange(len(label))
        id, rows, center = ids[label], won[label], model.cluster_centers_[label]
        return cls(
            label=label,
            place=place,
            id=id,
            names=_names(id.tolist()),
            rows=rows,
            share=rows / rows.sum(),
            nodes=np.bincount(nodes.cluster[nodes.cluster >= 0], minlength=len(label))[label],
            center=center,
            deviations=deviations(center, model.moments_),
        )

    def __len__(self) -> int:
        return len(self.label)

    def places(self, labels: Ints) -> Ints:
        """Positions in the list of labels; -1 for none."""
        return np.where(labels >= 0, self.place[labels], -1)

    def nearest(self, cluster: int, denominator: Floats) -> int:
        """The other cluster whose centre is nearest, with features divided by the denominator."""
        squares = (((self.center - self.center[cluster]) / denominator) ** 2).sum(axis=1)
        squares[cluster] = np.inf
        return int(np.argmin(squares))


def _rows_won(model: Estimator) -> Ints:
    """Rows per label. Nodes without a cluster count where prediction assigns them."""
    nodes = model.nodes_
    cluster, outside = nodes.cluster.copy(), nodes.cluster < 0
    if outside.any():
        cluster[outside] = model._snapshot().reading.assign(np.ascontiguousarray(nodes.representatives[outside]))
    won: Ints = np.bincount(cluster, nodes.rows, model.n_clusters_).astype(np.int64)
    return won


def _names(ids: list[int]) -> tuple[str, ...]:
    seen: Counter[int] = Counter()
    names = []
    for id in ids:
        seen[id] += 1
        names.append(str(id) if seen[id] == 1 else f"{id}.{seen[id]}")
    return tuple(names)
