"""The bottleneck distance of two persistence diagrams, exactly."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching


def bottleneck_distance(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return the largest move that takes one diagram to the other, if points may also move to the diagonal.

    Moves are measured by the maximum norm. The distance of equal infinite coordinates is 0; if the infinite points
    cannot be matched, the distance is infinite.

    Parameters
    ----------
    first, second : ndarray of shape (n_points, 2)
        Birth and death of each point, in either order, never equal.
    """
    first_exits, second_exits = (np.abs(points[:, 0] - points[:, 1]) / 2.0 for points in (first, second))

    def suffices(reach: float) -> bool:
        # Points that cannot exit must be matched. A matching for those of one diagram and a matching for those of the
        # other can always be combined into one for both (Mendelsohn and Dulmage).
        return _all_matched(_moves(first[first_exits > reach], second) <= reach) and _all_matched(
            _moves(second[second_exits > reach], first) <= reach
        )

    exits = np.unique(np.concatenate([[0.0], first_exits, second_exits]))
    at = _first_of_sorted(exits, suffices)
    # Below that exit, the same points must be matched at every reach.
    stay = [(first[first_exits >= exits[at]], second), (second[second_exits >= exits[at]], first)]
    between = np.concatenate([_moves(points, others).ravel() for points, others in stay])
    inner = np.unique(between[(between > exits[max(at - 1, 0)]) & (between < exits[at])])
    better = bisect_left(inner, True, key=suffices)
    return float(inner[better] if better < len(inner) else exits[at])


def _first_of_sorted(reaches: NDArray[np.float64], suffices: Callable[[float], bool]) -> int:
    """Return the index of the first reach that suffices. The last one does. Larger reaches are cheaper to test."""
    high, step = len(reaches) - 1, 1
    while step <= high and suffices(reaches[high - step]):
        high, step = high - step, 2 * step
    return bisect_left(reaches, True, lo=max(high - step, 0), hi=high, key=suffices)


def _moves(points: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each point to each of the others, by the maximum norm."""
    with np.errstate(invalid="ignore"):  # infinity minus itself, replaced by 0
        births, deaths = (
            np.where(here == there, 0.0, np.abs(here - there))
            for here, there in zip(points.T[:, :, None], others.T[:, None, :], strict=True)
        )
    return np.maximum(births, deaths)


def _all_matched(allowed: NDArray[np.bool_]) -> bool:
    """Return whether every row can be matched with its own column."""
    if len(allowed) == 0 or not allowed.any(axis=1).all():
        return len(allowed) == 0
    return bool((maximum_bipartite_matching(csr_array(allowed), perm_type="column") >= 0).all())
