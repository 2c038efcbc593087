"""Writers of data files, batch by batch."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np

from phida._streams.arrays import as_table
from phida._streams.batch import Batch, DataError, RowReader
from phida._streams.columns import made_up
from phida._streams.tables import TableFile
from phida._streams.texts import text_of


class RowWriter(Protocol):
    """Interface of writers."""

    def write(self, batch: Batch) -> None: ...
    def close(self) -> None: ...


class TextWriter:
    """CSV, TSV or NDJSON."""

    def __init__(self, path: Path, format: str, reader: RowReader) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._delimiter = {"csv": ",", "tsv": "\t"}.get(format)
        self._names = reader.all_names
        self._features = reader.features
        if self._delimiter and not made_up(self._names):  # numbers would be taken for a row
            self._file.write(self._line(self._names))

    def write(self, batch: Batch) -> None:
        columns = as_lists(numeric_columns(batch, self._features))
        for row in zip(*(columns[name] for name in self._names), strict=True):
            if self._delimiter:
                self._file.write(self._line([value if type(value) is float else text_of(value) for value in row]))
            else:
                self._file.write(json.dumps(dict(zip(self._names, row, strict=True)), default=text_of) + "\n")

    def close(self) -> None:
        self._file.close()

    def _line(self, fields: Any) -> str:
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=self._delimiter or ",", lineterminator="\n").writerow(fields)
        return buffer.getvalue()


class MatrixWriter:
    """npy, of the features alone; how many rows there were is written into the header at the end."""

    def __init__(self, path: Path, format: str, reader: RowReader) -> None:
        self._file: IO[bytes] = path.open("wb")
        self._width = len(reader.features)
        self._rows = 0
        self._header()

    def write(self, batch: Batch) -> None:
        self._file.write(np.ascontiguousarray(batch.rows, "<f8").tobytes())
        self._rows += len(batch)

    def close(self) -> None:
        self._file.seek(0)
        self._header()
        self._file.close()

    def _header(self) -> None:
        """Of the same length whatever the number of rows: NumPy leaves room for it to grow."""
        facts = {"descr": "<f8", "fortran_order": False, "shape": (self._rows, self._width)}
        np.lib.format.write_array_header_1_0(self._file, facts)


class ArrowWriter:
    """Parquet or Arrow IPC; features are float64, other columns what they are."""

    def __init__(self, path: Path, format: str, reader: RowReader) -> None:
        self._file = TableFile(path, format)
        self._names = reader.all_names
        self._features = reader.features

    def write(self, batch: Batch) -> None:
        columns = numeric_columns(batch, self._features)
        self._file.write(as_table({name: columns[name] for name in self._names}))

    def close(self) -> None:
        self._file.close()


def numeric_columns(batch: Batch, features: tuple[str, ...]) -> dict[str, Any]:
    """All columns; features as the numbers that were read."""
    return {**batch.columns(), **{name: np.ascontiguousarray(batch.rows[:, i]) for i, name in enumerate(features)}}


def as_lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Columns of plain values."""
    return {name: _as_list(column) for name, column in columns.items()}


def _as_list(column: Any) -> list[Any]:
    found: list[Any] = (
        column if isinstance(column, list) else column.tolist() if hasattr(column, "tolist") else column.to_pylist()
    )
    return found


@contextmanager
def writer(path: Path, format: str, reader: RowReader) -> Iterator[RowWriter]:
    """Return a writer for a new file."""
    kinds: dict[str, Any] = {"npy": MatrixWriter, "parquet": ArrowWriter, "arrow": ArrowWriter}
    if format == "npz":
        raise DataError("npz files cannot be written in parts; use npy.")
    made = kinds.get(format, TextWriter)(path, format, reader)
    try:
        yield made
    finally:
        made.close()
