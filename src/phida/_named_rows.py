"""Rows with named features: dicts and frames."""

from __future__ import annotations

import math
import reprlib
import struct
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from phida import _core, _validation
from phida.errors import InputError

_one = struct.Struct("d")


class NamedRows:
    """The features of a stream, in the order of its first row, and the conversion from named values to plain rows.

    Every dict gets a new row: another thread may still read the last one.
    """

    __slots__ = ("_pack", "_shape", "_values", "names")

    def __init__(self, names: Iterable[Hashable] = ()) -> None:
        self.names = tuple(names)
        self._shape = (1, len(self.names))
        self._values = _values_of(self.names)
        self._pack = struct.Struct(f"{len(self.names)}d").pack

    def __reduce__(self) -> tuple[Any, ...]:
        return NamedRows, (self.names,)

    def row(self, x: Mapping[Any, Any]) -> Any:
        """Return one row as a matrix, or raise an error that names the invalid feature.

        The matrix goes only to native code, which accepts a memoryview faster than an array.
        """
        if type(x) is not dict:
            x = _plain(x)  # a Counter or a defaultdict would create missing values
        try:
            if 0 < len(x) == self._shape[1]:
                row: Any = memoryview(self._pack(*self._values(x))).cast("d", self._shape)
                if _core.first_outside(row, _validation.LARGEST) < 0:
                    return row
        except (KeyError, struct.error):
            pass
        self._compare(x)
        raise InputError(next(f"feature {name!r} is {said}" for name in self.names if (said := _trouble(x[name]))))

    def rows(self, frame: nw.DataFrame[Any]) -> NDArray[np.float64]:
        """Return the rows of a frame as a matrix, or raise an error that names the invalid feature."""
        columns = tuple(frame.columns)
        native = frame.to_native()
        if columns != self.names:
            self._compare(columns)
        order = [columns.index(name) for name in self.names]
        try:
            values = np.asarray(native)
            dates = frame.implementation.is_polars() and _validation.holds_dates(native)
            if values.dtype.kind in "fiub" and len(values) > 0 and not dates:  # other types take longer
                rows = np.ascontiguousarray(values if columns == self.names else values[:, order], np.float64)
                if _core.first_outside(rows, _validation.LARGEST) < 0:
                    return rows
            return np.ascontiguousarray(_validation.rows("PHIDA", native)[:, order])
        except (TypeError, ValueError):
            for name in columns:
                for number, value in enumerate(frame.get_column(name).to_list()):
                    if said := _trouble(value):
                        raise InputError(f"in row {number}, feature {name!r} is {said}") from None
            raise

    def _compare(self, names: Collection[Hashable]) -> None:
        """Refuse rows with missing or new features."""
        given = set(names)
        if not given:
            raise InputError("the row has no features; a row needs at least one.")
        for name in self.names:
            if name not in given:
                raise InputError(
                    f"feature {name!r} is missing; every row must have the features of the first. "
                    "Fill it in, or begin a new model without it."
                )
        for name in names:
            if name not in self.names:
                raise InputError(
                    f"feature {name!r} is new; every row must have the features of the first. "
                    "Leave it out, or begin a new model with it."
                )


def into_frame(X: Any) -> nw.DataFrame[Any]:
    """Wrap a pandas, polars or pyarrow frame in a common interface."""
    try:
        return nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise InputError("X has two columns with the same name; rename or drop one of them.") from error
    except TypeError as error:
        raise TypeError(
            f"X is a {type(X).__name__}, not a frame; many rows at a time are taken as a pandas, polars or pyarrow "
            "frame, whose columns are the features."
        ) from error


def into_series(labels: NDArray[np.int64], *, like: nw.DataFrame[Any]) -> Any:
    """Return labels as a series of the frame's library, with the frame's index if it has one."""
    series = nw.new_series("cluster", labels, backend=like.implementation).to_native()
    if (index := nw.maybe_get_index(like)) is not None:
        series.index = index
    return series


def _values_of(names: tuple[Hashable, ...]) -> Callable[[Mapping[Any, Any]], tuple[Any, ...]]:
    """Return a function for the values of a dict, in order; an itemgetter of one name would not give a tuple."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda x: tuple(x[name] for name in names)


def _plain(x: Any) -> dict[Any, Any]:
    if not isinstance(x, Mapping):
        raise TypeError(f"x is a {type(x).__name__}; expected a row as a dict of numbers by feature.")
    return dict(x)


def _trouble(value: Any) -> str | None:
    """Return what is wrong with a value and how to fix it, or None for a valid value."""
    try:
        (number,) = _one.unpack(_one.pack(value))
    except struct.error:
        if isinstance(value, int):
            return "an integer that no float64 can hold. Rescale it, or leave the row out."
        if value is None or str(value) == "<NA>":
            return f"{value}. Fill it, or leave the row out."
        return f"{reprlib.repr(value)}, not a number. Encode it as numbers, or leave the feature out of every row."
    if not math.isfinite(number):
        return f"{number}. Fill it, or leave the row out."
    if abs(number) > _validation.LARGEST:
        largest = f"{_validation.LARGEST:g}"
        return f"{number:g}, and magnitudes beyond {largest} overflow when squared. Rescale it, or leave the row out."
    return None
