"""Batches of rows, and the interface of readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from types import MappingProxyType
from typing import Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_mask
from phida._streams.identity import FilePart
from phida.errors import InputError

#: Number of lines from which pyarrow is faster than Python.
_MANY = 100


class DataError(InputError):
    """Input that cannot be read as rows of numbers."""


@dataclass(frozen=True)
class BadRow:
    """A row that cannot be used."""

    number: int
    """Number of the row in the stream, from 0."""
    reason: str
    text: str


class Texts(Sequence[str]):
    """Consecutive lines of text: one block of UTF-8, split on demand."""

    def __init__(self, block: bytes, good: NDArray[np.bool_] | None = None) -> None:
        """``block``: lines, each with a line break; ``good``: mask of the lines to use (default: all)."""
        self._block = block
        self._good = good

    def where(self, good: NDArray[np.bool_]) -> Texts:
        """Return some of the lines."""
        if self._good is None:
            return Texts(self._block, good)
        kept = self._good.copy()
        kept[kept] = good
        return Texts(self._block, kept)

    def holds(self, marks: Sequence[str]) -> bool:
        """Return whether any of the marks occurs in the block."""
        return any(mark.encode() in self._block for mark in marks)

    def array(self) -> Any:
        """Return a pyarrow array, whose functions process all lines at once."""
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = np.flatnonzero(np.frombuffer(self._block, np.uint8) == ord("\n")) + 1
        offsets = np.append(0, ends)
        lines = pa.LargeStringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(self._block))
        if self._good is not None:
            lines = lines.filter(as_mask(self._good))
        return pc.ascii_rtrim(lines, "\r\n")

    @cached_property
    def _lines(self) -> list[str]:
        found: list[str] = self.array().to_pylist()
        return found

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self._lines[at]

    def __len__(self) -> int:
        return len(self._lines)


def texts_of(block: bytes, count: int) -> Sequence[str]:
    """Return the lines of a block as the fastest type for their number."""
    if count >= _MANY:
        return Texts(block)
    lines = block.decode().split("\n")[:-1]
    return [line.rstrip("\r") for line in lines]


@dataclass(frozen=True)
class Place:
    """The position from which a stream resumes."""

    offset: int = 0
    """Offset of the row in its file: in bytes, or in rows for formats without lines."""
    file: FilePart | None = None
    """The file up to ``offset``; None for pipes and topics."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """Next offset of each partition of a topic; empty for files."""
    kept: Callable[[], None] = lambda: None
    """Called when the earlier rows are safe from a crash."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Consecutive rows of a stream; ``rows`` lacks the bad ones."""

    end: int
    """Number of the next row in the stream."""
    place: Place
    """Place of that row in its source."""
    numbers: NDArray[np.int64]
    """Number of each row."""
    rows: NDArray[np.float64]
    texts: Sequence[str]
    """The text of each row, if the format is text; else empty."""
    columns: Callable[[], dict[str, Any]]
    """All columns of the file, features or not, by name, as lists or arrays; made when the function is called."""
    truth: Sequence[Any] = ()
    """The label column, if one was named."""
    bad: Sequence[BadRow] = field(default=())
    place_of: Callable[[int], Place] = lambda number: Place()
    """Returns the place of a row of this batch; only valid until the next batch is read."""
    conversions: Mapping[str, str] = field(default_factory=dict)
    """Formats of the columns of dates and booleans that are read as numbers."""
    urgent: bool = False
    """Whether the source waits until these rows are saved."""

    def __len__(self) -> int:
        return len(self.numbers)

    def before(self, number: int) -> Batch:
        """Return the rows before one of them, as a batch that ends there."""
        good = self.numbers < number
        bad = [row for row in self.bad if row.number < number]
        return replace(self.where(good, self.rows[good]), end=number, place=self.place_of(number), bad=bad)

    def where(self, good: NDArray[np.bool_], rows: NDArray[np.float64]) -> Batch:
        """Return some of the rows, with other values."""
        texts = self.texts.where(good) if isinstance(self.texts, Texts) else list(compress(self.texts, good))

        def columns() -> dict[str, Any]:
            return {name: _where(column, good) for name, column in self.columns().items()}

        truth = list(compress(self.truth, good))
        return replace(self, numbers=self.numbers[good], rows=rows, texts=texts, columns=columns, truth=truth)


def _where(column: Any, good: NDArray[np.bool_]) -> Any:
    """Return some values of a list or an array."""
    if isinstance(column, list):
        return list(compress(column, good))
    if isinstance(column, np.ndarray):
        return column[good]
    return column.filter(as_mask(good))


#: Types of the columns in formats without types.
NO_TYPES: Mapping[str, Any] = MappingProxyType({})


class RowReader(Protocol):
    """Reader of a file or pipe, as rows of numbers."""

    format: str
    delimiter: str
    """Delimiter of CSV output: that of the file if it is CSV, else a comma."""
    names: tuple[str, ...] | None
    """Names of the features; None if the format has none."""
    features: tuple[str, ...]
    """Names of the features, or numbers if the format has no names."""
    all_names: tuple[str, ...]
    """Names of all columns, or numbers."""
    types: Mapping[str, Any]
    """pyarrow type of each column, if the file has types; empty for text."""

    def batches(self, size: int) -> Iterator[Batch]:
        """Yield batches that end at row numbers divisible by ``size``; the last may be shorter."""


def rows_left(number: int, size: int) -> int:
    """Return the number of rows to the end of the batch of a row."""
    return size - number % size
