"""Output of rows with row number and cluster, as CSV, NDJSON, Parquet or Arrow IPC."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
from collections.abc import Callable, Collection, Sequence
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_array, as_column, as_table, as_texts
from phida._streams.batch import Batch, RowReader, Texts
from phida._streams.tables import FORMATS as TABLES
from phida._streams.tables import TableFile
from phida._streams.texts import text_of, texts_of_column

#: Output formats.
FORMATS = ("csv", "ndjson", *TABLES)

#: Decimals of novelty.
_DIGITS = 4


class Output(Protocol):
    """Interface of outputs for labelled rows."""

    format: str
    offset: int
    """Offset of the next row; 0 if the file cannot be continued."""

    def write(self, batch: Batch, labels: NDArray[np.int64]) -> None:
        """Write the rows of a batch in one call, so that a reader of the pipe gets them together."""

    def sync(self) -> None:
        """Flush to disk; does nothing for a pipe."""

    def close(self) -> None:
        """Complete the file."""


def output_to(
    file: IO[bytes], format: str, reader: RowReader, *, offset: int = 0, novelty: bool = False
) -> TextOutput | TableOutput:
    """Return an output of a format, continuing at ``offset`` of an earlier run's file."""
    if format in TABLES:
        return TableOutput(file, format, reader, novelty=novelty)
    return TextOutput(file, format, reader, offset=offset, novelty=novelty)


class TextOutput:
    """CSV or NDJSON. A row of the same format is written unchanged."""

    def __init__(
        self, file: IO[bytes], format: str, reader: RowReader, *, offset: int = 0, novelty: bool = False
    ) -> None:
        """Continue at ``offset`` of an earlier run's file, and truncate it there."""
        self._file = file
        self._reader = reader
        self.format = format
        self._as_ndjson = format == "ndjson"
        self._verbatim = reader.format == format
        self._delimiter = reader.delimiter if self._verbatim else ","
        self._row, self._cluster = free_names(reader)
        self._novelty = free_name("novelty", reader)
        self.offset = offset
        if offset:
            file.truncate(offset)
            file.seek(offset)
        elif not self._as_ndjson:
            names = [self._row, *reader.all_names, self._cluster, *([self._novelty] if novelty else [])]
            self._write(_csv_line(names, self._delimiter).encode())

    def write(self, batch: Batch, labels: NDArray[np.int64], novelty: NDArray[np.float64] | None = None) -> None:
        found: dict[str, Any] = {self._cluster: labels}
        if novelty is not None:
            found[self._novelty] = novelty.round(_DIGITS)
        self._write(self._objects(batch, found) if self._as_ndjson else self._csv(batch, found))
        self._file.flush()

    def sync(self) -> None:
        if stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.flush()

    def _csv(self, batch: Batch, found: dict[str, Any]) -> bytes | memoryview:
        if not self._verbatim:
            return _csv_lines({self._row: batch.numbers, **batch.columns(), **found})
        mark = self._delimiter
        which, ends = _ends(found, lambda values: "".join(f"{mark}{value}" for value in values) + "\n")
        if isinstance(batch.texts, Texts):
            return _joined("", batch.numbers, mark, batch.texts.array(), which, ends)
        rows = zip(batch.numbers.tolist(), batch.texts, which.tolist(), strict=True)
        return "".join([f"{number}{mark}{text}{ends[end]}" for number, text, end in rows]).encode()

    def _objects(self, batch: Batch, found: dict[str, Any]) -> bytes | memoryview:
        numbers = batch.numbers.tolist()
        if not self._verbatim:
            columns = as_lists(batch.columns())
            given = zip(*columns.values(), strict=True)
            added = zip(*(values.tolist() for values in found.values()), strict=True)
            keys = [self._row, *columns, *found]
            objects = (
                dict(zip(keys, (number, *map(_value, row), *new), strict=True))
                for number, row, new in zip(numbers, given, added, strict=True)
            )
            return "".join([json.dumps(one) + "\n" for one in objects]).encode()
        first = f'{{"{self._row}": '
        names = list(found)
        taken = [self._row, *names]
        which, ends = _ends(
            found,
            lambda values: "".join(f', "{n}": {v}' for n, v in zip(names, values, strict=True)) + "}\n",
        )
        if isinstance(batch.texts, Texts) and not batch.texts.holds(_marks(taken)):
            members = _members(batch.texts)
            if not _any_empty(members):
                return _joined(first, batch.numbers, ", ", members, which, ends)
        inside = (self._renamed(text, taken).strip()[1:-1].strip() for text in batch.texts)
        rows = zip(numbers, inside, which.tolist(), strict=True)
        return "".join([f"{first}{n}{', ' if text else ''}{text}{ends[end]}" for n, text, end in rows]).encode()

    def _renamed(self, text: str, taken: list[str]) -> str:
        """Return an object whose keys equal to output columns, and missing in the first object, are renamed."""
        if not any(mark in text for mark in _marks(taken)):
            return text
        found: dict[str, Any] = json.loads(text)
        if found.keys().isdisjoint(taken):
            return text
        used = {*found, *taken, *self._reader.all_names}
        return json.dumps({_free(name, used) if name in taken else name: value for name, value in found.items()})

    def _write(self, content: bytes | memoryview) -> None:
        content = memoryview(content)
        while content:  # a signal may cut a write short
            written = self._file.write(content)
            self.offset += written
            content = content[written:]


