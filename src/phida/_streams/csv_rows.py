"""Rows of a CSV file.

Most lines contain only numbers, and pyarrow reads many of these at a time. A batch that pyarrow refuses, or that
contains quotes, is read line by line, with a reason for each bad row.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_floats
from phida._streams.batch import NO_TYPES, BadRow, Batch, DataError, Place, Texts, rows_left, texts_of
from phida._streams.columns import NotNumericError, Selection, check_width, made_up
from phida._streams.conversion import (
    BOOLEAN,
    Column,
    Conversion,
    Widths,
    conversion_of,
    is_boolean,
    kind_of,
    known_conversions,
    not_numeric,
)
from phida._streams.dialect import Dialect, check_marks, detected_delimiter
from phida._streams.lines import Lines, Taken, portions
from phida._streams.values import MISSING, checked, is_missing, is_sound, missing

#: Bytes of rows parsed as numbers between two checks for signals.
_PORTION = 1 << 20

#: Number of rows below which line by line is faster, so that pyarrow need not be imported.
_MANY = 100

#: The most frequent encoding of files that are not UTF-8: Windows' Western European one, which extends Latin-1.
_LIKELY = "cp1252"

#: Rows that decide which columns are features.
_SAMPLE = 1000


class CsvRows:
    """A CSV file with a header, or without one if its first line is all numbers."""

    types = NO_TYPES

    def __init__(
        self,
        lines: Lines,
        selection: Selection,
        dialect: Dialect,
        *,
        format: str = "csv",
        header: tuple[str, ...] | None = None,
        start: tuple[int, int] = (0, 0),
    ) -> None:
        """``header`` and ``start``, a row number and its offset, to resume from."""
        self.format = format
        self._lines = lines
        self._dialect = dialect
        self.detected = dialect.delimiter is None
        """Whether the delimiter was not given."""
        head = lines.peek()
        check_marks(head)
        width = None if header is None else len(header)
        self.delimiter = dialect.delimiter or detected_delimiter(head, dialect.encoding, width)
        lines.set_delimiter(self.delimiter.encode())
        self._number, offset = start
        self._selection = selection
        if header is None:
            header = self._read_header()
        else:
            self._skip_header(header)
        if offset:
            lines.seek(offset)
        self.all_names = header
        self._features = selection.features(header)
        self._label = None if selection.label is None else header.index(selection.label)
        self._keep_missing = selection.keep_missing
        self.features = tuple(header[i] for i in self._features)
        self.names: tuple[str, ...] | None = self.features
        self._convert = {i: selection.convert[header[i]] for i in self._features if header[i] in selection.convert}
        self._conversions = known_conversions(self._convert)

    @property
    def conversions(self) -> dict[str, str]:
        """Return the known formats of converted columns."""
        return {self.all_names[i]: found.format for i, found in self._conversions.items()}

    def _read_header(self) -> tuple[str, ...]:
        before = self._lines.offset
        first = self._lines.take(1).lines()
        if not first:
            raise DataError("the input is empty.")
        try:
            fields = self._names(first[0])
        except DataError as error:
            raise self._with_advice(error, first[0]) from error
        check_width("the first line", len(fields))
        if not all(self._dialect.is_number(field) for field in fields):
            return tuple(name or f"column {i}" for i, name in enumerate(fields))
        self._lines.put_back(first[0], self._lines.offset - before)
        return tuple(str(i) for i in range(len(fields)))

    def _with_advice(self, error: DataError, header: bytes) -> DataError:
        """Return an error about the encoding, with all else that the first rows need in the likeliest encoding."""
        if not self._dialect.is_utf8 or not isinstance(error.__cause__, UnicodeDecodeError):
            return error
        try:
            self._dialect = replace(self._dialect, encoding=_LIKELY)
            self.all_names = tuple(self._names(header))
            self._features = self._selection.features(self.all_names)
            self._conversions, self._convert = {}, {}
            self._look_at(self._lines.take(_SAMPLE), _LIKELY)
        except NotNumericError as more:
            return NotNumericError(f"{error} {more}")
        except DataError:
            pass
        return error

    def _skip_header(self, header: tuple[str, ...]) -> None:
        """Skip the header if it is sent again: a sender that restarts from some row may repeat it."""
        before = self._lines.offset
        first = self._lines.take(1).lines()
        if first and not self._is_header(first[0], header):
            self._lines.put_back(first[0], self._lines.offset - before)

    def _is_header(self, line: bytes, header: tuple[str, ...]) -> bool:
        """Return whether a line repeats the header; other column names are an error, since rows would be misread."""
        if made_up(header):
            return False
        fields = self._names(line)
        if fields != list(header) and not any(map(self._dialect.is_number, fields)):
            raise DataError(
                f"the columns are {_listed(fields)}, but the stream started with {_listed(header)}; use those."
            )
        return fields == list(header)

    def _names(self, line: bytes) -> list[str]:
        return [field.strip() for field in self._fields(self._decoded(line))]

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`."""
        while group := self._lines.take_batches(rows_left(self._number, size), size):
            if self._lines.begins_file:
                group = self._without_header(group)
            if group and (self._number == 0 or len(self._conversions) < len(self._convert)):
                self._look_at(group[0])
            for taken, block, rows in self._all_at_once(group):
                begin = self._number
                self._number += len(taken)
                yield self._batch(taken, block, rows, begin)

    def _without_header(self, group: list[Taken]) -> list[Taken]:
        first = group[0].lines()
        if not self._is_header(first[0], self.all_names):
            return group
        return group[1:] if len(first) == 1 else [group[0].without_first(), *group[1:]]

    def _look_at(self, taken: Taken, encoding: str | None = None) -> None:
        """Detect in the first rows how dates and booleans are written; refuse columns that cannot be features."""
        sample = [self._fields_of(line) for line in taken.lines()[:_SAMPLE]]
        rows = [row for row in sample if row is not None]
        for i in self._convert.keys() - self._conversions.keys():
            found = conversion_of([row[i] for row in rows])
            if found is None:
                example = next((row[i] for row in rows if not is_missing(row[i])), "")
                raise DataError(f"column {self.all_names[i]!r} holds neither dates nor booleans ({example[:40]!r}).")
            self._conversions[i] = found
        first = sample[0] if sample else None
        if first is not None and self._number == 0:
            for i in self._features:
                if i not in self._conversions and is_boolean(first[i]):
                    self._convert[i], self._conversions[i] = BOOLEAN, Conversion(BOOLEAN)
        others = [i for i in self._features if i not in self._conversions]
        if first is not None and any(
            not is_missing(first[i]) and not self._dialect.is_number(first[i]) for i in others
        ):
            columns = [Column(self.all_names[i], [row[i] for row in rows]) for i in others]
            if encoding is None and len(rows) < len(sample) and self._dialect.is_utf8:
                encoding = None if _decodes(taken) else _LIKELY
            widths = Widths(len(self.all_names), len(self._features))
            raise not_numeric(columns, self._dialect, widths, encoding)

    def _fields_of(self, line: bytes) -> list[str] | None:
        """Return the fields of a line, or None if their number is wrong."""
        try:
            fields = self._fields(self._decoded(line))
        except DataError:
            return None
        return fields if len(fields) == len(self.all_names) else None

    def _batch(self, taken: Taken, block: bytes, read: NDArray[np.float64] | None, begin: int) -> Batch:
        texts, rows, numbers, bad = self._one_by_one(taken, begin) if read is None else self._sound(block, read, begin)
        truth = [] if self._label is None else [self._fields(text)[self._label] for text in texts]

        def columns() -> dict[str, list[Any]]:
            fields = [self._fields(text) for text in texts]
            return {name: [row[i] for row in fields] for i, name in enumerate(self.all_names)}

        place_of = partial(self._place, taken, begin)
        end = begin + len(taken)
        return Batch(end, place_of(end), numbers, rows, texts, columns, truth, bad, place_of)

    def _place(self, taken: Taken, begin: int, number: int) -> Place:
        offset = taken.offset_of(number - begin)
        return Place(offset, self._lines.file_part(offset))

    def _all_at_once(self, group: list[Taken]) -> Iterator[tuple[Taken, bytes, NDArray[np.float64] | None]]:
        """Yield batches as UTF-8 with their numbers, or None for a batch with unusual lines."""
        blocks = [taken.block for taken in group]
        rows = None
        if (
            sum(map(len, group)) >= _MANY
            and self._dialect.plain
            and not self._convert
            and all(taken.plain for taken in group)
        ):
            with suppress(ValueError):  # includes pyarrow's errors
                blocks = [self._recoded(block) for block in blocks]
                rows = np.concatenate([self._numbers(portion) for portion in portions(b"".join(blocks), _PORTION)])
        if rows is not None and len(rows) != sum(map(len, group)):  # pyarrow also splits lines at a carriage return
            rows = None
        begin = 0
        for taken, block in zip(group, blocks, strict=True):
            yield taken, block, None if rows is None else rows[begin : begin + len(taken)]
            begin += len(taken)

    def _recoded(self, block: bytes) -> bytes:
        """Return UTF-8; raise UnicodeDecodeError for invalid bytes."""
        if block.isascii():
            return block
        text = self._dialect.decoded(block)
        return block if self._dialect.is_utf8 else text.encode()

    def _sound(
        self, block: bytes, rows: NDArray[np.float64], begin: int
    ) -> tuple[Sequence[str], NDArray[np.float64], NDArray[np.int64], list[BadRow]]:
        """Return rows that were read together, without those that cannot be learned."""
        numbers = np.arange(begin, begin + len(rows))
        fine = is_sound(rows, keep_missing=self._keep_missing)
        if fine.all():
            return texts_of(block, len(rows)), rows, numbers, []
        good = np.asarray(fine.all(axis=1))
        lines = block.split(b"\n")
        bad = [self._bad_row(lines[i].rstrip(b"\r").decode(), begin + i) for i in np.flatnonzero(~good).tolist()]
        return Texts(block, good), rows[good], numbers[good], bad

    def _numbers(self, block: bytes) -> NDArray[np.float64]:
        self._lines.check_signals()
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        names = [str(i) for i in range(len(self.all_names))]
        chosen = [names[i] for i in self._features]
        try:
            table = arrow_csv.read_csv(
                pa.BufferReader(block),
                arrow_csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
                arrow_csv.ParseOptions(delimiter=self.delimiter, quote_char=False),
                arrow_csv.ConvertOptions(
                    include_columns=chosen,
                    column_types=dict.fromkeys(chosen, pa.float64()),
                    null_values=_NULLS,
                    decimal_point=self._dialect.decimal,
                    check_utf8=False,
                ),
            )
        except pa.lib.ArrowCancelled as cancelled:  # Arrow has received the signal too
            self._lines.check_signals()
            raise KeyboardInterrupt from cancelled
        rows = np.empty((len(table), len(chosen)))
        for i, column in enumerate(table.columns):
            rows[:, i] = as_floats(column)
        return rows

    def _bad_row(self, text: str, number: int) -> BadRow:
        try:
            self._row(text, number)
        except DataError as error:
            return BadRow(number, str(error), text)
        raise AssertionError(f"row {number} is bad only when it is read with others")

    def _one_by_one(
        self, taken: Taken, begin: int
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64], list[BadRow]]:
        texts, rows, numbers, bad = [], [], [], []
        for number, line in enumerate(taken.lines(), begin):
            self._lines.check_signals()
            try:
                text = self._decoded(line, taken, number - begin)
                rows.append(self._row(text, number))
                texts.append(text)
                numbers.append(number)
            except NotNumericError:
                raise
            except DataError as error:
                bad.append(BadRow(number, str(error), line.decode(self._dialect.encoding, errors="replace")))
        shape = (len(rows), len(self._features))
        return texts, np.array(rows, np.float64).reshape(shape), np.array(numbers, np.int64), bad

    def _row(self, text: str, number: int) -> list[float]:
        fields = self._fields(text, f"row {number}")
        if len(fields) != len(self.all_names):
            raise DataError(
                f"row {number} has the wrong number of fields: {len(fields)} instead of {len(self.all_names)}."
            )
        return [self._value(fields[i], i, number) for i in self._features]

    def _value(self, field: str, column: int, number: int) -> float:
        name = self.all_names[column]
        if is_missing(field):
            if self._keep_missing:
                return float("nan")
            raise missing(field, name, number)
        convert = self._conversions.get(column)
        try:
            value = self._dialect.number(field) if convert is None else convert.number(field)
        except ValueError:
            raise DataError(
                f"row {number}: {field[:40]!r} in column {name!r} is not a {kind_of(convert)}.{self._hint(field)}"
            ) from None
        return checked(value, name, number)

    def _hint(self, field: str) -> str:
        if self._dialect.decimal == "." and Dialect(decimal=",").is_number(field):
            return " If commas are decimal points, pass --decimal ,"
        return ""

    def _fields(self, text: str, what: str = "the first line") -> list[str]:
        if '"' not in text:
            return text.split(self.delimiter)
        try:
            return next(csv.reader([text], delimiter=self.delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise DataError(f"{what} is not valid CSV ({error}).") from error

    def _decoded(self, line: bytes, taken: Taken | None = None, position: int = 0) -> str:
        try:
            return self._dialect.decoded(line)
        except UnicodeDecodeError as error:
            number = 1 if taken is None else self._lines.lines_before() + taken.number_in_file(position)
            raise not_decoded(number, error) from error


def _decodes(taken: Taken) -> bool:
    try:
        taken.block.decode()
    except UnicodeDecodeError:
        return False
    return True


def not_decoded(line: int, error: UnicodeDecodeError) -> DataError:
    """Return an error about bytes that are invalid in an encoding."""
    byte = error.object[error.start]
    names = {"utf-8": "UTF-8"}
    advice = (
        f" Files of Excel and Windows are often in cp1252: pass --encoding {_LIKELY}."
        if error.encoding == "utf-8"
        else ""
    )
    return DataError(
        f"line {line} is not {names.get(error.encoding, error.encoding)} (byte 0x{byte:02x}: {error.reason}).{advice}"
    )


#: Missing values for pyarrow, which distinguishes upper and lower case.
_NULLS = [form for text in MISSING for form in dict.fromkeys((text, text.upper(), text.title(), "NaN"))]


def _listed(names: Sequence[str]) -> str:
    """Return names for a message, shortened for wide tables."""
    return ", ".join(names)[:500]
