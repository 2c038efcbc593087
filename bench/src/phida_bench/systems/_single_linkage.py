"""The nearest cluster of every cluster, by single linkage, without a matrix of all distances."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Size of a block of distances: small enough for the processor's caches, large enough for BLAS.
BLOCK_BYTES = 32 * 2**20


class Nearest(NamedTuple):
    """The closest pair of samples between each cluster and its nearest cluster."""

    inside: NDArray[np.int64]  # sample of the cluster
    outside: NDArray[np.int64]  # sample of the nearest cluster
    squared: NDArray[np.float64]  # their squared distance


class NearestClusters:
    """Finds the nearest clusters of clusterings that become coarser from call to call.

    Matrix products find the candidates in blocks of rows; differences of coordinates decide among those that rounding
    could have exchanged, so that ties are exact. What a sample found in an earlier call remains a lower bound, since
    its cluster only grows, and most samples need no second look.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_features)
    """

    def __init__(self, samples: NDArray[np.float64]) -> None:
        n, d = samples.shape
        centred = samples - samples.mean(axis=0)
        squares = np.square(centred).sum(axis=1)
        self._samples = samples
        # |y|² - 2xy as one product; |x|² is the same for all y and left out.
        self._left = np.column_stack([-2.0 * centred, np.ones(n)])
        self._right = np.column_stack([centred, squares]).T
        self._squares = squares
        self._rounding = 16.0 * (d + 4) * np.finfo(np.float64).eps
        self._reach = np.zeros(n)  # no sample outside the cluster is nearer; squared
        self._partner = np.arange(n)  # the sample at that distance, as last computed

    def of(self, cluster: NDArray[np.int64]) -> Nearest:
        """Return the nearest cluster of every cluster; of equals, the lowest number, then the lowest samples.

        Parameters
        ----------
        cluster : ndarray of shape (n_samples,)
            Cluster of every sample, at least two, each a union of those of the call before.
        """
        best = np.full(cluster.max() + 1, np.inf)
        outside = cluster[self._partner] != cluster
        np.minimum.at(best, cluster[outside], self._reach[outside])
        waiting = np.argsort(self._reach, kind="stable")
        size = max(1, BLOCK_BYTES // (8 * len(cluster)))
        looked_at = []
        while len(waiting):
            # A pair with equal reach is not left out: it may win the tie.
            waiting = waiting[self._reach[waiting] <= best[cluster[waiting]]]
            rows, waiting = waiting[:size].copy(), waiting[size:]  # a view would keep the whole list
            self._look(rows, cluster)
            np.minimum.at(best, cluster[rows], self._reach[rows])
            looked_at.append(rows)
        rows = np.concatenate(looked_at)
        rows = rows[self._reach[rows] == best[cluster[rows]]]
        partner = self._partner[rows]
        order = np.lexsort((partner, rows, cluster[partner], cluster[rows]))
        rows = rows[order][np.unique(cluster[rows[order]], return_index=True)[1]]
        return Nearest(rows, self._partner[rows], self._reach[rows])

    def _look(self, rows: NDArray[np.int64], cluster: NDArray[np.int64]) -> None:
        """Update reach and partner of some samples."""
        scores = self._left[rows] @ self._right
        np.putmask(scores, cluster[rows][:, None] == cluster, np.inf)
        lowest = scores.min(axis=1)
        # Both of two candidates may be wrong by the rounding of a product, which depends on the lengths of the rows. A
        # much longer row is too far away to be confused with the nearest.
        lengths = self._squares[rows] + np.maximum(lowest + self._squares[rows], 0.0)
        limits = lowest + self._rounding * lengths
        at, candidate = np.divmod(np.flatnonzero(scores <= limits[:, None]), len(cluster))
        squared = self._squared_distances(rows[at], candidate)
        starts = np.searchsorted(at, np.arange(len(rows)))
        self._reach[rows] = reach = np.minimum.reduceat(squared, starts)
        tied = squared == reach[at]
        at, candidate = at[tied], candidate[tied]
        order = np.lexsort((candidate, cluster[candidate], at))
        starts = np.searchsorted(at, np.arange(len(rows)))
        self._partner[rows] = candidate[order][starts]

    def _squared_distances(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return squared distances of pairs, computed from differences in slices."""
        result = np.empty(len(first))
        size = max(1, BLOCK_BYTES // (8 * self._samples.shape[1]))
        for start in range(0, len(first), size):
            part = slice(start, start + size)
            result[part] = np.square(self._samples[first[part]] - self._samples[second[part]]).sum(axis=1)
        return result
