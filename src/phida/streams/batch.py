"""What readers give: some rows of a stream, and where in it they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from phida.streams.identity import FilePart


class DataError(ValueError):
    """Input that cannot be read as rows of numbers."""


@dataclass(frozen=True)
class BadRow:
    """A row that was left out."""

    number: int
    """From 0, counted over all rows of the stream."""
    reason: str
    text: str


@dataclass(frozen=True, eq=False)
class Batch:
    """Consecutive rows of a stream; those that are bad are left out of ``rows``."""

    end: int
    """Number of the next row of the stream."""
    offset: int
    """Where in its file that row begins; in bytes, or rows where a file has no bytes to speak of."""
    numbers: NDArray[np.int64]
    """Number of each row."""
    rows: NDArray[np.float64]
    texts: Sequence[str]
    """Each row as it was written, where the format is text; else empty."""
    columns: Callable[[], dict[str, list[Any]]]
    """All columns of the file, features or not, by name; worked out when asked for."""
    truth: Sequence[Any] = ()
    """The label column, where one was named."""
    bad: Sequence[BadRow] = field(default=())
    file: FilePart | None = None
    """The file up to ``offset``, where it is one of text."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """Where each partition of a topic goes on; empty for files."""
    kept: Callable[[], None] = lambda: None
    """To be called when a crash would not lose these rows any more."""
    urgent: bool = False
    """Whether no more rows come until these are kept."""

    def __len__(self) -> int:
        return len(self.numbers)


class RowReader(Protocol):
    """A file, or what comes through a pipe, as rows of numbers."""

    format: str
    names: tuple[str, ...] | None
    """Names of the features; None where the format has none."""
    features: tuple[str, ...]
    """The same, numbered where the format has none."""
    all_names: tuple[str, ...]
    """Names of all columns, likewise."""

    def batches(self, size: int) -> Iterator[Batch]:
        """Batches that end at row numbers divisible by ``size``; the last may end sooner."""


def rows_left(number: int, size: int) -> int:
    """How many rows are left to the end of the batch that a row is in."""
    return size - number % size
