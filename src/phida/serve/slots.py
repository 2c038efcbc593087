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
        used = [0] * COLOURS
        for id in living:
            if id in self._of:
                used[self._of[id]] += 1
        for id in living:
            if id not in self._of:
                slot = used.index(min(used))
                self._of[id] = slot
                used[slot] += 1
        return {id: self._of[id] for id in living}
