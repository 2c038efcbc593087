"""Conversion between columns of pyarrow and arrays of NumPy.

pyarrow's own conversions import pandas if it is installed, which takes 0.2 s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.texts import text_of


def as_column(values: NDArray[Any]) -> Any:
    """Return a pyarrow column of numbers, in the memory of ``values`` if that is contiguous."""
    import pyarrow as pa

    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def as_array(values: Any) -> Any:
    """Return values as a pyarrow array; lists come from text files and are text."""
    import pyarrow as pa

    if isinstance(values, list):
        return pa.array([text_of(value) for value in values], pa.string())
    if isinstance(values, np.ndarray):
        return as_column(values) if values.dtype in (np.int64, np.float64) else pa.array(values)
    return values


def as_table(columns: Mapping[str, Any]) -> Any:
    """Return a table of lists and arrays by name."""
    import pyarrow as pa

    return pa.Table.from_arrays([as_array(values) for values in columns.values()], list(columns))


def as_mask(values: NDArray[np.bool_]) -> Any:
    """Return pyarrow booleans, which take one bit each."""
    import pyarrow as pa

    bits = np.packbits(values, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])


def as_texts(values: Sequence[str]) -> Any:
    """Return pyarrow strings."""
    import pyarrow as pa

    encoded = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, encoded)])
    return pa.LargeStringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))


def as_floats(column: Any) -> NDArray[np.float64]:
    """Return a column of numbers or booleans, NaN for missing values; read-only if no copy is needed."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_float16(column.type):  # not all versions of pyarrow convert it
        return np.asarray(column.to_numpy(zero_copy_only=False), np.float64)
    if column.type != pa.float64():
        column = column.cast(pa.float64(), safe=False)  # large integers are rounded
    if column.null_count:
        column = column.fill_null(float("nan"))
    values = column.buffers()[1]
    if values is None:
        return np.empty(0)
    return np.frombuffer(values, np.float64, len(column), column.offset * 8)
