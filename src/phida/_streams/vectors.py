"""Vector columns, as vector stores keep embeddings: unfolded into one column per value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from phida._streams.arrays import as_column, as_floats
from phida._streams.batch import DataError
from phida._streams.columns import Selection, listed

#: Values unfolded at a time.
_TOGETHER = 1 << 20


def unfolded(schema: Any, parts: Iterator[Any], selection: Selection) -> tuple[Any, Iterator[Any]]:
    """Return schema and record batches with columns ``v_0``, ``v_1``, … in place of each selected vector column ``v``.

    A vector column has lists of numbers, all of one length. If the type leaves it open, the first list gives it.
    """
    vectors = {field.name for field in schema if _is_vector(field.type) and selection.has_values_of(field.name)}
    if not vectors:
        return schema, parts
    first = next(parts, None)
    whole = () if first is None else (first,)
    widths = {
        field.name: _width(field.type, None if first is None else first.column(i))
        for i, field in enumerate(schema)
        if field.name in vectors
    }
    return _schema(schema, widths), _batches(widths, chain(whole, parts))


def _is_vector(kind: Any) -> bool:
    import pyarrow as pa

    listed = pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)
    return bool(listed and (pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type)))


def _width(kind: Any, column: Any) -> int:
    if hasattr(kind, "list_size"):
        return int(kind.list_size)
    lengths = [] if column is None else column.value_lengths().drop_null().slice(0, 1).to_pylist()
    return lengths[0] if lengths else 0


def _schema(schema: Any, widths: dict[str, int]) -> Any:
    import pyarrow as pa

    fields = []
    for field in schema:
        width = widths.get(field.name)
        names = [] if width is None else [f"{field.name}_{i}" for i in range(width)]
        fields += [field] if width is None else [pa.field(name, pa.float64()) for name in names]
    return pa.schema(fields)


def _batches(widths: dict[str, int], parts: Iterator[Any]) -> Iterator[Any]:
    import pyarrow as pa

    size, row = max(1, _TOGETHER // max(1, *widths.values())), 0
    for whole in parts:
        for first in range(0, len(whole), size):
            part = whole.slice(first, size)
            names: list[str] = []
            columns: list[Any] = []
            for name, column in zip(part.schema.names, part.columns, strict=True):
                width = widths.get(name)
                names += [name] if width is None else [f"{name}_{i}" for i in range(width)]
                columns += [column] if width is None else _unfolded(column, name, width, row)
            yield pa.RecordBatch.from_arrays(columns, names)
            row += len(part)


def _unfolded(column: Any, name: str, width: int, row: int) -> list[Any]:
    """Return columns of the values; missing values are NaN."""
    present = np.asarray(column.is_valid().to_numpy(zero_copy_only=False), np.bool_)
    some = column.drop_null()
    values = some.flatten()
    if not hasattr(column.type, "list_size"):
        lengths = some.value_lengths().to_numpy(zero_copy_only=False)
        if (other := np.flatnonzero(lengths != width)).size:
            at = row + int(np.flatnonzero(present)[other[0]])
            raise DataError(
                f"row {at}: column {name!r} has {lengths[other[0]]} values, not {width} as before; vectors need one "
                f"length. To leave the column out, add --exclude {listed([name])}"
            )
    rows = np.full((len(column), width), np.nan)
    rows[present] = as_floats(values).reshape(-1, width)
    return [as_column(values) for values in rows.T]
