"""Rows of newline-delimited JSON: an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from phida.streams.batch import BadRow, Batch, DataError, rows_left
from phida.streams.columns import NotNumericError, Selection
from phida.streams.identity import FilePart
from phida.streams.lines import Lines
from phida.streams.values import checked


class NdjsonRows:
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
        """``header`` and ``start``, a row number and its offset, where a stream is resumed."""
        self._lines = lines
        self._number, offset = start
        if offset:
            lines.seek(offset)
        if header is None:
            header = self._look_at_first()
        self.all_names = header
        self._names = tuple(header[i] for i in selection.features(header))
        self.features = self._names
        self.names: tuple[str, ...] | None = self._names
        self._label = selection.label

    def _look_at_first(self) -> tuple[str, ...]:
        before = self._lines.offset
        first = self._lines.take(1)
        if not first:
            raise DataError("the input is empty.")
        self._lines.put_back(first[0], self._lines.offset - before)
        return tuple(_object(first[0], 0))

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida.streams.batch.RowReader`."""
        while taken := self._lines.take(rows_left(self._number, size)):
            begin = self._number
            self._number += len(taken)
            yield self._batch(taken, begin, self._lines.file_part())

    def _batch(self, taken: list[bytes], begin: int, file: FilePart | None) -> Batch:
        objects: list[dict[str, Any]] = []
        texts, rows, numbers, bad = [], [], [], []
        for number, line in enumerate(taken, begin):
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
            objects.append(found)
            texts.append(text)
            numbers.append(number)
        truth = [] if self._label is None else [_hashable(found.get(self._label)) for found in objects]

        def columns() -> dict[str, list[Any]]:
            return {name: [found.get(name) for found in objects] for name in self.all_names}

        matrix = np.array(rows, np.float64).reshape(len(rows), len(self._names))
        at = np.array(numbers, np.int64)
        return Batch(self._number, self._lines.offset, at, matrix, texts, columns, truth, bad, file)

    def _value(self, found: dict[str, Any], name: str, number: int) -> float:
        if name not in found:
            raise DataError(f"row {number} has no {name!r}.")
        value = found[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            if number == 0 and value is not None:
                raise NotNumericError(name, value)
            raise DataError(f"row {number}: {str(value)[:40]!r} at {name!r} is not a number.")
        try:
            return checked(float(value), name, number)
        except OverflowError as error:
            raise DataError(f"row {number}: the number at {name!r} is too large.") from error


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"row {number} is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise DataError(f"row {number} is not a JSON object.")
    return found


def _hashable(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value
