"""Rows of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._validation import LARGEST
from phida.streams.batch import BadRow, Batch, DataError, rows_left
from phida.streams.columns import NotNumericError, Selection, made_up
from phida.streams.identity import FilePart
from phida.streams.lines import Lines
from phida.streams.values import MISSING, checked, is_number

#: More columns than this are no table. Their names alone would take a hundred times the room of the line.
_COLUMNS = 1 << 17

#: Bytes of rows that are read as numbers between two looks at the signals.
_PORTION = 1 << 20


class CsvRows:
    """A CSV file with a header, or without one if its first line is all numbers."""

    def __init__(
        self,
        lines: Lines,
        selection: Selection,
        *,
        delimiter: str = ",",
        header: tuple[str, ...] | None = None,
        start: tuple[int, int] = (0, 0),
    ) -> None:
        """``header`` and ``start``, a row number and its offset, where a stream is resumed."""
        self._lines = lines
        self._delimiter = delimiter
        self.format = "csv" if delimiter == "," else "tsv"
        self._number, offset = start
        if header is None:
            header = self._read_header()
        else:
            self._skip_header(header)
        if offset:
            lines.seek(offset)
        self.all_names = header
        self._features = selection.features(header)
        self._label = None if selection.label is None else header.index(selection.label)
        self.features = tuple(header[i] for i in self._features)
        self.names: tuple[str, ...] | None = self.features

    def _read_header(self) -> tuple[str, ...]:
        before = self._lines.offset
        first = self._lines.take(1)
        if not first:
            raise DataError("the input is empty.")
        fields = self._names(first[0])
        if len(fields) > _COLUMNS:
            raise DataError(f"the first line has {len(fields):,} fields; at most {_COLUMNS:,} columns are read.")
        if not all(is_number(field) for field in fields):
            return tuple(name or f"column {i}" for i, name in enumerate(fields))
        self._lines.put_back(first[0], self._lines.offset - before)
        return tuple(str(i) for i in range(len(fields)))

    def _skip_header(self, header: tuple[str, ...]) -> None:
        """Who sends a stream again, from some row on, may or may not send the header first."""
        before = self._lines.offset
        first = self._lines.take(1)
        if first and not self._is_header(first[0], header):
            self._lines.put_back(first[0], self._lines.offset - before)

    def _is_header(self, line: bytes, header: tuple[str, ...]) -> bool:
        """Whether a line repeats the header; names of other columns are an error, since rows would be misread."""
        if made_up(header):
            return False
        fields = self._names(line)
        if fields != list(header) and not any(map(is_number, fields)):
            raise DataError(f"the columns are {_listed(fields)}, but the stream began with {_listed(header)}.")
        return fields == list(header)

    def _names(self, line: bytes) -> list[str]:
        return [field.strip() for field in self._fields(_decoded(line))]

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida.streams.batch.RowReader`."""
        while taken := self._lines.take(rows_left(self._number, size)):
            file = self._lines.file_part()
            if self._lines.begins_file and self._is_header(taken[0], self.all_names):
                del taken[0]
                if not taken:
                    continue
            begin = self._number
            self._number += len(taken)
            yield self._batch(taken, begin, file)

    def _batch(self, taken: list[bytes], begin: int, file: FilePart | None) -> Batch:
        numbers = np.arange(begin, self._number)
        bad: list[BadRow] = []
        texts, rows = self._all_at_once(taken)
        if rows is None:
            texts, rows, numbers, bad = self._one_by_one(taken, begin)
        truth = [] if self._label is None else [self._fields(text)[self._label] for text in texts]

        def columns() -> dict[str, list[Any]]:
            fields = [self._fields(text) for text in texts]
            return {name: [row[i] for row in fields] for i, name in enumerate(self.all_names)}

        return Batch(self._number, self._lines.offset, numbers, rows, texts, columns, truth, bad, file)

    def _all_at_once(self, taken: list[bytes]) -> tuple[list[str], NDArray[np.float64] | None]:
        """The fast way, for lines in which nothing is special; None for the rows where something is."""
        separators = len(self.all_names) - 1
        mark = self._delimiter.encode()
        if any(line.count(mark) != separators or b'"' in line for line in taken):
            return [], None
        try:
            texts = [line.decode() for line in taken]
            rows = np.concatenate([self._numbers(texts[begin:end]) for begin, end in _portions(texts)])
        except ValueError:
            return [], None
        return texts, rows if (np.abs(rows) <= LARGEST).all() else None

    def _numbers(self, texts: list[str]) -> NDArray[np.float64]:
        self._lines.check_signals()
        return np.loadtxt(texts, delimiter=self._delimiter, usecols=self._features, comments=None, ndmin=2)

    def _one_by_one(
        self, taken: list[bytes], begin: int
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64], list[BadRow]]:
        texts, rows, numbers, bad = [], [], [], []
        for number, line in enumerate(taken, begin):
            self._lines.check_signals()
            text = line.decode(errors="replace")
            try:
                rows.append(self._row(_decoded(line), number))
                texts.append(text)
                numbers.append(number)
            except NotNumericError:
                raise
            except DataError as error:
                bad.append(BadRow(number, str(error), text))
        shape = (len(rows), len(self._features))
        return texts, np.array(rows, np.float64).reshape(shape), np.array(numbers, np.int64), bad

    def _row(self, text: str, number: int) -> list[float]:
        fields = self._fields(text)
        if len(fields) != len(self.all_names):
            raise DataError(f"row {number} has {len(fields)} fields, but there are {len(self.all_names)} columns.")
        row = []
        for i in self._features:
            if not is_number(fields[i]):
                if number == 0 and fields[i].strip().lower() not in MISSING:
                    raise NotNumericError(self.all_names[i], fields[i])
                raise DataError(f"row {number}: {fields[i][:40]!r} in column {self.all_names[i]!r} is not a number.")
            row.append(checked(float(fields[i]), self.all_names[i], number))
        return row

    def _fields(self, text: str) -> list[str]:
        if '"' not in text:
            return text.split(self._delimiter)
        try:
            return next(csv.reader([text], delimiter=self._delimiter, strict=True))
        except (csv.Error, StopIteration) as error:
            raise DataError(f"a line is not valid CSV ({error}).") from error


def _portions(texts: list[str]) -> Iterator[tuple[int, int]]:
    """Ranges of lines that are short together, or single ones that are long."""
    begin = size = 0
    for i, text in enumerate(texts):
        if size > 0 and size + len(text) > _PORTION:
            yield begin, i
            begin, size = i, 0
        size += len(text)
    yield begin, len(texts)


def _listed(names: Sequence[str]) -> str:
    """Names for a message, which the names of a wide table must not fill."""
    return ", ".join(names)[:500]


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise DataError(f"a line is not UTF-8 ({error.reason}).") from error
