"""Rows of Parquet and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_floats
from phida._streams.batch import Batch, DataError, rows_left
from phida._streams.columns import Selection, check_width
from phida._streams.conversion import BOOLEAN, TYPED, Widths, not_numeric_types
from phida._streams.typed_rows import TypedRows
from phida._streams.vectors import unfolded

#: Values converted at a time, unless a batch has more: enough to be fast, few enough for the cache.
_TOGETHER = 1 << 16


class ArrowRows(TypedRows):
    """A Parquet or Arrow IPC file, a record batch at a time. Selected vectors are one column per value."""

    def __init__(self, path: Path, format: str, selection: Selection, *, start: tuple[int, int] = (0, 0)) -> None:
        super().__init__(path, format, selection, start)
        self._pa = pyarrow_or_advice()
        self.n_rows: int | None = None
        """Rows of the file, if it says how many."""
        try:
            self._schema, parts = unfolded(*self._open(path), selection)
        except (self._pa.ArrowException, OSError) as error:
            raise DataError(f"{path} is not a valid {format} file ({error}).") from error
        check_width(str(path), len(self._schema))
        self._read = self._checked(parts)
        self._begin(tuple(self._schema.names), dict(zip(self._schema.names, self._schema.types, strict=True)))
        self.names: tuple[str, ...] | None = self.features
        self._convert = {self.all_names.index(name) for name in selection.convert}
        self.conversions = {
            name: BOOLEAN if self._pa.types.is_boolean(self.types[name]) else selection.convert.get(name) or TYPED
            for name in self.features
            if name in selection.convert or self._pa.types.is_boolean(self.types[name])
        }
        self._check_types()
        self._rest = self._skip()

    def _skip(self) -> list[Any]:
        """Skip to the first row; return the rest of its record batch if the row is in the middle of one."""
        at = 0
        while at < self._start:
            part = next(self._read, None)
            if part is None:
                raise DataError(f"there are {at} rows, but the stream stopped at row {self._start}; use the same file.")
            skipped = part.slice(0, self._start - at)
            self._rows_read.add(self._rows(skipped))
            at += len(skipped)
            if len(skipped) < len(part):
                return [part.slice(len(skipped))]
        return []

    def _check_types(self) -> None:
        """Refuse columns that are not numeric, all at once."""
        types = self._pa.types
        text, dates = [], []
        for i in self._features:
            kind = self._schema.field(i).type
            if types.is_date(kind) or types.is_timestamp(kind):
                dates += [] if i in self._convert else [(self.all_names[i], str(kind))]
            elif not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                text.append((self.all_names[i], str(kind)))
        if text or dates:
            raise not_numeric_types(text, dates, Widths(len(self.all_names), len(self._features)))

    def _open(self, path: Path) -> tuple[Any, Iterator[Any]]:
        if self.format == "parquet":
            from pyarrow import parquet

            file = parquet.ParquetFile(path)
            self.n_rows = file.metadata.num_rows
            return file.schema_arrow, file.iter_batches(batch_size=65536)
        source = self._pa.OSFile(str(path))
        try:
            reader = self._pa.ipc.open_file(source)
            return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
        except self._pa.ArrowInvalid:
            stream = self._pa.ipc.open_stream(self._pa.OSFile(str(path)))
            return stream.schema, iter(stream)

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`."""
        number = self._first
        for portion in self._portions(size):
            rows = self._rows(portion)
            begin = 0
            while begin < len(portion):
                count = min(rows_left(number, size), len(portion) - begin)
                yield self._batch(rows[begin : begin + count], number, portion.slice(begin, count).column)
                begin, number = begin + count, number + count

    def _portions(self, size: int) -> Iterator[Any]:
        """Yield parts of the file that end with a batch, of as many batches as are converted at a time."""
        most = size * max(1, _TOGETHER // (size * len(self._features)))
        number = self._first
        held: list[Any] = []  # of a batch that ends in a later part
        for part in chain(self._rest, self._read):
            if held:
                held.append(part.slice(0, rows_left(number, size)))
                number += len(held[-1])
                if number % size:
                    continue
                part = part.slice(len(held[-1]))
                yield _joined(self._pa, held)
                held = []
            whole = max(0, len(part) - (number + len(part)) % size)
            at = 0
            while at < whole:
                count = min(rows_left(number, size) + most - size, whole - at)
                yield part.slice(at, count)
                at, number = at + count, number + count
            if len(part) > whole:
                held = [part.slice(whole)]
                number += len(held[0])
        if held:
            yield _joined(self._pa, held)

    def _checked(self, parts: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from parts
        except (self._pa.ArrowException, OSError) as error:
            raise DataError(f"{self._path} is damaged, or was changed while read ({error}).") from error

    def _rows(self, part: Any) -> NDArray[np.float64]:
        rows = np.empty((len(part), len(self._features)))
        for place, i in enumerate(self._features):
            rows[:, place] = self._numbers(part.column(i))
        return rows

    def _numbers(self, column: Any) -> NDArray[np.float64]:
        """Return a column as floats, dates as days since 1970, missing values as NaN."""
        types = self._pa.types
        if types.is_date(column.type) or types.is_timestamp(column.type):
            missing = column.is_null().to_numpy(zero_copy_only=False)
            microseconds = column.cast(self._pa.timestamp("us"), safe=False)
            seconds = microseconds.cast(self._pa.int64()).fill_null(0).to_numpy() / 1e6
            return np.where(missing, np.nan, seconds / 86400)
        return as_floats(column)


def _joined(pa: Any, parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else pa.Table.from_batches(parts).combine_chunks().to_batches()[0]


def pyarrow_or_advice() -> Any:
    """Return the module, or raise an error that names the extra."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ModuleNotFoundError as error:
        raise ImportError('Parquet and Arrow files need pyarrow: pip install "phida[cli]"') from error
    return pyarrow
