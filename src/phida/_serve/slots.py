"""Colours for clusters, by the number of a place in the palette."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

import numpy as np
from numpy.typing import NDArray

#: Colours of the page's palette. The first half is the easiest to tell apart.
COLOURS = 24

#: Clusters that all have different colours: the largest.
LARGEST = 12

#: Clusters nearest to a cluster on the map whose colour it never has, nor they its colour.
_NEIGHBOURS = 5

#: Nodes whose distances to all others are computed at a time.
_CHUNK = 256


class Slots:
    """A place in the palette for each name, kept as long as the name is drawn anywhere and no rival has it.

    Rivals are the largest clusters among each other, and neighbours on the map. The larger of two rivals keeps its
    place.
    """

    def __init__(self) -> None:
        self._of: dict[str, int] = {}

    def choose(self, names: Sequence[str], neighbours: Sequence[Set[int]], kept: Iterable[str]) -> list[int]:
        """Places of the clusters that live now.

        ``names``: the largest first; ``neighbours``: positions of each one's neighbours, symmetric; ``kept``: names
        that only the past still shows.
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
        """Places that differ as little as possible from the last ones; None if that leaves none for a cluster."""
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
    """Places that always exist.

    Each cluster names at most _NEIGHBOURS others, so that in any set of clusters one has at most twice as many
    neighbours. Taken from the last such one to the first, a cluster meets 2 * _NEIGHBOURS colours among those before it
    and LARGEST among the largest: fewer than COLOURS.
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
    """Pairs of clusters on the map of which one is among the nearest of the other, by their closest nodes.

    ``at``: coordinates of nodes; ``cluster``: from 0 to ``count`` - 1, or -1. Each axis counts by its range, since the
    map fills its panel. Ties go to the lower number.
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
