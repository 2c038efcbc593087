"""The trail: earlier snapshots, thinned as their number grows."""

from __future__ import annotations

import threading
from collections.abc import Set
from dataclasses import dataclass


@dataclass(frozen=True)
class Column:
    """One earlier snapshot."""

    number: int
    """Number of its snapshot."""
    ids: Set[int]
    """The clusters in it."""
    text: str
    """The values that bands and curves draw, as JSON."""
    snapshot: bytes
    """The whole snapshot, as JSON."""


class Trail:
    """Columns over the whole run. At the limit, every second one is dropped, and later ones are added less often."""

    def __init__(self, most: int = 240) -> None:
        self._most = most
        self._columns: list[Column] = []
        self._offered = 0
        self._stride = 1
        self._lock = threading.Lock()

    def offer(self, column: Column) -> None:
        """Add a column if one is due."""
        with self._lock:
            if self._offered % self._stride == 0:
                self._columns.append(column)
            self._offered += 1
            if len(self._columns) > self._most:
                self._columns = self._columns[::2]
                self._stride *= 2

    def since(self, stride: int, count: int) -> tuple[int, int, list[Column]]:
        """Return the stride, the first position that a listener lacks, and the columns from there on."""
        with self._lock:
            begin = count if stride == self._stride else 0
            return self._stride, begin, self._columns[begin:]

    def at(self, number: int) -> bytes | None:
        """Return the snapshot with this number, if it was kept."""
        with self._lock:
            return next((column.snapshot for column in self._columns if column.number == number), None)

    def ids(self) -> set[int]:
        """Return all clusters that occur in a column."""
        with self._lock:
            return set().union(*(column.ids for column in self._columns))
