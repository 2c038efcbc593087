"""Rows of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from phida._streams.arrays import as_floats
from phida._streams.batch import DataError
from phida._streams.columns import NotNumericError, Selection, check_width, made_up
from phida._streams.conversion import (
    Column,
    Widths,
    is_boolean,
    kind_of,
    not_numeric,
)
from phida._streams.dialect import Dialect, check_marks, detected_delimiter
from phida._streams.lines import Lines, Taken, portions
from phida._streams.text_rows import SAMPLE, Floats, TextRows
from phida._streams.values import MISSING, checked, is_missing, missing

#: Bytes of rows parsed as numbers between two checks for signals.
_PORTION = 1 << 20

#: The most frequent encoding of files that are not UTF-8: Windows' Western European one, which extends Latin-1.
_LIKELY = "cp1252"


class CsvRows(TextRows):
    """A CSV file with a header, or without one if its first line is all numbers."""

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
        super().__init__(lines, selection, start[0])
        self.format = format
        self._dialect = dialect
        self.encoding = "utf-8" if dialect.is_utf8 else dialect.encoding
        self.detected = dialect.delimiter is None
        """Whether the delimiter was not given."""
        head = lines.peek()
        check_marks(head)
        width = None if header is None else len(header)
        self.delimiter = dialect.delimiter or detected_delimiter(head, dialect.encoding, width)
        lines.set_delimiter(self.delimiter.encode())
        if header is None:
            header = self._read_header()
        else:
            self._skip_header(header)
        if start[1]:
            lines.seek(start[1])
        self._begin(header)
        self._label = 0 if selection.label is None else header.index(selection.label)

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
            self._begin(tuple(self._names(header)))
            self._conversions, self._convert = {}, {}
            self._look_at(self._lines.take(SAMPLE), _LIKELY)
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

    def _without_header(self, group: list[Taken]) -> list[Taken]:
        first = group[0].lines()
        if not self._is_header(first[0], self.all_names):
            return group
        return group[1:] if len(first) == 1 else [group[0].without_first(), *group[1:]]

    def _look_at(self, taken: Taken, encoding: str | None = None) -> None:
        """See :class:`TextRows`; ``encoding``: the one to advise."""
        sample = [self._fields_of(line) for line in taken.lines()[:SAMPLE]]
        rows = [row for row in sample if row is not None]
        first = sample[0] if sample else None
        place = {self.all_names[i]: i for i in self._features}
        self._detect(
            lambda name: [row[place[name]] for row in rows],
            lambda name: first is not None and is_boolean(first[place[name]]),
        )
        others = [i for name, i in place.items() if name not in self._conversions]
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

    def _columns(self, texts: Sequence[str]) -> dict[str, Any]:
        fields = [self._fields(text) for text in texts]
        return {name: [row[i] for row in fields] for i, name in enumerate(self.all_names)}

    def _label_of(self, text: str) -> str:
        return self._fields(text)[self._label]

    def _numbers(self, block: bytes, count: int) -> Floats | None:
        if not self._dialect.plain:
            return None
        return np.concatenate([self._read(portion) for portion in portions(block, _PORTION)])

    def _read(self, block: bytes) -> Floats:
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

    def _parsed(self, line: bytes, number: int, taken: Taken, at: int) -> tuple[str, list[float]]:
        text = self._decoded(line, taken, at)
        return text, self._row(text, number)

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
            if self._selection.keep_missing:
                return float("nan")
            raise missing(field, name, number)
        convert = self._conversions.get(name)
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
