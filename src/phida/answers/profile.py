"""What makes a cluster: the features in which its centre is far from the mean of the stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from phida.records import Floats, Ints, Moments, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd


def deviations(centers: Floats, moments: Moments) -> Floats:
    """Centres as standard deviations from the stream's mean; 0 where a feature never varied."""
    varies = np.broadcast_to(moments.deviation > 0, centers.shape)
    away: Floats = np.divide(centers - moments.mean, moments.deviation, out=np.zeros(centers.shape), where=varies)
    return away


def telling(away: Floats, count: int) -> Ints:
    """The features that are farthest from the mean, the farthest first; ties to the lower index."""
    return np.argsort(-np.abs(away), kind="stable")[:count]


def cluster_sizes(nodes: Mapping[str, Any], n_clusters: int) -> Floats:
    """How large each cluster is: the support of its nodes.

    All that shows the sizes of clusters takes them from here. Support counts the rows that a node came second for, too,
    so that it is more than the rows that a cluster won.
    """
    member = nodes["cluster"] >= 0
    sizes: Floats = np.zeros(n_clusters)
    np.add.at(sizes, nodes["cluster"][member], nodes["support"][member])
    return sizes


@dataclass(frozen=True, eq=False)
class Profile(_Record):
    """The clusters' centres beside the mean and spread of all that was learned."""

    id: Ints
    """Stable id of each cluster."""
    support: Floats
    """Support of each cluster."""
    center: Floats
    """Centre of each cluster, in the space of the data: a row per cluster."""
    deviations: Floats
    """The same as standard deviations from the stream's mean; 0 where a feature never varied."""
    feature_names: tuple[str, ...]
    """Names of the features, or ``feature 0``, ``feature 1``, …"""

    @classmethod
    def of(cls, model: Any) -> Self:
        """From a fitted model.

        Parameters
        ----------
        model : PHIDA
            Its ``moments_``, ``nodes_``, ``cluster_centers_`` and ``cluster_ids_`` are read.

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
        moments, nodes, centers = model.moments_, model.nodes_, model.cluster_centers_
        return cls(
            id=model.cluster_ids_,
            support=cluster_sizes(vars(nodes), len(centers)),
            center=centers,
            deviations=deviations(centers, moments),
            feature_names=nodes.feature_names or tuple(f"feature {j}" for j in range(centers.shape[1])),
        )

    def telling(self, cluster: int, count: int = 3) -> Ints:
        """The features in which a cluster is farthest from the mean, the farthest first; ties to the lower index.

        Parameters
        ----------
        cluster : int
            Its label.
        count : int, default=3
            How many features.

        Returns
        -------
        features : ndarray of int
            Positions of the features.
        """
        return telling(self.deviations[cluster], count)

    def to_pandas(self) -> pd.DataFrame:
        """One row per cluster and feature, a cluster's most telling first."""
        clusters, features = self.center.shape
        order = np.concatenate([self.telling(cluster, features) for cluster in range(clusters)])
        cluster = np.repeat(np.arange(clusters), features)
        return _frame(
            {
                "id": self.id[cluster],
                "cluster": cluster,
                "feature": np.array(self.feature_names, dtype=object)[order],
                "center": self.center[cluster, order],
                "deviations": self.deviations[cluster, order],
            }
        )
