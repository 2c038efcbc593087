"""Categories of one TopoART module: matching, learning, edges between winners, and removal of small ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Label of an input whose category was removed.
BUCKET = -1


class Comparison(NamedTuple):
    """Comparison of an input with every category."""

    activation: NDArray[np.float64]
    match: NDArray[np.float64]

    def winner(self, vigilance: float) -> int | None:
        """Most active category that matches well enough, the first of equals; None if no category does."""
        return _first_largest(self.activation, self.match >= vigilance)

    def runners_up(self, winner: int, vigilance: float) -> NDArray[np.bool_]:
        """Categories that match well enough and were not refused before the winner was found."""
        after: NDArray[np.bool_] = self.activation < self.activation[winner]
        after[winner + 1 :] |= self.activation[winner + 1 :] == self.activation[winner]
        return after & (self.match >= vigilance)

    def most_active(self, allowed: NDArray[np.bool_]) -> int | None:
        """Return the most active of the allowed categories, the first of equals; None if none is allowed."""
        return _first_largest(self.activation, allowed)


def _first_largest(values: NDArray[np.float64], allowed: NDArray[np.bool_]) -> int | None:
    if not allowed.any():
        return None
    return int(np.argmax(np.where(allowed, values, -1.0)))


class Categories:
    """Prototypes in order of creation, the number of inputs of each, and the edges between them.

    Parameters
    ----------
    inputs : ndarray of shape (n_inputs, width)
        Complement-coded inputs; they are learned by their number.
    choice : float
        Keeps the activation of small prototypes down (alpha).
    """

    def __init__(self, inputs: NDArray[np.float64], choice: float) -> None:
        self._inputs = inputs
        self._norms = inputs.sum(axis=1)
        self._choice = choice
        self._prototypes = np.empty((8, inputs.shape[1]))
        self._sizes: NDArray[np.float64] = np.empty(8)  # 1-norms of the prototypes
        self._shared = np.empty((8, inputs.shape[1]))  # working memory of compare
        self.counts = np.empty(0, dtype=np.int64)
        self.labels = np.full(len(inputs), BUCKET)
        self.edges: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        return len(self.counts)

    def compare(self, i: int) -> Comparison:
        """Compare an input with every category."""
        overlap = self._overlap(i)
        return Comparison(overlap / (self._choice + self._sizes[: len(self)]), overlap / self._norms[i])

    def add(self, i: int) -> int:
        """Create a category from an input."""
        new = len(self)
        if new == len(self._sizes):
            self._prototypes = np.concatenate([self._prototypes, np.empty_like(self._prototypes)])
            self._shared = np.empty_like(self._prototypes)
            self._sizes = np.concatenate([self._sizes, np.empty_like(self._sizes)])
        self._prototypes[new] = self._inputs[i]
        self._sizes[new] = self._norms[i]
        self.counts = np.append(self.counts, 1)
        self.labels[i] = new
        return new

    def take(self, i: int, winner: int, rate: float) -> None:
        """Assign an input to the winner, which learns it."""
        self.counts[winner] += 1
        self.labels[i] = winner
        self._learn(i, winner, rate)

    def connect(self, i: int, winner: int, second: int, rate: float) -> None:
        """Update the second winner with an input, and link it to the winner."""
        self._learn(i, second, rate)
        self.edges.add((min(winner, second), max(winner, second)))

    def remove_small(self, largest: int) -> NDArray[np.bool_]:
        """Move the inputs of small categories to the bucket, and remove these categories; return which ones stay."""
        stay = self.counts > largest
        n = len(stay)
        if not stay.all():
            number = np.where(stay, np.cumsum(stay) - 1, BUCKET)
            self._prototypes[: stay.sum()] = self._prototypes[:n][stay]
            self._sizes[: stay.sum()] = self._sizes[:n][stay]
            self.counts = self.counts[stay]
            assigned = self.labels != BUCKET
            self.labels[assigned] = number[self.labels[assigned]]
            self.edges = {(int(number[a]), int(number[b])) for a, b in self.edges if stay[a] and stay[b]}
        return stay

    def empty_bucket(self) -> None:
        """Assign each input of the bucket to the category that lacks least in it; without categories, create one."""
        if len(self) == 0:
            self._prototypes[0] = 1.0
            self._sizes[0] = self._inputs.shape[1]
            self.counts = np.zeros(1, dtype=np.int64)
        for i in np.flatnonzero(self.labels == BUCKET).tolist():
            # Sums of differences, not the difference of sums: equal categories must not differ by rounding.
            lack = np.maximum(self._prototypes[: len(self)] - self._inputs[i], 0.0).sum(axis=1)
            self.labels[i] = np.argmin(lack)

    def _overlap(self, i: int) -> NDArray[np.float64]:
        n = len(self)
        shared = np.minimum(self._prototypes[:n], self._inputs[i], out=self._shared[:n])
        return shared.sum(axis=1)  # type: ignore[no-any-return]

    def _learn(self, i: int, category: int, rate: float) -> None:
        prototype = self._prototypes[category]
        prototype[:] = rate * np.minimum(prototype, self._inputs[i]) + (1.0 - rate) * prototype
        self._sizes[category] = prototype.sum()
