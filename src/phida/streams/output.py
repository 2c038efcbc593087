"""Rows out, each with its number and its cluster, as CSV or NDJSON."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
from collections.abc import Sequence
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from phida.streams.batch import Batch, RowReader


class Output:
    """Where labelled rows go; ``offset`` is where the next one will begin."""

    def __init__(self, file: IO[bytes], format: str, reader: RowReader, *, offset: int = 0) -> None:
        """Go on at ``offset`` of a file that an earlier run has written, and drop what is behind it."""
        self._file = file
        self._reader = reader
        self.format = format
        self._as_ndjson = format == "ndjson"
        self._verbatim = reader.format == format
        self._row, self._cluster = (_free(name, reader.all_names) for name in ("row", "cluster"))
        self.offset = offset
        if offset:
            file.truncate(offset)
            file.seek(offset)
        elif not self._as_ndjson:
            self._write(_csv_line([self._row, *reader.all_names, self._cluster]))

    def write(self, batch: Batch, labels: NDArray[np.int64]) -> None:
        """The rows of a batch, and all of them at once, so that a reader at the other end sees it whole."""
        if self._as_ndjson:
            lines = self._objects(batch, labels.tolist())
        elif self._verbatim:
            rows = zip(batch.numbers.tolist(), batch.texts, labels.tolist(), strict=True)
            lines = [f"{number},{text},{label}\n" for number, text, label in rows]
        else:
            columns = [batch.numbers.tolist(), *batch.columns().values(), labels.tolist()]
            lines = [_csv_line(fields) for fields in zip(*columns, strict=True)]
        self._write("".join(lines))
        self._file.flush()

    def sync(self) -> None:
        """Make sure that what was written survives the machine; a pipe is beyond that."""
        if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            os.fsync(self._file.fileno())

    def _objects(self, batch: Batch, labels: list[int]) -> list[str]:
        numbers = batch.numbers.tolist()
        if self._verbatim:
            return [
                f'{{"{self._row}": {number}, {text[1:-1].strip()}, "{self._cluster}": {label}}}\n'
                for number, text, label in zip(numbers, batch.texts, labels, strict=True)
            ]
        columns = batch.columns()
        rows = zip(*columns.values(), strict=True)
        return [
            json.dumps({self._row: number, **dict(zip(columns, map(_value, row), strict=True)), self._cluster: label})
            + "\n"
            for number, row, label in zip(numbers, rows, labels, strict=True)
        ]

    def _write(self, text: str) -> None:
        content = memoryview(text.encode())
        while content:  # a signal may cut a write short
            written = self._file.write(content)
            self.offset += written
            content = content[written:]


def _free(name: str, taken: Sequence[str]) -> str:
    """A name that no column of the input has: what comes out may be put in again."""
    return name if name not in taken else _free(f"{name}_", taken)


def _csv_line(fields: Sequence[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(fields)
    return buffer.getvalue()


def _value(field: Any) -> Any:
    """A field of a text format as the number that it is, if it is one."""
    if not isinstance(field, str):
        return field if isinstance(field, int | float | bool | type(None)) else str(field)
    try:
        number = json.loads(field, parse_constant=str)
    except ValueError:
        return field
    return field if isinstance(number, float) and not math.isfinite(number) else number
