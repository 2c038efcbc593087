"""Profiles of clusters: the features whose centres are far from the mean of the stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from phida.records import AssignmentView, Floats, Ints, Moments, Nodes, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd


def deviations(centers: Floats, moments: Moments) -> Floats:
    """Return centres in standard deviations from the mean of the stream; 0 for a constant feature."""
    varies = np.broadcast_to(moments.deviation > 0, centers.shape)
    away: Floats = np.divide(centers - moments.mean, moments.deviation, out=np.zeros(centers.shape), where=varies)
    return away


def telling(away: Floats, count: int) -> Ints:
    """The features that are farthest from the mean, the farthest first; ties to the lower index."""
    return np.argsort(-np.abs(away), kind="stable")[:count]


def rows_won(reading: Any) -> Ints:
    """Return the number of rows per label. Nodes without a cluster count where prediction assigns them."""
    nodes = reading.nodes()
    return _counted(nodes["cluster"], nodes["rows"], reading.n_clusters, nodes["representatives"], reading.assign)


def strongest_node(nodes: Nodes, id: int) -> int:
    """Position of the node of largest support in the cluster of an id."""
    return int(np.argmax(np.where(nodes.cluster_id == id, nodes.support, -1)))


def _counted(cluster: Ints, rows: Ints, n_clusters: int, at: Floats, assign: Callable[[Floats], Ints]) -> Ints:
    outside = cluster < 0
    if outside.any():
        cluster = cluster.copy()
        cluster[outside] = assign(np.ascontiguousarray(at[outside]))
    counted: Ints = np.bincount(cluster, rows, n_clusters).astype(np.int64)
    return counted


@dataclass(frozen=True, eq=False)
class Profile(_Record, key="id", entry="cluster"):
    """The clusters compared with the mean and standard deviation of all rows learned, one entry per id."""

    id: Ints
    """Lasting id of each cluster, ascending."""
    rows: Ints
    """Rows that each cluster won while they were learned. Together they are the rows learned, except where nodes were
    forgotten (``half_life``)."""
    share: Floats
    """Share of each cluster in these rows; where old rows fade (``half_life``), in what is left of the support."""
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

        Parameters
        ----------
        model : PHIDA
            Its ``moments_`` and ``nodes_`` are read.

        Returns
        -------
        profile : Profile

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> from phida.answers import Profile
        >>> flowers = load_iris(as_frame=True).data
        >>> profile = Profile.of(PHIDA().fit(flowers))
        >>> [profile.feature_names[feature] for feature in profile.telling(0, count=2)]
        ['petal length (cm)', 'petal width (cm)']
        """
        moments, nodes = model.moments_, model.nodes_
        ids, of = np.unique(nodes.cluster_id, return_inverse=True)
        outside = int(ids[0] < 0)  # -1 comes first
        ids, of = ids[outside:], of - outside
        inside = of >= 0
        left = np.bincount(of[inside], nodes.support[inside])
        centers = np.zeros((len(ids), nodes.representatives.shape[1]))
        weight = nodes.support[inside] / left[of[inside]]
        np.add.at(centers, of[inside], weight[:, None] * nodes.representatives[inside])
        names = nodes.feature_names

        def assign(rows: Floats) -> Ints:
            position: Ints = np.searchsorted(ids, model._snapshot().reading.assign_ids(rows))
            return position

        rows = _counted(of, nodes.rows, len(ids), nodes.representatives, assign)
        size = rows if np.issubdtype(nodes.support.dtype, np.integer) else left
        return cls(
            id=ids,
            rows=rows,
            share=size / size.sum(),
            nodes=np.bincount(of[inside]),
            center=centers,
            deviations=deviations(centers, moments),
            feature_names=names or tuple(f"feature {j}" for j in range(centers.shape[1])),
        )

    def telling(self, cluster: int, count: int = 3) -> Ints:
        """The features in which a cluster is farthest from the mean, the farthest first; ties to the lower index.

        Parameters
        ----------
        cluster : int
            Its position in ``id``.
        count : int, default=3
            How many features.

        Returns
        -------
        features : ndarray of int
            Positions of the features.
        """
        return telling(self.deviations[cluster], count)

    def distances(self, view: AssignmentView) -> Floats:
        """Squared distances between the centres in the metric of prediction; infinity from a centre to itself.

        Parameters
        ----------
        view : AssignmentView
            Of the same model.

        Returns
        -------
        distances : ndarray of shape (n_clusters, n_clusters)
        """
        centers = (self.center - view.center) / view.denominator
        squares = (centers**2).sum(axis=1)
        distances: Floats = squares[:, None] + squares - 2 * centers @ centers.T
        np.fill_diagonal(distances, np.inf)
        return distances

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per cluster and feature, the most distinctive features first."""
        clusters, features = self.center.shape
        order = np.concatenate([self.telling(cluster, features) for cluster in range(clusters)])
        cluster = np.repeat(np.arange(clusters), features)
        return _frame(
            {
                "id": self.id[cluster],
                "rows": self.rows[cluster],
                "feature": np.array(self.feature_names, dtype=object)[order],
                "center": self.center[cluster, order],
                "deviations": self.deviations[cluster, order],
            }
        )
