"""Torque Clustering: merges of masses over distances, cut where their torque drops most."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from phida_bench.systems._batch import BatchClusterer, components
from phida_bench.systems._memory import require
from phida_bench.systems._single_linkage import BLOCK_BYTES, NearestClusters


class Links(NamedTuple):
    """The links of all layers: one per merge. Unless distances are tied, they are a spanning tree of the samples."""

    first: NDArray[np.int64]  # sample of one cluster
    second: NDArray[np.int64]  # sample of the other cluster
    mass: NDArray[np.float64]  # product of the clusters' sizes (M)
    squared: NDArray[np.float64]  # squared distance of the clusters (R)
    early: NDArray[np.bool_]  # made in the first layer, between single samples (F)


class TorqueClustering(BatchClusterer):
    """Torque Clustering (TC), without a number of clusters or other parameters.

    Every row begins as a cluster. Layer by layer, each cluster is linked to its nearest one unless that is smaller, and
    linked clusters become one, until one is left. The *torque* of a link is the product of both sizes times the squared
    distance; the links before the largest weighted drop of the torque are removed.

    Parameters
    ----------
    max_memory : int or None, default=None
        Bytes that may be used; None stands for the machine's physical memory. Distances are taken in blocks, so the
        need grows with the rows and not with their square.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered in the order in which they appear.
    n_clusters_ : int
        How many there are.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Raises
    ------
    phida_bench.systems.DoesNotFit
        If ``max_memory`` is too little.

    Notes
    -----
    Time grows with the square of the rows. Where many distances are equal, as in coarsely rounded data, the result
    depends on the order of the rows; duplicates make a torque of zero, and a drop to zero is infinite, which can leave
    very many clusters. Nothing repairs that, since the method does not.

    The authors' own program is not free for commercial use, and they extend that wish to the method. This is
    independent code; whether the method is free where you are is for you to find out.

    References
    ----------
    Jie Yang and Chin-Teng Lin. Autonomous clustering by fast find of mass and distance peaks. IEEE Transactions on
    Pattern Analysis and Machine Intelligence, 2025. doi:10.1109/TPAMI.2025.3535743.

    Examples
    --------
    >>> from phida_bench.systems import TorqueClustering
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 2], [9, 9], [9, 8], [7, 9], [8, 8]]
    >>> TorqueClustering().fit_predict(X).tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_memory": [Interval(Integral, 1, None, closed="left"), None]
    }

    def __init__(self, *, max_memory: int | None = None) -> None:
        self.max_memory = max_memory

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        n, d = samples.shape
        # Three copies of the samples, ten vectors, and a block. With tied distances, the whole block may be candidates.
        require(
            "Torque Clustering", 8 * n * (3 * d + 10) + 8 * min(max(BLOCK_BYTES, 8 * n), 8 * n * n), self.max_memory
        )
        if n == 1:  # nothing to link
            return np.zeros(1, dtype=np.int64)
        links = link_layers(samples)
        kept = links_to_keep(links)
        return components(links.first[kept], links.second[kept], n)


def link_layers(samples: NDArray[np.float64]) -> Links:
    """Link clusters to their nearest ones, layer by layer, until one is left. There are at least two samples."""
    nearest_clusters = NearestClusters(samples)
    cluster = np.arange(len(samples))
    layers: list[Links] = []
    while cluster.max() > 0:
        nearest = nearest_clusters.of(cluster)
        mass = np.bincount(cluster)
        source, target = cluster[nearest.inside], cluster[nearest.outside]
        links = np.flatnonzero(mass[source] <= mass[target])
        # A link in both directions counts once.
        ends = np.sort(np.column_stack([source[links], target[links]]), axis=1)
        links = links[np.sort(np.unique(ends, axis=0, return_index=True)[1])]
        source, target = source[links], target[links]
        layers.append(
            Links(
                nearest.inside[links],
                nearest.outside[links],
                mass[source].astype(np.float64) * mass[target],
                nearest.squared[links],
                np.full(len(links), not layers),
            )
        )
        cluster = components(source, target, len(mass))[cluster]
    return Links(*(np.concatenate(columns) for columns in zip(*layers, strict=True)))


def links_to_keep(links: Links) -> NDArray[np.int64]:
    """Links below the largest weighted drop of the torque; all, if no drop is defined."""
    torque = links.mass * links.squared  # T
    order = np.argsort(-torque, kind="stable")
    late = ~links.early[order]
    if not late[:-1].any():
        return order
    large = late.copy()
    for value in (links.squared[order], links.mass[order], torque[order]):
        large &= value >= value[late].mean()
    weight = np.cumsum(large) / large.sum() if large.any() else np.ones(len(order))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        drop = torque[order][:-1] / torque[order][1:] * weight[:-1]
    drop[~late[:-1] | np.isnan(drop)] = -np.inf
    return order[np.argmax(drop) + 1 :] if drop.max() > -np.inf else order
