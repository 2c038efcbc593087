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

#: What rows can be written as.
FORMATS = ("csv", "ndjson", *TABLES)

#: Digits of novelty after the decimal point.
_DIGITS = 4


class Output(Protocol):
    """Interface of outputs for labelled rows."""

    format: str
    offset: int
    """Where the next row will begin; 0 where a file cannot be written on."""

    def write(self, batch: Batch, labels: NDArray[np.int64]) -> None:
        """The rows of a batch, and all of them at once, so that a reader at the other end sees it whole."""

    def sync(self) -> None:
        """Make sure that what was written survives the machine; a pipe is beyond that."""

    def close(self) -> None:
        """Finish the file."""


def output_to(
    file: IO[bytes], format: str, reader: RowReader, *, offset: int = 0, novelty: bool = False
) -> TextOutput | TableOutput:
    """An output of a format; it goes on at ``offset`` of a file that an earlier run has written."""
    if format in TABLES:
        return TableOutput(file, format, reader, novelty=novelty)
    return TextOutput(file, format, reader, offset=offset, novelty=novelty)


class TextOutput:
    """CSV or NDJSON. A row of the same format is written as it was read."""

    def __init__(
        self, file: IO[bytes], format: str, reader: RowReader, *, offset: int = 0, novelty: bool = False
    ) -> None:
        """Go on at ``offset`` of a file that an earlier run has written, and drop what is behind it."""
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
        """An object in which keys that the output adds, and that the first object did not have, have other names."""
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
    """Parquet or Arrow IPC; features are float64, other columns what they are."""

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
        """Nothing is safe before the file is complete."""

    def close(self) -> None:
        if self._table.is_empty:
            self._table.write(self._no_rows())
        self._table.close()

    def _no_rows(self) -> Any:
        """A table of the columns alone; what a text format says in other columns than features is text."""
        import pyarrow as pa

        reader = self._reader
        of_text = dict.fromkeys(reader.all_names, pa.string()) | dict.fromkeys(reader.features, pa.float64())
        types = {self._row: pa.int64(), **of_text, **reader.types, self._cluster: pa.int64()}
        if self._novelty is not None:
            types[self._novelty] = pa.float64()
        return pa.schema(types).empty_table()


def free_names(reader: RowReader) -> tuple[str, str]:
    """Names of the columns for row numbers and clusters."""
    return free_name("row", reader), free_name("cluster", reader)


def free_name(name: str, reader: RowReader) -> str:
    """A name for a column of the output."""
    return _free(name, reader.all_names)


def _free(name: str, taken: Collection[str]) -> str:
    """A name that no column of the input has: what comes out may be put in again."""
    return name if name not in taken else _free(f"{name}_", taken)


def _ends(found: dict[str, Any], text: Callable[[tuple[Any, ...]], str]) -> tuple[NDArray[np.int64], list[str]]:
    """The end of each row's line: its position in a list of the ends. Clusters are few, so equal ends are made once."""
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
    """Lines with a number in front and an end behind, all at once."""
    import pyarrow as pa

    # All pieces in order are one array, whose content is the text; pyarrow's function that joins strings takes twice
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
    """What an object with one of these keys holds; a key may be escaped."""
    return [*(json.dumps(name) for name in names), "\\u"]


def _members(texts: Texts) -> Any:
    """What is between the braces of each object."""
    import pyarrow as pa
    import pyarrow.compute as pc

    inner = pc.binary_slice(texts.array().cast(pa.large_binary()), 1, -1)
    return pc.ascii_trim_whitespace(inner.cast(pa.large_string(), safe=False))


def _any_empty(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.min(pc.binary_length(texts)).as_py() == 0)


def _csv_lines(columns: dict[str, Any]) -> memoryview:
    """Columns as CSV, without a header."""
    import pyarrow.compute as pc

    fields = [_quoted(texts_of_column(as_array(values))).fill_null("") for values in columns.values()]
    lines = pc.binary_join_element_wise(*fields, _text(","))
    lines = pc.binary_join_element_wise(lines, _text("\n"), _text(""))
    return _content(lines)


def _quoted(texts: Any) -> Any:
    """Texts with quotes where CSV needs them: pyarrow would quote all texts of a batch, or none."""
    import pyarrow.compute as pc

    special = pc.match_substring_regex(texts, '[",\r\n]')
    if not pc.any(special).as_py():
        return texts
    quoted = pc.binary_join_element_wise(_text(""), pc.replace_substring(texts, '"', '""'), _text(""), _text('"'))
    return pc.if_else(special, quoted, texts)


def _text(text: str) -> Any:
    """Text that can be joined with that of a column."""
    import pyarrow as pa

    return pa.scalar(text, pa.large_string())


def _content(texts: Any) -> memoryview:
    """Texts in a row."""
    begin, end = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, texts.offset * 8)[[0, -1]].tolist()
    return memoryview(texts.buffers()[2])[begin:end]


def _csv_line(fields: Sequence[Any], delimiter: str) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerow(fields)
    return buffer.getvalue()


def _value(field: Any) -> Any:
    """A field as JSON has it; text is the number that it is, if it is one."""
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
    """All columns; features as the numbers that were read."""
    return {**batch.columns(), **{name: np.ascontiguousarray(batch.rows[:, i]) for i, name in enumerate(features)}}


def as_lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Convert columns to lists of plain values."""
    return {name: _as_list(column) for name, column in columns.items()}


def _as_list(column: Any) -> list[Any]:
    found: list[Any] = (
        column if isinstance(column, list) else column.tolist() if hasattr(column, "tolist") else column.to_pylist()
    )
    return found
