"""Clarity of the decisions about the number of clusters."""

from __future__ import annotations

import math
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
    """Clarity of the gap between persistent and absorbed modes, which decides the PH components. None if there are
    fewer than two gaps."""
    hierarchy: float | None
    """Clarity of the jump in merge height at the cut, which decides the output clusters. None if the minimum number of
    clusters leaves no choice."""
    n_components: int
    n_clusters: int
    minimum_count: int
    """Minimum number of clusters, from the masses of the components."""
    next_n_clusters: int | None
    """Number of clusters at the second largest jump; None if there is no other choice."""

    @property
    def clarity(self) -> float | None:
        """Clarity of the number of output clusters: that of the hierarchy."""
        return self.hierarchy

    def __str__(self) -> str:
        return (
            f"{_counted(self.n_components, 'component')} ({_told(self.persistence, 'no gap to choose by')}), "
            f"{_counted(self.n_clusters, 'cluster')} "
            f"({_told(self.hierarchy, f'no choice: at least {self.minimum_count}')}"
            f"{'' if self.next_n_clusters is None else f'; next best {self.next_n_clusters}'})"
        )


@dataclass(frozen=True)
class DensityClarity:
    """Clarity of the number of clusters of PHIDA+: how far the closest decision was from the threshold.

    A split is kept if its prominence is larger than what chance alone would show. Prominences are measured in that
    unit, so the threshold is 1.

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
    """Prominence of the split that is nearest to the threshold, in units of chance: below 1 if it was not kept. None
    for a single node, and if the cut was chosen by hand."""
    kept: float | None = None
    """The least prominent split that was kept: 1 or more. None for one cluster, and as for ``nearest``."""
    joined: float | None = None
    """The most prominent split that was not kept: below 1, and 0 if there was none. None as for ``nearest``."""
    clarity: float | None = None
    """Distance of ``nearest`` from 1, at most 1: 0 is a toss-up, 1 is certain. None as for ``nearest``."""
    by_hand: bool = False
    """Whether the cut was chosen by hand (:meth:`phida.PHIDAPlus.cut`)."""

    def __str__(self) -> str:
        count = _counted(self.n_clusters, "cluster")
        if self.by_hand:
            return f"{count} (chosen by hand)"
        if self.joined is None:
            return f"{count} (no other number was possible)"
        by_chance = "as deep as chance would make it"
        if self.kept is None:
            return f"{count}: the strongest split not made is {_times(self.joined)} {by_chance}"
        kept = f"{count}: the weakest split is {_times(self.kept)} {by_chance}"
        return f"{kept}, the strongest split not made is {_times(self.joined)} as deep" if self.joined > 0.0 else kept


def _times(ratio: float) -> str:
    return "over 100 times" if ratio > 100.0 else f"{ratio:.2f} times"


def _density_clarity(hierarchy: Hierarchy) -> DensityClarity:
    n_clusters, heights = len(hierarchy.mode) - hierarchy.level, hierarchy.merge_height
    if math.isnan(hierarchy.threshold) or hierarchy.level != int((heights < hierarchy.threshold).sum()):
        return DensityClarity(n_clusters, None, by_hand=True)
    if len(hierarchy.mode) == 1:
        return DensityClarity(n_clusters, None)
    # Clusters that no merge joins are infinitely far apart.
    kept = float(heights[heights >= 1.0].min(initial=np.inf)) if n_clusters > 1 else None
    joined = float(heights[heights < 1.0].max(initial=0.0))
    nearest = joined if kept is None or 1.0 - joined <= kept - 1.0 else kept
    return DensityClarity(n_clusters, nearest, kept, joined, min(abs(nearest - 1.0), 1.0))


def cut_clarity(persistence: Persistence, hierarchy: Hierarchy, n_components: int) -> CutClarity | DensityClarity:
    """Return the clarity of a model's number of clusters."""
    if not math.isinf(hierarchy.threshold):
        return _density_clarity(hierarchy)
    values = persistence.persistence
    levels = np.unique(values[np.isfinite(values) & (values > 0)])
    gaps = np.diff(levels, prepend=0.0)
    level = hierarchy.level
    # A requested cut may have fewer clusters than the minimum; the model's own never has.
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
    """Return one minus the ratio of the largest other gap to the chosen one; None without another gap."""
    others = np.delete(gaps, chosen)
    if not len(others):
        return None
    return float(np.clip(1.0 - others.max() / gaps[chosen], 0.0, 1.0)) if gaps[chosen] > 0 else 0.0


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _told(clarity: float | None, no_choice: str) -> str:
    return no_choice if clarity is None else f"clarity {clarity:.2f}"
