"""Rows of newline-delimited JSON: one object per line.

Lines of one layout are read in bulk. Other batches are read by pyarrow, like CSV, or line by line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_floats
from phida._streams.batch import NO_TYPES, BadRow, Batch, DataError, Place, rows_left, texts_of
from phida._streams.columns import NotNumericError, Selection, check_width
from phida._streams.conversion import (
    BOOLEAN,
    Column,
    Conversion,
    Widths,
    conversion_of,
    kind_of,
    known_conversions,
    nested_values,
    not_numeric,
)
from phida._streams.dialect import Dialect, check_marks
from phida._streams.lines import Lines, Taken
from phida._streams.ndjson_layout import Layout
from phida._streams.values import checked, is_missing, is_sound, missing

#: Number of rows below which line by line is faster, so that pyarrow need not be imported.
_MANY = 100

#: Rows that decide which columns are features.
_SAMPLE = 1000

#: Added to numbers, since JSON's integer -0 is 0.
_PLUS_ZERO = 0.0


class NdjsonRows:
    """JSON objects; the keys of the first are the columns, and later ones may have more."""

    format = "ndjson"
    types = NO_TYPES
    delimiter = ","
    """Delimiter of CSV output."""

    def __init__(
        self,
        lines: Lines,
        selection: Selection,
        *,
        header: tuple[str, ...] | None = None,
        start: tuple[int, int] = (0, 0),
    ) -> None:
        """``header`` and ``start``, a row number and its offset, to resume from."""
        self._lines = lines
        self._number, offset = start
        if offset:
            lines.seek(offset)
        if header is None:
            header = self._look_at_first(selection)
        check_width("the first row", len(header))
        self.all_names = header
        self._names = tuple(header[i] for i in selection.features(header))
        self.features = self._names
        self.names: tuple[str, ...] | None = self._names
        self._label = selection.label
        self._keep_missing = selection.keep_missing
        self._convert = {name: selection.convert[name] for name in self._names if name in selection.convert}
        self._conversions = known_conversions(self._convert)
        self._layout: Layout | None = None  # layout of the lines before

    @property
    def conversions(self) -> dict[str, str]:
        """Return the known formats of converted columns."""
        return {name: found.format for name, found in self._conversions.items()}

    def _look_at_first(self, selection: Selection) -> tuple[str, ...]:
        check_marks(self._lines.peek())
        before = self._lines.offset
        first = self._lines.take(1).lines()
        if not first:
            if selection.columns:  # an empty file is a table without rows, if its columns are known
                return selection.all_names()
            raise DataError("the input is empty.")
        self._lines.put_back(first[0], self._lines.offset - before)
        return tuple(_object(first[0], 0))

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`."""
        while group := self._lines.take_batches(rows_left(self._number, size), size):
            if self._number == 0 or len(self._conversions) < len(self._convert):
                self._look_at(group[0])
            for taken, rows in self._all_at_once(group):
                begin = self._number
                self._number += len(taken)
                yield self._batch(taken, rows, begin)

    def _look_at(self, taken: Taken) -> None:
        """Detect in the first rows how dates and booleans are written; refuse columns that cannot be features."""
        objects: list[dict[str, Any]] = []
        for number, line in enumerate(taken.lines()[:_SAMPLE]):
            try:
                objects.append(_object(line, number))
            except DataError:
                continue
        for name in self._convert.keys() - self._conversions.keys():
            found = conversion_of([_text(row.get(name)) for row in objects])
            if found is None:
                raise DataError(f"column {name!r} holds neither dates nor booleans.")
            self._conversions[name] = found
        for name in self._names if self._number == 0 and objects else ():
            if name not in self._conversions and isinstance(objects[0].get(name), bool):
                self._convert[name], self._conversions[name] = BOOLEAN, Conversion(BOOLEAN)
        others = [name for name in self._names if name not in self._conversions]
        if objects and any(objects[0].get(name) is not None and not _is_number(objects[0][name]) for name in others):
            nested = [(name, json.dumps(objects[0][name])) for name in others if _is_nested(objects[0].get(name))]
            if nested:
                raise nested_values(nested)
            columns = [Column(name, [_odd(row.get(name)) for row in objects]) for name in others]
            raise not_numeric(columns, Dialect(), Widths(len(self.all_names), len(self._names)))

    def _batch(self, taken: Taken, read: NDArray[np.float64] | None, begin: int) -> Batch:
        texts: Sequence[str]
        bad: list[BadRow] = []
        if read is not None and is_sound(read, keep_missing=self._keep_missing).all():
            texts, rows = texts_of(taken.block, len(read)), read
            numbers = np.arange(begin, begin + len(read))
        else:
            texts, rows, numbers, bad = self._one_by_one(taken.lines(), begin)
        truth = [] if self._label is None else [_hashable(json.loads(text).get(self._label)) for text in texts]

        def columns() -> dict[str, list[Any]]:
            found: dict[str, list[Any]] = {name: [] for name in self.all_names}
            for text in texts:  # one object at a time: keys take more memory than their text
                row = json.loads(text)
                for name, values in found.items():
                    values.append(row.get(name))
            return found

        place_of = partial(self._place, taken, begin)
        end = begin + len(taken)
        return Batch(end, place_of(end), numbers, rows, texts, columns, truth, bad, place_of)

    def _place(self, taken: Taken, begin: int, number: int) -> Place:
        offset = taken.offset_of(number - begin)
        return Place(offset, self._lines.file_part(offset))

    def _all_at_once(self, group: list[Taken]) -> Iterator[tuple[Taken, NDArray[np.float64] | None]]:
        """Yield batches with their numbers, or None for a batch with unusual lines."""
        count, rows = sum(map(len, group)), None
        if count >= _MANY and not self._convert:
            self._lines.check_signals()
            rows = self._numbers(b"".join([taken.block for taken in group]), count)
        begin = 0
        for taken in group:
            yield taken, None if rows is None else rows[begin : begin + len(taken)]
            begin += len(taken)

    def _numbers(self, block: bytes, count: int) -> NDArray[np.float64] | None:
        """Return the features of all lines; None if any line is unusual."""
        layout = self._layout or Layout.of(block[: block.index(b"\n")])
        if layout is not None and set(self._names) <= set(layout.names):
            found = layout.numbers(block)
            self._layout = None if found is None else layout
            if found is not None:
                places = [layout.names.index(name) for name in self._names]
                return np.add(found[:, places], _PLUS_ZERO, order="C")
        with suppress(ValueError):  # includes pyarrow's errors
            if _an_object_a_line(block, count) and (block.isascii() or block.decode()):
                rows = self._read(block)
                return rows if len(rows) == count else None
        return None

    def _read(self, block: bytes) -> NDArray[np.float64]:
        import pyarrow as pa
        from pyarrow import json as arrow_json

        table = arrow_json.read_json(
            pa.BufferReader(block),
            arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            arrow_json.ParseOptions(
                explicit_schema=pa.schema([(name, pa.float64()) for name in self._names]),
                unexpected_field_behavior="ignore",
            ),
        )
        rows = np.empty((len(table), len(self._names)))
        for i, name in enumerate(self._names):
            rows[:, i] = as_floats(table.column(name))
        return rows + _PLUS_ZERO

    def _one_by_one(
        self, lines: list[bytes], begin: int
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.int64], list[BadRow]]:
        texts, rows, numbers, bad = [], [], [], []
        for number, line in enumerate(lines, begin):
            self._lines.check_signals()
            text = line.decode(errors="replace").strip()
            try:
                found = _object(line, number)
                rows.append([self._value(found, name, number) for name in self._names])
            except NotNumericError:
                raise
            except DataError as error:
                bad.append(BadRow(number, str(error), text))
                continue
            texts.append(text)
            numbers.append(number)
        matrix = np.array(rows, np.float64).reshape(len(rows), len(self._names))
        return texts, matrix, np.array(numbers, np.int64), bad

    def _value(self, found: dict[str, Any], name: str, number: int) -> float:
        value = found.get(name)
        if value is None or (isinstance(value, float) and value != value):
            if self._keep_missing:
                return float("nan")
            if name not in found:
                raise DataError(f"row {number}: column {name!r} is missing.")
            raise missing(_text(value), name, number)
        convert = self._conversions.get(name)
        try:
            if convert is not None:
                if self._keep_missing and is_missing(_text(value)):
                    return float("nan")
                return checked(convert.number(_text(value)), name, number)
            if not _is_number(value):
                raise ValueError(value)
            return checked(float(value) + 0.0, name, number)
        except OverflowError as error:
            raise DataError(f"row {number}: the number in column {name!r} is too large.") from error
        except DataError:
            raise
        except ValueError:
            raise DataError(
                f"row {number}: {str(value)[:40]!r} in column {name!r} is not a {kind_of(convert)}."
            ) from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _odd(value: object) -> str:
    """Return text that is numeric only if the value is: "2" in quotes is not."""
    return repr(value) if isinstance(value, str) and Dialect().is_number(value) else _text(value)


def _an_object_a_line(block: bytes, count: int) -> bool:
    """Return whether every line begins and ends with a brace; then each object is on one line."""
    ended = block.count(b"}\n") + block.count(b"}\r\n")
    return block.startswith(b"{") and block.count(b"\n{") == count - 1 and ended == count


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line.decode())  # for bytes, it would accept a byte order mark
    except (ValueError, RecursionError) as error:
        raise DataError(f"row {number} is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise DataError(f"row {number} is not a JSON object.")
    return found


def _hashable(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
