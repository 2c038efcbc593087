"""How clear the two gaps were that decide the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phida.views import Floats, Hierarchy, Persistence


@dataclass(frozen=True)
class CutConfidence:
    """How much larger the gap at each cut was than the next one: 0 is a toss-up, 1 beyond doubt.

    A clarity of 0.25 says that the second largest gap is three quarters of the largest.
    """

    persistence: float
    """Of the gap that separates modes that persist from those that are absorbed: it decides the PH components."""
    hierarchy: float
    """Of the jump in merge height at which the hierarchy is cut: it decides the output clusters."""
    n_components: int
    n_clusters: int
    next_n_clusters: int | None
    """How many clusters the second largest jump would give; None if there is no other choice."""

    def __str__(self) -> str:
        other = "" if self.next_n_clusters is None else f"; next best {self.next_n_clusters}"
        return (
            f"{self.n_components} components (clarity {self.persistence:.2f}), "
            f"{self.n_clusters} clusters (clarity {self.hierarchy:.2f}{other})"
        )


def cut_confidence(persistence: Persistence, hierarchy: Hierarchy) -> CutConfidence:
    """The clarity of both cuts of a model."""
    values = persistence.persistence
    levels = np.unique(values[np.isfinite(values) & (values > 0)])
    heights = hierarchy.merge_height
    n_components = len(hierarchy.mode)
    jumps = np.diff(heights, prepend=0.0)
    others = np.flatnonzero(np.arange(len(jumps)) != hierarchy.level)
    second = int(others[np.argmax(jumps[others])]) if len(others) else None
    return CutConfidence(
        persistence=_clarity(np.diff(levels, prepend=0.0)),
        hierarchy=_clarity(jumps),
        n_components=n_components,
        n_clusters=n_components - hierarchy.level,
        next_n_clusters=None if second is None else n_components - second,
    )


def _clarity(gaps: Floats) -> float:
    """One minus the ratio of the second largest gap to the largest; 1 where there is nothing to choose."""
    if len(gaps) < 2:
        return 1.0
    second, largest = np.sort(gaps)[-2:]
    return float(np.clip(1.0 - second / largest, 0.0, 1.0)) if largest > 0 else 0.0
