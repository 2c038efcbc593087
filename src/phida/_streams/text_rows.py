"""Rows of text formats.

Most lines hold only plain values, and pyarrow reads many of these at a time. A batch that pyarrow refuses is read line
by line, with a reason for each bad row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.batch import NO_TYPES, BadRow, Batch, DataError, Place, Texts, rows_left, texts_of
from phida._streams.columns import NotNumericError, Selection
from phida._streams.conversion import BOOLEAN, Conversion, conversion_of, known_conversions
from phida._streams.lines import Lines, Taken
from phida._streams.values import is_missing, is_sound

#: Number of rows below which line by line is faster, so that pyarrow need not be imported.
MANY = 100

#: Rows that decide which columns are features.
SAMPLE = 1000

Floats = NDArray[np.float64]


class TextRows(ABC):
    """Lines of a file, a pipe or a topic."""

    format: str
    delimiter = ","
    types = NO_TYPES
    encoding = "utf-8"

    def __init__(self, lines: Lines, selection: Selection, number: int) -> None:
        """``number``: that of the first row."""
        self._lines = lines
        self._selection = selection
        self._number = number

    def _begin(self, header: tuple[str, ...]) -> None:
        """Set the columns, and select the features among them."""
        self.all_names = header
        self._features = self._selection.features(header)
        self.features = tuple(header[i] for i in self._features)
        self.names: tuple[str, ...] | None = self.features
        convert = self._selection.convert
        self._convert = {name: convert[name] for name in self.features if name in convert}
        self._conversions = known_conversions(self._convert)

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`."""
        while group := self._lines.take_batches(rows_left(self._number, size), size):
            if self._lines.begins_file:
                group = self._without_header(group)
            if group and (self._number == 0 or len(self._conversions) < len(self._convert)):
                self._look_at(group[0])
            for taken, block, rows in self._in_bulk(group):
                begin = self._number
                self._number += len(taken)
                yield self._batch(taken, block, rows, begin)

    def _without_header(self, group: list[Taken]) -> list[Taken]:
        """Return the lines without the header of a file that took the place of another."""
        return group

    @abstractmethod
    def _look_at(self, taken: Taken) -> None:
        """Detect in the first rows how dates and booleans are written; refuse columns that cannot be features."""

    @abstractmethod
    def _numbers(self, block: bytes, count: int) -> Floats | None:
        """Return the features of so many lines; None, or ValueError, if any line is unusual."""

    @abstractmethod
    def _parsed(self, line: bytes, number: int, taken: Taken, at: int) -> tuple[str, list[float]]:
        """Return the text of a line and its features; DataError if it cannot be used."""

    @abstractmethod
    def _columns(self, texts: Sequence[str]) -> dict[str, Any]:
        """Return all columns of lines."""

    @abstractmethod
    def _label_of(self, text: str) -> Any:
        """Return the value of the label column."""

    def _utf8(self, block: bytes) -> bytes:
        """Return lines as UTF-8; raise UnicodeDecodeError for invalid bytes."""
        if block.isascii():
            return block
        text = block.decode(self.encoding)
        return block if self.encoding == "utf-8" else text.encode()

    def _detect(self, values_of: Callable[[str], Sequence[str]], is_boolean: Callable[[str], bool]) -> None:
        """Detect formats in the first values of columns; booleans of the first row are converted by default."""
        for name in self._convert.keys() - self._conversions.keys():
            values = values_of(name)
            found = conversion_of(values)
            if found is None:
                example = next((value for value in values if not is_missing(value)), "")
                raise DataError(f"column {name!r} holds neither dates nor booleans ({example[:40]!r}).")
            self._conversions[name] = found
        for name in self.features if self._number == 0 else ():
            if name not in self._conversions and is_boolean(name):
                self._convert[name], self._conversions[name] = BOOLEAN, Conversion(BOOLEAN)

    def _in_bulk(self, group: list[Taken]) -> Iterator[tuple[Taken, bytes, Floats | None]]:
        """Yield batches as UTF-8 with their numbers, or None for a batch with unusual lines."""
        blocks, count, rows = [taken.block for taken in group], sum(map(len, group)), None
        if count >= MANY and not self._convert and all(taken.plain for taken in group):
            self._lines.check_signals()
            with suppress(ValueError):  # includes pyarrow's errors
                blocks = [self._utf8(block) for block in blocks]
                rows = self._numbers(b"".join(blocks), count)
        if rows is not None and len(rows) != count:  # pyarrow also splits lines at a carriage return
            rows = None
        begin = 0
        for taken, block in zip(group, blocks, strict=True):
            yield taken, block, None if rows is None else rows[begin : begin + len(taken)]
            begin += len(taken)

    def _batch(self, taken: Taken, block: bytes, read: Floats | None, begin: int) -> Batch:
        texts: Sequence[str]
        bad: list[BadRow] = []
        end = begin + len(taken)
        if read is None:
            texts, rows, numbers, bad = self._one_by_one(taken, range(len(taken)), begin)
        else:
            texts, rows, numbers = texts_of(block, len(read)), read, np.arange(begin, end)
            fine = is_sound(rows, keep_missing=self._selection.keep_missing)
            if not fine.all():
                good = np.asarray(fine.all(axis=1))
                bad = self._one_by_one(taken, np.flatnonzero(~good).tolist(), begin)[-1]
                assert len(bad) == len(good) - good.sum(), "a row is bad only when it is read with others"
                texts, rows, numbers = Texts(block, good), rows[good], numbers[good]
        truth = [] if self._selection.label is None else [self._label_of(text) for text in texts]
        formats = {name: found.format for name, found in self._conversions.items()}
        place_of = partial(self._place, taken, begin)
        columns = partial(self._columns, texts)
        return Batch(end, place_of(end), numbers, rows, texts, columns, truth, bad, place_of, formats)

    def _place(self, taken: Taken, begin: int, number: int) -> Place:
        offset = taken.offset_of(number - begin)
        return Place(offset, self._lines.file_part(offset))

    def _one_by_one(
        self, taken: Taken, which: Iterable[int], begin: int
    ) -> tuple[list[str], Floats, NDArray[np.int64], list[BadRow]]:
        texts, rows, numbers, bad = [], [], [], []
        lines = taken.lines()
        for at in which:
            self._lines.check_signals()
            try:
                text, values = self._parsed(lines[at], begin + at, taken, at)
            except NotNumericError:
                raise
            except DataError as error:
                bad.append(BadRow(begin + at, str(error), lines[at].decode(self.encoding, errors="replace")))
                continue
            texts.append(text)
            rows.append(values)
            numbers.append(begin + at)
        matrix = np.array(rows, np.float64).reshape(len(rows), len(self.features))
        return texts, matrix, np.array(numbers, np.int64), bad