class TableOutput:
    """Parquet or Arrow IPC; features are float64, and other columns keep their type."""

    offset = 0

    def __init__(self, file: IO[bytes], format: str, reader: RowReader, *, novelty: bool = False) -> None:
        self.format = format
        self._reader = reader
        self._row, self._cluster = free_names(reader)
        self._novelty = free_name("novelty", reader) if novelty else None
        self._table = TableFile(file, format, increasing=self._row)

    def write(self, batch: Batch, labels: NDArray[np.int64], novelty: NDArray[np.float64] | None = None) -> None:
        reader = self._reader
        of_text = reader.format in ("csv", "tsv", "ndjson")
        columns = numeric_columns(batch, reader.features) if of_text else batch.columns()
        found = {name: columns[name] for name in reader.all_names} | {self._cluster: labels}
        if self._novelty is not None and novelty is not None:
            found[self._novelty] = novelty.round(_DIGITS)
        self._table.write(as_table({self._row: batch.numbers, **found}))

    def sync(self) -> None:
        """Do nothing: rows are safe only in the complete file."""

    def close(self) -> None:
        if self._table.is_empty:
            self._table.write(self._no_rows())
        self._table.close()

    def _no_rows(self) -> Any:
        """Return a table of columns without rows; other columns of text formats are text."""
        import pyarrow as pa

        reader = self._reader
        of_text = dict.fromkeys(reader.all_names, pa.string()) | dict.fromkeys(reader.features, pa.float64())
        types = {self._row: pa.int64(), **of_text, **reader.types, self._cluster: pa.int64()}
        if self._novelty is not None:
            types[self._novelty] = pa.float64()
        return pa.schema(types).empty_table()


def free_names(reader: RowReader) -> tuple[str, str]:
    """Return the names of the columns for row numbers and clusters."""
    return free_name("row", reader), free_name("cluster", reader)


def free_name(name: str, reader: RowReader) -> str:
    """Return a name for an output column."""
    return _free(name, reader.all_names)


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that no input column has, so that output can be input again."""
    return name if name not in taken else _free(f"{name}_", taken)


def _ends(found: dict[str, Any], text: Callable[[tuple[Any, ...]], str]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the end of each row's line as an index into a list of distinct ends, which are few."""
    first, *more = found.values()
    if more:
        rows = zip(first.tolist(), *(values.tolist() for values in more), strict=True)
        return np.arange(len(first)), [text(values) for values in rows]
    least, most = int(first.min()), int(first.max())
    if most - least < len(first):
        known, which = np.arange(least, most + 1), first - least
    else:
        known, which = np.unique(first, return_inverse=True)
    return which, [text((label,)) for label in known.tolist()]


