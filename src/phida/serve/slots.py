"""Colours for clusters, by the number of a place in the palette."""

from __future__ import annotations

from collections.abc import Iterable

#: Colours of the page's palette.
COLOURS = 8


class Slots:
    """A place in the palette for each id, kept as long as the id is drawn anywhere.

    Clusters that live at the same time share a colour only where there are more of them than colours.
    """

    def __init__(self) -> None:
        self._of: dict[int, int] = {}

    def choose(self, ids: Iterable[int], kept: Iterable[int]) -> dict[int, int]:
        """Places of the ids that live now, the largest first; ``kept``: ids that only the past still shows."""
        living = list(ids)
        drawn = set(living) | set(kept)
        self._of = {id: slot for id, slot in self._of.items() if id in drawn}
        users: list[list[int]] = [[] for _ in range(COLOURS)]
        for rank, id in enumerate(living):
            if id in self._of:
                users[self._of[id]].append(rank)
        for rank, id in enumerate(living):
            if id not in self._of:
                # Where all are taken, one that only small clusters have.
                slot = min(range(COLOURS), key=lambda slot: (len(users[slot]), -min(users[slot], default=0)))
                self._of[id] = slot
                users[slot].append(rank)
        return {id: self._of[id] for id in living}
