"""Lanes for bands: overlapping bands get different lanes, and children are near their parents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def lanes(begin: Sequence[int], end: Sequence[int], parent: Sequence[int | None]) -> NDArray[np.int64]:
    """Return a lane for each band: the free lane nearest to its parent's, or the first, or a new one.

    Bands are given in the order in which they begin. A lane becomes free after a gap of a fiftieth of the total time,
    so that consecutive lives look separate.
    """
    rest = max(end, default=0) / 50
    taken: list[float] = []  # end of the last band in each lane
    found = np.zeros(len(begin), dtype=np.int64)
    for i in np.argsort(begin, kind="stable"):
        near = 0 if (above := parent[i]) is None else int(found[above])
        free = [lane for lane, until in enumerate(taken) if until + rest <= begin[i]]
        if free:
            found[i] = min(free, key=lambda lane: (abs(lane - near), lane))
        else:
            found[i] = len(taken)
            taken.append(0)
        taken[found[i]] = end[i]
    return found
