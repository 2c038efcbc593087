"""Clarity of the decisions about the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phida.records import Floats, Hierarchy, Persistence


@dataclass(frozen=True)
class CutClarity:
    """Clarity of the two cuts: 0 is a toss-up, 1 is certain, None means that there was no choice.

    A clarity of 0.25 means that the second largest gap is three quarters of the largest. For a cut by
    :meth:`phida.PHIDA.cut`, its own gap is compared with the largest other gap.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> print(model.cut_clarity_)
    8 components (clarity 0.41), 8 clusters (no choice: at least 7)
    """

    persistence: float | None
    """Of the gap that separates modes that persist from those that are absorbed: it decides the PH components. None
    where there are fewer than two gaps."""
    hierarchy: float | None
    """Of the jump in merge height at which the hierarchy is cut: it decides the output clusters. None where the least
    number of clusters leaves nothing to choose."""
    n_components: int
    n_clusters: int
    minimum_count: int
    """The least number of clusters that the masses of the components justify."""
    next_n_clusters: int | None
    """How many clusters the second largest jump would give; None if there is no other choice."""

    def __str__(self) -> str:
        return (
            f"{_counted(self.n_components, 'component')} ({_told(self.persistence, 'no gap to choose by')}), "
            f"{_counted(self.n_clusters, 'cluster')} "
            f"({_told(self.hierarchy, f'no choice: at least {self.minimum_count}')}"
            f"{'' if self.next_n_clusters is None else f'; next best {self.next_n_clusters}'})"
        )


@dataclass(frozen=True)
class DensityClarity:
    """Clarity of the number of clusters of PHIDA+: how close the closest decision was.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from phida import PHIDAPlus
    >>> X, _ = make_blobs(2000, centers=4, cluster_std=0.5, random_state=3)
    >>> model = PHIDAPlus().fit(X)
    >>> model.cut_clarity_.n_clusters, model.cut_clarity_.clarity > 0.1
    (4, True)
    """

    n_clusters: int
    nearest: float | None
    """The merge height nearest to 1: the prominence of a peak in units of what chance alone would show. Below 1, the
    peak was merged. None for a single node, and if the cut was chosen by hand."""
    clarity: float | None
    """One minus ``nearest`` or its reciprocal, whichever is below 1: 0 is a toss-up, 1 is certain. None as for
    ``nearest``."""
    by_hand: bool = False
    """Whether the cut was chosen by hand (:meth:`phida.PHIDAPlus.cut`)."""

    def __str__(self) -> str:
        count = _counted(self.n_clusters, "cluster")
        if self.by_hand:
            return f"{count} (chosen by hand)"
        if self.nearest is None:
            return f"{count} (no other number was possible)"
        return (
            f"{count} (clarity {self.clarity:.2f}: the closest peak is {self.nearest:.3g} times as prominent as chance "
            "alone would show)"
        )


def _density_clarity(hierarchy: Hierarchy) -> DensityClarity:
    n_clusters, heights = len(hierarchy.mode) - hierarchy.level, hierarchy.merge_height
    if hierarchy.level != int((heights < 1.0).sum()):
        return DensityClarity(n_clusters, None, None, by_hand=True)
    if not len(heights):
        return DensityClarity(n_clusters, None, None)
    closeness = np.minimum(heights, 1.0 / np.maximum(heights, 1.0))
    nearest = int(closeness.argmax())
    return DensityClarity(n_clusters, float(heights[nearest]), 1.0 - float(closeness[nearest]))


def cut_clarity(persistence: Persistence, hierarchy: Hierarchy, n_components: int) -> CutClarity | DensityClarity:
    """Return the clarity of a model's number of clusters."""
    if hierarchy.leaves == "node":
        return _density_clarity(hierarchy)
    values = persistence.persistence
    levels = np.unique(values[np.isfinite(values) & (values > 0)])
    gaps = np.diff(levels, prepend=0.0)
    level = hierarchy.level
    # A cut that was asked for may be below the least number of clusters; the model's own never is.
    considered = max(n_components - hierarchy.minimum_count, level + 1)
    jumps = np.diff(hierarchy.merge_height[:considered], prepend=0.0)
    others = np.flatnonzero(np.arange(len(jumps)) != level)
    second = int(others[np.argmax(jumps[others])]) if len(others) else None
    return CutClarity(
        persistence=_clarity(gaps, int(np.argmax(gaps))) if len(gaps) else None,
        hierarchy=_clarity(jumps, level) if level < len(jumps) else None,
        n_components=n_components,
        n_clusters=n_components - level,
        minimum_count=hierarchy.minimum_count,
        next_n_clusters=None if second is None else n_components - second,
    )


def _clarity(gaps: Floats, chosen: int) -> float | None:
    """One minus the ratio of the largest other gap to the chosen one; None where there is no other."""
    others = np.delete(gaps, chosen)
    if not len(others):
        return None
    return float(np.clip(1.0 - others.max() / gaps[chosen], 0.0, 1.0)) if gaps[chosen] > 0 else 0.0


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _told(clarity: float | None, no_choice: str) -> str:
    return no_choice if clarity is None else f"clarity {clarity:.2f}"
