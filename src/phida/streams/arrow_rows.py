"""Rows of Parquet and Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida.streams.batch import Batch, DataError, rows_left
from phida.streams.columns import NotNumericError, Selection
from phida.streams.values import sound


class ArrowRows:
    """A Parquet or Arrow IPC file, a record batch at a time."""

    def __init__(self, path: Path, format: str, selection: Selection, *, start: int = 0) -> None:
        """``start``: the row to go on at."""
        self.format = format
        self._pa = pyarrow_or_advice()
        self._start = start
        try:
            self._schema, self._parts = self._open(path)
        except (self._pa.ArrowInvalid, OSError) as error:
            raise DataError(f"{path} is not a valid {format} file ({error}).") from error
        self.all_names = tuple(self._schema.names)
        self._features = selection.features(self.all_names)
        self.features = tuple(self.all_names[i] for i in self._features)
        self.names: tuple[str, ...] | None = self.features
        self._label = selection.label
        for i in self._features:
            kind = self._schema.field(i).type
            types = self._pa.types
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise NotNumericError(self.all_names[i], kind)

    def _open(self, path: Path) -> tuple[Any, Iterator[Any]]:
        if self.format == "parquet":
            from pyarrow import parquet

            file = parquet.ParquetFile(path)
            return file.schema_arrow, file.iter_batches(batch_size=65536)
        source = self._pa.memory_map(str(path))
        try:
            reader = self._pa.ipc.open_file(source)
            return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
        except self._pa.ArrowInvalid:
            stream = self._pa.ipc.open_stream(self._pa.memory_map(str(path)))
            return stream.schema, iter(stream)

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida.streams.batch.RowReader`."""
        number, held = 0, None
        for part in self._read():
            if number + len(part) <= self._start:
                number += len(part)
                continue
            if number < self._start:
                part, number = part.slice(self._start - number), self._start
            held = part if held is None else _joined(self._pa, held, part)
            while len(held) >= rows_left(number, size):
                count = rows_left(number, size)
                yield self._batch(held.slice(0, count), number)
                held, number = held.slice(count), number + count
        if number < self._start:
            raise DataError(
                f"there are {number} rows, but the stream stopped at row {self._start}; is it another file?"
            )
        if held is not None and len(held):
            yield self._batch(held, number)

    def _read(self) -> Iterator[Any]:
        try:
            yield from self._parts
        except (self._pa.ArrowInvalid, OSError) as error:
            raise DataError(f"the file is damaged ({error}).") from error

    def _batch(self, part: Any, begin: int) -> Batch:
        rows = np.column_stack([_numbers(part.column(i)) for i in self._features])
        numbers = np.arange(begin, begin + len(part))
        good, bad = sound(rows, [self.all_names[i] for i in self._features], begin)
        kept = part if good.all() else part.filter(self._pa.array(good))
        truth = [] if self._label is None else kept.column(self.all_names.index(self._label)).to_pylist()
        end = begin + len(part)
        return Batch(end, end, numbers[good], rows[good], (), kept.to_pydict, truth, bad)


def _numbers(column: Any) -> NDArray[np.float64]:
    """A column as floats; what is missing is NaN."""
    return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)


def _joined(pa: Any, held: Any, part: Any) -> Any:
    if not len(held):
        return part
    return pa.Table.from_batches([held, part]).combine_chunks().to_batches()[0]


def pyarrow_or_advice() -> Any:
    """The module, or an error that says which extra brings it."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ModuleNotFoundError as error:
        raise ImportError('Parquet and Arrow files need pyarrow: pip install "phida[arrow]"') from error
    return pyarrow
