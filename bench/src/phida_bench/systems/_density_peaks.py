"""Density and separation of every row, the two axes of a decision graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

#: Bytes of distances in memory at once; the n × n matrix is never made.
BLOCK_NUMBERS = 1 << 22

#: Number of stored neighbours per row. Nearly every row has a denser one among so many.
REMEMBERED = 16


@dataclass(frozen=True)
class DecisionGraph:
    """Density of each row, and its separation from denser rows."""

    density: NDArray[np.float64]  #: ρ, the number of neighbours over the sum of the distances to them
    separation: NDArray[np.float64]  #: δ, the distance to the nearest denser row; the first has its largest distance

    def peaks(self, count: int) -> NDArray[np.int64]:
        """The rows with the largest product ρδ, the first of equals before the others."""
        # All but the first of equal rows (infinite density) have a separation of 0.
        product = np.multiply(self.density, self.separation, out=np.zeros_like(self.density), where=self.separation > 0)
        return np.argsort(-product, kind="stable")[:count]


def decision_graph(X: NDArray[np.float64], n_neighbours: int) -> DecisionGraph:
    """Density and separation of the rows; rows of equal density count as sorted by their index."""
    density, distances, indices = _densities(X, n_neighbours)
    rank = np.empty(len(X), dtype=np.int64)
    rank[np.argsort(-density, kind="stable")] = np.arange(len(X))

    # A row's nearest denser row is the first denser one in its list of neighbours, if the list holds any.
    separation = np.where(rank[indices] < rank[:, None], distances, np.inf).min(axis=1)
    open_rows = np.flatnonzero(np.isinf(separation))
    for block in _blocks(open_rows, len(X)):
        apart = cdist(X[block], X)
        denser = np.where(rank < rank[block, None], apart, np.inf).min(axis=1)
        separation[block] = np.where(rank[block] == 0, apart.max(axis=1), denser)
    return DecisionGraph(density, separation)


def _densities(
    X: NDArray[np.float64], n_neighbours: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Density of each row, and its nearest neighbours with their distances."""
    # A row is its own nearest neighbour, and adds nothing to the sum.
    searcher = NearestNeighbors(n_neighbors=n_neighbours + 1).fit(X)
    density = np.empty(len(X))
    remembered = min(REMEMBERED, n_neighbours) + 1
    distances = np.empty((len(X), remembered))
    indices = np.empty((len(X), remembered), dtype=np.int64)
    for block in _blocks(np.arange(len(X)), (n_neighbours + 1) * X.shape[1]):
        # In many dimensions the search rounds so much that copies are not at distance 0; differences do not.
        who = searcher.kneighbors(X[block], return_distance=False)
        near = np.linalg.norm(X[who] - X[block, None], axis=2)
        total = near.sum(axis=1)
        density[block] = np.divide(n_neighbours, total, out=np.full(len(block), np.inf), where=total > 0)
        distances[block], indices[block] = near[:, :remembered], who[:, :remembered]
    return density, distances, indices


def _blocks(rows: NDArray[np.int64], width: int) -> list[NDArray[np.int64]]:
    """Return slices of the rows; a matrix of a slice's rows and so many columns fits into memory."""
    size = max(1, BLOCK_NUMBERS // width)
    return [rows[start : start + size] for start in range(0, len(rows), size)]
