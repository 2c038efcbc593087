"""Nearest neighbours in resamples of a data set, from one neighbour search in the data set itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree


class Neighbourhoods(NamedTuple):
    """The nearest neighbours of the distinct samples in a resample."""

    graph: NDArray[np.int64]  # distinct neighbours per sample, as positions among these samples; padded with the sample
    distances: NDArray[np.float64]  # to the k nearest, with copies counted


class BootstrapNeighbours:
    """Finds the k nearest neighbours of every sample in any resample; a sample is its own neighbour.

    A resample only repeats and drops samples, so its neighbours are found along the lists of the whole data: each entry
    counts as often as it was drawn, until there are k.

    Parameters
    ----------
    samples : ndarray of shape (n_samples, n_features)
    n_neighbours : int
        k, at most the number of samples.
    """

    def __init__(self, samples: NDArray[np.float64], n_neighbours: int) -> None:
        self._samples = samples
        self._tree = KDTree(samples)
        self._n_neighbours = n_neighbours
        self._search(4 * n_neighbours)  # the chance that a resample needs more is about 1e-8 per sample for k = 10

    def all(self) -> Neighbourhoods:
        """Return the neighbourhoods in the data set itself."""
        k = self._n_neighbours
        return Neighbourhoods(self._lists[:, :k], self._distances[:, :k])

    def drawn(self, counts: NDArray[np.int64]) -> Neighbourhoods:
        """Return the neighbourhoods in a resample.

        Parameters
        ----------
        counts : ndarray of shape (n_samples,)
            How often each sample was drawn.
        """
        k = self._n_neighbours
        present = np.flatnonzero(counts)
        copies = counts[self._lists[present]]
        before = np.cumsum(copies, axis=1)
        if (before[:, -1] < k).any():
            self._search(2 * self._lists.shape[1])
            return self.drawn(counts)
        before -= copies
        taken = np.clip(k - before, 0, copies)
        row, column = np.nonzero(taken)
        source = present[row]
        place = np.zeros(len(counts), dtype=np.int64)
        place[present] = np.arange(len(present))
        graph = np.repeat(np.arange(len(present))[:, None], k, axis=1)
        starts = np.searchsorted(row, np.arange(len(present)))
        graph[row, np.arange(len(row)) - starts[row]] = place[self._lists[source, column]]
        distances = np.repeat(self._distances[source, column], taken[row, column])
        return Neighbourhoods(graph, distances.reshape(len(present), k))

    def _search(self, length: int) -> None:
        """Return sorted lists of so many neighbours, or of all samples if there are fewer."""
        length = min(length, len(self._samples))
        distances, lists = self._tree.query(self._samples, k=np.arange(1, length + 1))
        self._distances: NDArray[np.float64] = distances
        self._lists: NDArray[np.int64] = lists