def _joined(
    first: str, numbers: NDArray[np.int64], between: str, texts: Any, which: NDArray[np.int64], ends: list[str]
) -> memoryview:
    """Join lines with a number before and an end after each, all at once."""
    import pyarrow as pa

    # All pieces in order form one array, whose content is the text; pyarrow's function that joins strings takes twice
    # the time.
    count = len(numbers)
    pieces = [as_texts([first, between, *ends]), as_column(numbers).cast(pa.large_string()), texts]
    order = np.empty((count, 5), np.int64)
    order[:, 0] = 0
    order[:, 1] = np.arange(2 + len(ends), 2 + len(ends) + count)
    order[:, 2] = 1
    order[:, 3] = order[:, 1] + count
    order[:, 4] = which + 2
    lines = pa.concat_arrays(pieces).take(as_column(order.reshape(-1) if first else order[:, 1:].reshape(-1)))
    return _content(lines)


def _marks(names: list[str]) -> list[str]:
    """Return the byte patterns of these keys, including escapes."""
    return [*(json.dumps(name) for name in names), "\\u"]


def _members(texts: Texts) -> Any:
    """Return the text between the braces of each object."""
    import pyarrow as pa
    import pyarrow.compute as pc

    inner = pc.binary_slice(texts.array().cast(pa.large_binary()), 1, -1)
    return pc.ascii_trim_whitespace(inner.cast(pa.large_string(), safe=False))


def _any_empty(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.min(pc.binary_length(texts)).as_py() == 0)


def _csv_lines(columns: dict[str, Any]) -> memoryview:
    """Return columns as CSV without a header."""
    import pyarrow.compute as pc

    fields = [_quoted(texts_of_column(as_array(values))).fill_null("") for values in columns.values()]
    lines = pc.binary_join_element_wise(*fields, _text(","))
    lines = pc.binary_join_element_wise(lines, _text("\n"), _text(""))
    return _content(lines)


def _quoted(texts: Any) -> Any:
    """Quote texts that need it in CSV: pyarrow would quote all texts of a batch, or none."""
    import pyarrow.compute as pc

    special = pc.match_substring_regex(texts, '[",\r\n]')
    if not pc.any(special).as_py():
        return texts
    quoted = pc.binary_join_element_wise(_text(""), pc.replace_substring(texts, '"', '""'), _text(""), _text('"'))
    return pc.if_else(special, quoted, texts)


def _text(text: str) -> Any:
    """Return text that can be joined with a column of texts."""
    import pyarrow as pa

    return pa.scalar(text, pa.large_string())


def _content(texts: Any) -> memoryview:
    """Return the joined bytes of texts."""
    begin, end = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)[[0, -1]].tolist()
    return memoryview(texts.buffers()[2])[begin:end]


def _csv_line(fields: Sequence[Any], delimiter: str) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerow(fields)
    return buffer.getvalue()


def _value(field: Any) -> Any:
    """Return a field as a JSON value; numeric text becomes a number."""
    if isinstance(field, float):
        return field if math.isfinite(field) else None
    if not isinstance(field, str):
        return field if isinstance(field, int | None) else text_of(field)
    try:
        found = json.loads(field, parse_constant=str)
    except ValueError:
        return field
    return found if type(found) is int or (type(found) is float and math.isfinite(found)) else field


def numeric_columns(batch: Batch, features: tuple[str, ...]) -> dict[str, Any]:
    """Return all columns, with features as the parsed numbers."""
    return {**batch.columns(), **{name: np.ascontiguousarray(batch.rows[:, i]) for i, name in enumerate(features)}}


def as_lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Convert columns to lists of plain values."""
    return {name: _as_list(column) for name, column in columns.items()}


def _as_list(column: Any) -> list[Any]:
    found: list[Any] = (
        column if isinstance(column, list) else column.tolist() if hasattr(column, "tolist") else column.to_pylist()
    )
    return found
