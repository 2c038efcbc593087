"""How clear the two gaps were that decide the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phida.records import Floats, Hierarchy, Persistence


@dataclass(frozen=True)
class CutClarity:
    """How much larger the gap at each cut was than the next one: 0 is a toss-up, 1 beyond doubt, None no choice.

    A clarity of 0.25 says that the second largest gap is three quarters of the largest. Where a cut was chosen by hand
    (:meth:`phida.PHIDA.cut`), its own gap is compared with the largest other one.

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
    mapping: str = "persistence"
    """With ``coactivation`` no gap decides: the cut is where groups share no more samples than chance would give."""
    asked_for: bool = False
    """With ``coactivation``: the cut is another one, chosen by hand."""

    def __str__(self) -> str:
        if self.mapping == "coactivation":
            where = "as asked for" if self.asked_for else "at what chance would give; no gap to choose by"
            return f"{self.n_clusters} clusters (cut {where})"
        return (
            f"{self.n_components} components ({_told(self.persistence, 'no gap to choose by')}), "
            f"{self.n_clusters} clusters ({_told(self.hierarchy, f'no choice: at least {self.minimum_count}')}"
            f"{'' if self.next_n_clusters is None else f'; next best {self.next_n_clusters}'})"
        )


def cut_clarity(persistence: Persistence, hierarchy: Hierarchy, n_components: int) -> CutClarity:
    """The clarity of both cuts of a model."""
    if hierarchy.mapping == "coactivation":
        return CutClarity(
            persistence=None,
            hierarchy=None,
            n_components=n_components,
            n_clusters=len(hierarchy.mode) - hierarchy.level,
            minimum_count=hierarchy.minimum_count,
            next_n_clusters=None,
            mapping="coactivation",
            asked_for=hierarchy.level != int((hierarchy.merge_height < 0).sum()),
        )
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


def _told(clarity: float | None, no_choice: str) -> str:
    return no_choice if clarity is None else f"clarity {clarity:.2f}"
