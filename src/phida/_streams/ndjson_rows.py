"""Rows of newline-delimited JSON: one object per line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from phida._streams.arrays import as_floats
from phida._streams.batch import DataError
from phida._streams.columns import Selection, check_width
from phida._streams.conversion import (
    Column,
    Widths,
    kind_of,
    nested_values,
    not_numeric,
)
from phida._streams.dialect import Dialect, check_marks
from phida._streams.lines import Lines, Taken
from phida._streams.text_rows import SAMPLE, Floats, TextRows
from phida._streams.values import checked, is_missing, missing

#: Added to numbers, since JSON's integer -0 is 0.
_PLUS_ZERO = 0.0


class NdjsonRows(TextRows):
    """JSON objects; the keys of the first are the columns, and later ones may have more."""

    format = "ndjson"

    def __init__(
        self,
        lines: Lines,
        selection: Selection,
        *,
        header: tuple[str, ...] | None = None,
        start: tuple[int, int] = (0, 0),
    ) -> None:
        """``header`` and ``start``, a row number and its offset, to resume from."""
        super().__init__(lines, selection, start[0])
        if start[1]:
            lines.seek(start[1])
        if header is None:
            header = self._look_at_first(selection)
        check_width("the first row", len(header))
        self._begin(header)

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

    def _look_at(self, taken: Taken) -> None:
        objects: list[dict[str, Any]] = []
        for number, line in enumerate(taken.lines()[:SAMPLE]):
            with suppress(DataError):
                objects.append(_object(line, number))
        first = objects[0] if objects else {}
        self._detect(
            lambda name: [_text(row.get(name)) for row in objects], lambda name: isinstance(first.get(name), bool)
        )
        others = [name for name in self.features if name not in self._conversions]
        if any(first.get(name) is not None and not _is_number(first[name]) for name in others):
            nested = [(name, json.dumps(first[name])) for name in others if _is_nested(first.get(name))]
            if nested:
                raise nested_values(nested)
            columns = [Column(name, [_odd(row.get(name)) for row in objects]) for name in others]
            raise not_numeric(columns, Dialect(), Widths(len(self.all_names), len(self.features)))

    def _columns(self, texts: Sequence[str]) -> dict[str, Any]:
        found: dict[str, list[Any]] = {name: [] for name in self.all_names}
        for text in texts:  # one object at a time: keys take more memory than their text
            row = json.loads(text)
            for name, values in found.items():
                values.append(row.get(name))
        return found

    def _label_of(self, text: str) -> Any:
        value = json.loads(text).get(self._selection.label)
        return json.dumps(value) if isinstance(value, list | dict) else value

    def _numbers(self, block: bytes, count: int) -> Floats | None:
        if not _an_object_a_line(block, count):
            return None
        import pyarrow as pa
        from pyarrow import json as arrow_json

        table = arrow_json.read_json(
            pa.BufferReader(block),
            arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
            arrow_json.ParseOptions(
                explicit_schema=pa.schema([(name, pa.float64()) for name in self.features]),
                unexpected_field_behavior="ignore",
            ),
        )
        rows = np.empty((len(table), len(self.features)))
        for i, name in enumerate(self.features):
            rows[:, i] = as_floats(table.column(name))
        return rows + _PLUS_ZERO

    def _parsed(self, line: bytes, number: int, taken: Taken, at: int) -> tuple[str, list[float]]:
        found = _object(line, number)
        return line.decode().strip(), [self._value(found, name, number) for name in self.features]

    def _value(self, found: dict[str, Any], name: str, number: int) -> float:
        value = found.get(name)
        if value is None or (isinstance(value, float) and value != value):
            if self._selection.keep_missing:
                return float("nan")
            if name not in found:
                raise DataError(f"row {number}: column {name!r} is missing.")
            raise missing(_text(value), name, number)
        convert = self._conversions.get(name)
        try:
            if convert is not None:
                if self._selection.keep_missing and is_missing(_text(value)):
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
