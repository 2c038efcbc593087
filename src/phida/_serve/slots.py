"""Colours for clusters, as slots of the palette."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

#: Colours of the page's palette. Colours of the first half are the most distinct.
COLOURS = 24

#: Number of largest clusters with different colours.
LARGEST = 12

#: Nearest clusters on the map that never share a cluster's colour.
_NEIGHBOURS = 5

#: Nodes whose distances to all others are computed at a time.
_CHUNK = 256


class Slots:
    """A slot of the palette for each name, kept while the name is drawn and no rival has it.

    The largest clusters are rivals, and so are neighbours on the map. The larger of two rivals keeps its slot.
    """

    def __init__(self) -> None:
        self._of: dict[str, int] = {}

    def choose(self, names: Sequence[str], neighbours: Sequence[Set[int]], kept: Iterable[str]) -> list[int]:
        """Return the slots of the current clusters.

        ``names``: largest first; ``neighbours``: positions of each cluster's neighbours, symmetric; ``kept``: names
        that only earlier snapshots show.
        """
        largest = set(range(min(LARGEST, len(names))))
        rivals = [(near | largest if i in largest else near) - {i} for i, near in enumerate(neighbours)]
        past = {name: self._of[name] for name in kept if name in self._of}
        slots = self._steady(names, rivals, past)
        if slots is None:
            slots = _anew(rivals)
        self._of = past | dict(zip(names, slots, strict=True))
        return slots

    def _steady(self, names: Sequence[str], rivals: Sequence[Set[int]], past: dict[str, int]) -> list[int] | None:
        """Return slots with the fewest changes, or None if a cluster would get none."""
        slots = [-1] * len(names)
        for i, name in enumerate(names):
            slot = self._of.get(name, -1)
            if slot >= 0 and all(slots[j] != slot for j in rivals[i]):
                slots[i] = slot
        users, before = Counter(slots), Counter(past[name] for name in past.keys() - set(names))
        for i, slot in enumerate(slots):
            if slot >= 0:
                continue
            free = set(range(COLOURS)) - {slots[j] for j in rivals[i]}
            if not free:
                return None
            of_largest = set(slots[:LARGEST])
            slots[i] = min(
                free,
                key=lambda slot: (
                    slot in of_largest,
                    users[slot],
                    before[slot],
                    (slot < LARGEST) != (i < LARGEST),
                    slot,
                ),
            )
            users[slots[i]] += 1
        return slots


def _anew(rivals: Sequence[Set[int]]) -> list[int]:
    """Return new slots, which always exist.

    Each cluster names at most _NEIGHBOURS others, so that in any set of clusters one has at most twice as many
    neighbours. In the reverse order of such clusters, each meets 2 * _NEIGHBOURS earlier colours and LARGEST of the
    largest: fewer than COLOURS.
    """
    left = {i: {j for j in near if j >= LARGEST} for i, near in enumerate(rivals) if i >= LARGEST}
    last_first = []
    while left:
        i = min(left, key=lambda i: (len(left[i]), i))
        for j in left.pop(i):
            left[j].discard(i)
        last_first.append(i)
    slots = [-1] * len(rivals)
    for i in [*range(min(LARGEST, len(rivals))), *reversed(last_first)]:
        slots[i] = min(set(range(COLOURS)) - {slots[j] for j in rivals[i]})
    return slots


def map_neighbours(at: NDArray[np.float64], cluster: NDArray[np.int64], count: int) -> list[set[int]]:
    """Return pairs of clusters on the map of which one is among the nearest of the other, by their closest nodes.

    ``at``: coordinates of nodes; ``cluster``: from 0 to ``count`` - 1, or -1. Coordinates are divided by the range of
    their axis, since the map fills its panel. Ties go to the lower number.
    """
    found: list[set[int]] = [set() for _ in range(count)]
    order = np.argsort(cluster, kind="stable")
    order = order[cluster[order] >= 0]
    present, begin = np.unique(cluster[order], return_index=True)
    if len(present) < 2:
        return found
    wide = np.ptp(at[order], axis=0)
    points = (at[order] / np.where(wide > 0, wide, 1)).astype(np.float32)
    nearest = np.full((len(present), len(present)), np.inf, dtype=np.float32)
    of = np.searchsorted(present, cluster[order])
    for first in range(0, len(points), _CHUNK):
        some = points[first : first + _CHUNK]
        squares = (some[:, :1] - points[:, 0]) ** 2 + (some[:, 1:] - points[:, 1]) ** 2
        np.minimum.at(nearest, of[first : first + _CHUNK], np.minimum.reduceat(squares, begin, axis=1))
    np.fill_diagonal(nearest, np.inf)
    rows = np.arange(len(present))
    for _ in range(min(_NEIGHBOURS, len(present) - 1)):
        closest = nearest.argmin(axis=1)
        nearest[rows, closest] = np.inf
        for a, b in zip(present.tolist(), present[closest].tolist(), strict=True):
            found[a].add(b)
            found[b].add(a)
    return found
