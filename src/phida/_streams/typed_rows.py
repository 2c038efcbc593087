"""Rows of typed files, which are read in parts.

Files are not mapped into memory: truncation by another program would kill the process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.batch import Batch, Place
from phida._streams.columns import Selection
from phida._streams.identity import FilePart, RowsRead
from phida._streams.values import sound


class TypedRows:
    """A file with columns of one type each."""

    delimiter = ","

    def __init__(self, path: Path, format: str, selection: Selection, start: tuple[int, int]) -> None:
        """``start``: row number and file position to resume from."""
        self.format = format
        self._path = path
        self._selection = selection
        self._first, self._start = start
        self._rows_read = RowsRead(path)
        self.conversions: dict[str, str] = {}

    def _begin(self, names: tuple[str, ...], types: Mapping[str, Any]) -> None:
        """Set the columns, and select the features among them."""
        self.all_names, self.types = names, types
        self._features = self._selection.features(names)
        self.features = tuple(names[i] for i in self._features)

    def part_read(self) -> FilePart:
        """Return the rows before the next one."""
        return self._rows_read.part()

    def _batch(self, rows: NDArray[np.float64], begin: int, column: Callable[[int], Any]) -> Batch:
        """Return a batch of the rows from a number on; ``column`` returns a column of the file for all of them."""
        before = copy(self._rows_read)
        self._rows_read.add(rows)
        good, bad = sound(rows, self.features, begin, keep_missing=self._selection.keep_missing)
        end, earlier = begin + len(rows), self._first - self._start  # rows of earlier files
        label = self._selection.label
        truth = [] if label is None else column(self.all_names.index(label)).tolist()

        def columns() -> dict[str, Any]:
            return {name: column(i) for i, name in enumerate(self.all_names)}

        def place_of(number: int) -> Place:
            return Place(number - earlier, before.and_then(rows[: number - begin]))

        place, numbers = Place(end - earlier, self.part_read()), np.arange(begin, end)
        found = Batch(end, place, numbers, rows, (), columns, truth, bad, place_of, self.conversions)
        return found.where(good, rows[good]) if bad else found
