"""Base class of the methods that need all rows at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin

from phida import _validation


class BatchClusterer(ClusterMixin, BaseEstimator):
    """A clusterer of a complete data set: parameters and rows are checked here, once.

    A method labels rows in ``_cluster``. It has no ``predict``: none of these methods defines one.
    """

    labels_: NDArray[np.int64]
    n_clusters_: int

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows; an earlier fit is forgotten.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers: NumPy, lists, pandas, polars or pyarrow.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        samples = _validation.rows(self, X)
        _validation.record(self, X, reset=True)
        self.labels_ = self._cluster(samples)
        self.n_clusters_ = self._count()
        return self

    @abstractmethod
    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the label of each row, from 0 upwards."""

    def _count(self) -> int:
        """Return the number of clusters."""
        return int(self.labels_.max()) + 1


def in_order_of_appearance(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber labels from 0 in the order in which they appear."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def components(first: NDArray[np.int64], second: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return the connected component of each of n vertices, numbered in the order in which they appear."""
    graph = coo_array((np.ones(len(first), dtype=np.bool_), (first, second)), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.int64)  # type: ignore[no-any-return]
