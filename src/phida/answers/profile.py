"""Profiles of clusters: the features whose centres are far from the mean of the stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from phida.records import Floats, Ints, Moments, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd


def deviations(centers: Floats, moments: Moments) -> Floats:
    """Return centres in standard deviations from the mean of the stream; 0 for a constant feature."""
    varies = np.broadcast_to(moments.deviation > 0, centers.shape)
    away: Floats = np.divide(centers - moments.mean, moments.deviation, out=np.zeros(centers.shape), where=varies)
    return away


#: Means within this many standard deviations count as equal, and are not named.
ALIKE = 0.05


def telling(away: Floats, count: int) -> Ints:
    """Return the features farthest from the mean, the farthest first; ties go to the lower index."""
    return np.argsort(-np.abs(away), kind="stable")[:count]


def readable(value: float) -> str:
    """Format a value of a feature: four digits, or all digits before the point of a larger number."""
    return f"{value:,.0f}" if 9999.5 <= abs(value) < 1e15 else f"{value:.4g}"


def named_features(names: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of the features, or ``feature 0``, ``feature 1``, …"""
    return tuple(f"feature {j}" for j in range(count)) if names is None else tuple(names)


@dataclass(frozen=True, eq=False)
class Profile(_Record, key="label", entry="cluster"):
    """The clusters compared with the mean and standard deviation of all rows learned: one entry each, largest first."""

    label: Ints
    """Label of each cluster, which prediction gives."""
    id: Ints
    """Lasting id of each cluster. Clusters share an id until their split is confirmed."""
    rows: Ints
    """Rows that each cluster won while they were learned. Together they are the rows learned, unless nodes were
    forgotten (``half_life``)."""
    share: Floats
    """Share of each cluster in these rows; if old rows fade (``half_life``), in the remaining support."""
    nodes: Ints
    """Number of nodes of each cluster."""
    center: Floats
    """Centre of each cluster, in the space of the data: a row per cluster."""
    deviations: Floats
    """Centre of each cluster in standard deviations from the mean of the stream; 0 for a constant feature."""
    feature_names: tuple[str, ...]
    """Names of the features, or ``feature 0``, ``feature 1``, …"""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Create it from a fitted model.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> from phida.answers import Profile
        >>> flowers = load_iris(as_frame=True).data
        >>> profile = Profile.of(PHIDA().fit(flowers))
        >>> [profile.feature_names[feature] for feature in profile.telling(0, count=2)]
        ['sepal length (cm)', 'petal width (cm)']
        """
        model = model._frozen()
        nodes, ids = model.nodes_, model.cluster_ids_
        inside = nodes.cluster >= 0
        cluster, support = nodes.cluster[inside], nodes.support[inside]
        left = np.bincount(cluster, support, len(ids))
        centers = np.zeros((len(ids), nodes.representatives.shape[1]))
        np.add.at(centers, cluster, (support / left[cluster])[:, None] * nodes.representatives[inside])
        winner = nodes.cluster
        if not inside.all():  # nodes without a cluster count for the cluster that prediction assigns
            winner = winner.copy()
            winner[~inside] = model._reading.assign(np.ascontiguousarray(nodes.representatives[~inside]))
        rows = np.bincount(winner, nodes.rows, len(ids)).astype(np.int64)
        size = rows if np.issubdtype(support.dtype, np.integer) else left
        order = np.argsort(-size, kind="stable")
        return cls(
            label=order,
            id=ids[order],
            rows=rows[order],
            share=(size / size.sum())[order],
            nodes=np.bincount(cluster, minlength=len(ids))[order],
            center=centers[order],
            deviations=deviations(centers[order], model.moments_),
            feature_names=named_features(nodes.feature_names, centers.shape[1]),
        )

    def telling(self, cluster: int, count: int = 3) -> Ints:
        """Return the positions of a cluster's features that are farthest from the mean, farthest first.

        Parameters
        ----------
        cluster : int
            Its position in the record.
        count : int, default=3
            How many features. Ties go to the lower position.
        """
        return telling(self.deviations[cluster], count)

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per cluster and feature, the most distinctive features first."""
        clusters, features = self.center.shape
        order = np.concatenate([self.telling(cluster, features) for cluster in range(clusters)])
        cluster = np.repeat(np.arange(clusters), features)
        return _frame(
            {
                "label": self.label[cluster],
                "id": self.id[cluster],
                "rows": self.rows[cluster],
                "feature": np.array(self.feature_names, dtype=object)[order],
                "center": self.center[cluster, order],
                "deviations": self.deviations[cluster, order],
            }
        )
