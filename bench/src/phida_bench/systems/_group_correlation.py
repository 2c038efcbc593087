"""Pearson correlation of rows with the rows of a category, group of features by group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Tolerance of a limit of correlations: in groups of two features all are ±1, so that means are often equal.
ROUNDING = 1e-12


class GroupCorrelation:
    """The largest mean correlation between a row and the rows that a category took, over the groups of features.

    Within a group every row is centred and brought to length one, so that a correlation is a product of rows and the
    mean over a category is one product with the sum of its rows, which is kept.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_features)
    groups : ndarray of shape (n_features,)
        Group of each feature, from 0 upwards with none left out.
    """

    def __init__(self, rows: NDArray[np.float64], groups: NDArray[np.int64]) -> None:
        order = np.argsort(groups, kind="stable")
        rows, group = rows[:, order], groups[order]
        self._starts = np.searchsorted(group, np.arange(group[-1] + 1))
        means = np.add.reduceat(rows, self._starts, axis=1) / np.bincount(group)
        centred = rows - means[:, group]
        lengths = np.sqrt(np.add.reduceat(np.square(centred), self._starts, axis=1))
        # A group without variance has a correlation of 0; rounded means must not change that.
        varies = np.maximum.reduceat(rows, self._starts, axis=1) > np.minimum.reduceat(rows, self._starts, axis=1)
        factors = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=varies & (lengths > 0.0))
        self._units = centred * factors[:, group]
        self._sums = np.empty((8, rows.shape[1]))
        self._counts = np.empty(8)

    def begin(self, category: int, row: int) -> None:
        """Add the next category, with its first row."""
        if category == len(self._sums):
            self._sums = np.concatenate([self._sums, np.empty_like(self._sums)])
            self._counts = np.concatenate([self._counts, np.empty_like(self._counts)])
        self._sums[category] = self._units[row]
        self._counts[category] = 1

    def include(self, category: int, row: int) -> None:
        """Add a row to a category."""
        self._sums[category] += self._units[row]
        self._counts[category] += 1

    def keep(self, stay: NDArray[np.bool_]) -> None:
        """Keep these categories, renumbered in order, and forget the others."""
        self._sums[: stay.sum()] = self._sums[: len(stay)][stay]
        self._counts[: stay.sum()] = self._counts[: len(stay)][stay]

    def exceeds(self, limit: float, category: int, row: int) -> bool:
        """Whether the largest mean correlation of a row with the rows of a category is above a limit."""
        return self._largest(category, row) > limit + ROUNDING

    def _largest(self, category: int, row: int) -> float:
        products = np.add.reduceat(self._sums[category] * self._units[row], self._starts)
        return float(products.max() / self._counts[category])
