"""What every sample tells about the space between its two nearest nodes (PLUS, section 2).

Arrays are (K, K): the row is the winner, the column the runner-up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


def off_plane(z: np.ndarray, winner: np.ndarray, runner_up: np.ndarray) -> float:
    """How far a sample is from the plane between its two nodes: u, 0 on the plane and 1 level with the winner."""
    across = winner - runner_up
    squared = float(across @ across)
    if squared == 0:
        return 0.0
    return 2 * abs(float(across @ (z - (winner + runner_up) / 2))) / squared


@dataclass
class Pairs:
    """Plain sums over the samples that updated a winner."""

    # Counts are integers: samples, or units of 2^-24 samples where samples fade.
    unit: int = 1  # what one sample adds to a count
    count: np.ndarray = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))  # n; runner-up gone: diagonal
    s1: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # sums of u
    s2: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # sums of u squared

    @property
    def samples(self) -> np.ndarray:
        """n as numbers of samples; the quotients are exact."""
        return self.count / self.unit

    def add_node(self) -> None:
        """A new node has no samples yet."""
        self.count, self.s1, self.s2 = (np.pad(a, (0, 1)) for a in (self.count, self.s1, self.s2))

    def add_sample(self, winner: int, runner_up: int, u: float) -> None:
        self.count[winner, runner_up] += self.unit
        self.s1[winner, runner_up] += u
        self.s2[winner, runner_up] += u * u

    def delete(self, gone: np.ndarray) -> None:
        """Drop nodes; samples whose runner-up goes stay with their winner."""
        stay = ~gone
        self.count[np.diag_indices_from(self.count)] += self.count[:, gone].sum(axis=1)
        self.count, self.s1, self.s2 = (a[np.ix_(stay, stay)] for a in (self.count, self.s1, self.s2))

    def move(self, source: int, target: int) -> None:
        """Give the samples of one node to another; those between the two have no runner-up any more."""
        for a in (self.count, self.s1, self.s2):
            a[target] += a[source]
            a[:, target] += a[:, source]
            a[source], a[:, source] = 0, 0
        self.s1[target, target] = self.s2[target, target] = 0

    def fade(self, share: float) -> None:
        """Leave a share of every sum. A pair that is left without samples has no sums either."""
        self.count = np.floor(self.count * share).astype(np.int64)
        self.s1 = np.where(self.count > 0, self.s1 * share, 0.0)
        self.s2 = np.where(self.count > 0, self.s2 * share, 0.0)
