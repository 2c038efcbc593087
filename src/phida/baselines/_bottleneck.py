"""The bottleneck distance of two persistence diagrams, exactly."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching


def bottleneck_distance(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Largest move of a point that takes one diagram to the other, where each point may also move to the diagonal.

    Moves are measured by the maximum norm. Equal infinite coordinates are no distance apart; if the infinite points
    cannot be matched, the distance is infinite.

    Parameters
    ----------
    first, second : ndarray of shape (n_points, 2)
        Birth and death of each point, either way up, none of them equal.
    """
    with np.errstate(invalid="ignore"):  # infinity minus itself, where the points are equal
        moves = np.abs(first[:, None, :] - second[None, :, :])
    moves[first[:, None, :] == second[None, :, :]] = 0.0
    between = moves.max(axis=2, initial=0.0)
    first_exits, second_exits = (np.abs(points[:, 0] - points[:, 1]) / 2.0 for points in (first, second))

    def suffices(reach: float) -> bool:
        # Points that cannot exit must be matched. A matching that serves those of one diagram and a matching that
        # serves those of the other can always be joined into one that serves both (Mendelsohn and Dulmage).
        near = between <= reach
        return _all_matched(near[first_exits > reach]) and _all_matched(near[:, second_exits > reach].T)

    exits = np.unique(np.concatenate([[0.0], first_exits, second_exits]))
    at = bisect_left(exits, True, key=suffices)  # all points can exit at the last
    inner = np.unique(between[(between > exits[max(at - 1, 0)]) & (between < exits[at])])
    better = bisect_left(inner, True, key=suffices)
    return float(inner[better] if better < len(inner) else exits[at])


def _all_matched(allowed: NDArray[np.bool_]) -> bool:
    """Whether every row finds a column of its own."""
    if len(allowed) == 0 or not allowed.any(axis=1).all():
        return len(allowed) == 0
    return bool((maximum_bipartite_matching(csr_array(allowed), perm_type="column") >= 0).all())
