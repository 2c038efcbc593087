"""Encoding of columns of mixed types as numbers, stored as plain values in model files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from phida.errors import InputError, ParameterError

Floats = NDArray[np.float64]
Named = Sequence[tuple[str, NDArray[Any]]]
"""Columns: their names, and their values as objects, None for missing ones, or as floats, NaN for missing ones."""

KINDS = ("number", "category", "boolean", "date")

#: Cycles of a date.
_CYCLES = ("hour", "weekday", "day of year")

#: As in ``phida._validation``: squares of larger values overflow.
_LARGEST = 1e140

#: First values of a column that show whether it holds dates as text, and the share of them that must be dates.
_DATE_ROWS, _MOSTLY = 100, 0.95

#: Maximum number of categories of a column.
MOST_CATEGORIES = 10_000


@dataclass
class EncodedColumn:
    """Learned type, categories and scale of a column."""

    name: str
    kind: str
    weight: float = 1.0
    """Distance of two categories."""
    categories: tuple[str, ...] = ()
    """Categories with a feature of their own."""
    cycles: tuple[str, ...] = ()
    """Cycles of a date that vary."""
    count: float = 0.0
    mean: float = 0.0
    m2: float = 0.0
    """Sum of squared deviations from the mean."""

    @classmethod
    def of(cls, name: str, values: NDArray[Any], weights: Mapping[str, float], most: int) -> Self:
        """Decide the type, the categories and the cycles of a column."""
        made = cls(name, _kind(name, values, weights), weights.get(name, 1.0))
        if made.kind == "category":
            made.categories = _most_frequent(values, most)
        elif made.kind == "date":
            made.cycles = _varying_cycles(_days(name, values))
        return made

    def learn(self, values: Floats) -> None:
        """Add numbers to count, mean and squared deviations."""
        values = values[~np.isnan(values)]
        if not len(values):
            return
        before, self.count = self.count, self.count + len(values)
        mean = float(values.mean())
        away = mean - self.mean
        self.m2 += float(((values - mean) ** 2).sum()) + away**2 * before * len(values) / self.count
        self.mean += away * len(values) / self.count

    def features(self) -> list[str]:
        """Return the names of its features."""
        if self.kind == "category":
            return [*(f"{self.name}={value}" for value in self.categories), f"{self.name}: other"]
        if self.kind == "date":
            return [f"{self.name}: {cycle} {part}" for cycle in self.cycles for part in ("sine", "cosine")]
        return [self.name]

    @property
    def deviation(self) -> float:
        """Standard deviation of a number, or 1 for a constant one."""
        return float(np.sqrt(self.m2 / max(self.count, 1.0))) or 1.0

    def units(self) -> tuple[float, float]:
        """Return factor and offset that turn an encoded number into its units, and a category into 0 or 1."""
        if self.kind == "number":
            return self.deviation, self.mean
        return (float(np.sqrt(2.0)) / self.weight if self.kind == "category" else 1.0), 0.0

    def rows(self, values: NDArray[Any]) -> Floats:
        """Encode values."""
        if self.kind == "number":
            scaled = (_numbers(self.name, values) - self.mean) / self.deviation
            return np.where(np.isnan(scaled), 0.0, scaled)[:, None]
        if self.kind == "boolean":
            halves = [0.5 if value is None else float(_checked_boolean(self.name, value)) for value in values]
            return np.array(halves)[:, None]
        if self.kind == "date":
            days = _days(self.name, values)
            parts = [_on_circle(days, cycle) for cycle in self.cycles]
            return np.hstack([np.zeros((len(values), 0)), *parts])
        place = {value: at for at, value in enumerate(self.categories)}
        found = np.zeros((len(values), len(place) + 1))
        for i, value in enumerate(values):
            if value is not None:
                found[i, place.get(str(value), len(place))] = self.weight / np.sqrt(2.0)
        return found


class Encoding:
    """Learned types, categories and scales of the columns of a table."""

    def __init__(self, columns: Sequence[EncodedColumn]) -> None:
        self.columns = tuple(columns)

    @classmethod
    def begun(cls, table: Named, weights: Mapping[str, float], most: int) -> Self:
        """Decide types, categories and cycles, without learning scales yet."""
        return cls([EncodedColumn.of(name, values, weights, most) for name, values in table])

    @property
    def names(self) -> list[str]:
        """Return the names of the columns of the table."""
        return [column.name for column in self.columns]

    @property
    def numbers(self) -> list[str]:
        """Return the names of the columns of numbers."""
        return [column.name for column in self.columns if column.kind == "number"]

    @property
    def others(self) -> list[str]:
        """Return the names of the other columns."""
        return [column.name for column in self.columns if column.kind != "number"]

    def learn(self, table: Named) -> None:
        """Update the scales of the numbers; nothing changes if a column cannot be read."""
        found = [
            _numbers(name, values) for (name, values), c in zip(table, self.columns, strict=True) if c.kind == "number"
        ]
        for column, values in zip((c for c in self.columns if c.kind == "number"), found, strict=True):
            column.learn(values)

    def rows(self, table: Named) -> Floats:
        """Encode the columns of a table, in the order of this encoding."""
        parts = [column.rows(values) for column, (_, values) in zip(self.columns, table, strict=True)]
        return np.ascontiguousarray(np.hstack(parts))

    def of_stream(self, numbers: Floats, others: Mapping[str, Any]) -> Named:
        """Return the table of a matrix of the numbers and of other columns by name."""
        place = {name: j for j, name in enumerate(self.numbers)}
        return [(name, numbers[:, place[name]] if name in place else objects(others[name])) for name in self.names]

    def features(self) -> list[str]:
        """Names of the encoded features."""
        return [name for column in self.columns for name in column.features()]

    def units(self) -> dict[str, tuple[float, float]]:
        """Return factor and offset of each encoded feature, by name."""
        return {name: column.units() for column in self.columns for name in column.features()}

    def to_plain(self) -> list[dict[str, Any]]:
        """Return the state as plain values, for a file."""
        plain = [asdict(column) for column in self.columns]
        return [column | {name: list(column[name]) for name in ("categories", "cycles")} for column in plain]

    @classmethod
    def from_plain(cls, found: Any) -> Self:
        """Restore from plain values; ValueError if they are damaged."""
        try:
            columns = [EncodedColumn(**column) for column in found]
            for column in columns:
                column.categories, column.cycles = tuple(column.categories), tuple(column.cycles)
                texts = (column.name, *column.categories)
                numbers = (column.weight, column.count, column.mean, column.m2)
                if (
                    column.kind not in KINDS
                    or not all(isinstance(text, str) for text in texts)
                    or not set(column.cycles) <= set(_CYCLES)
                    or not all(type(number) is float for number in numbers)
                    or not (np.isfinite(numbers).all() and min(column.weight, column.count, column.m2) >= 0.0)
                    or max(abs(column.mean), column.weight) > _LARGEST
                    or len({*column.categories}) < len(column.categories)
                ):
                    raise ValueError(f"column {column.name!r}")
            if not columns or len({column.name for column in columns}) < len(columns):
                raise ValueError("its columns")
        except (TypeError, ValueError) as error:
            raise ValueError(f"its data on encoded columns is damaged ({error})") from error
        return cls(columns)


def columns_of(X: Any) -> list[tuple[str, NDArray[Any]]]:
    """Return names and values of the columns, as objects; None for missing values."""
    if hasattr(X, "columns"):
        found = [(str(name), objects(X[name])) for name in X.columns]
    else:
        if hasattr(X, "tocsr"):
            raise TypeError("sparse input is not supported; pass X.toarray().")
        matrix = np.asarray(X, dtype=object)
        if matrix.ndim != 2:
            raise InputError(f"X must be a table with two dimensions, not {matrix.ndim}. Reshape your data.")
        found = [(f"x{j}", objects(matrix[:, j])) for j in range(matrix.shape[1])]
    if not found:
        raise InputError(f"X has 0 feature(s) (shape={np.shape(X)}) while a minimum of 1 is required.")
    return found


def objects(column: Any) -> NDArray[Any]:
    """Return values as objects, None for missing ones."""
    as_list = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
    values = list(column) if as_list is None else as_list()
    found = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        found[i] = None if _is_missing(value) else value
    return found


def _is_missing(value: Any) -> bool:
    if value is None or isinstance(value, str):
        return value is None
    # NaN and NaT differ from themselves; comparing pandas.NA gives NA, which has no truth value
    unequal: Any = value != value
    return unequal is not False and (not isinstance(unequal, bool | np.bool_) or bool(unequal))


def weights_of(categories: Any, names: Sequence[str]) -> dict[str, float]:
    given = dict(categories) if isinstance(categories, Mapping) else dict.fromkeys(categories or (), 1.0)
    for name, weight in given.items():
        if name not in names:
            raise ParameterError(f"categories has {name!r}, but the columns are {', '.join(names)[:500]}.")
        if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
            raise ParameterError(f"the weight of {name!r} must be a number above 0, not {weight!r}.")
    return {name: float(weight) for name, weight in given.items()}


def _kind(name: str, values: NDArray[Any], weights: Mapping[str, float]) -> str:
    if values.dtype == np.float64 and name not in weights:
        return "number"
    present = [value for value in values if value is not None]
    if name in weights or any(isinstance(value, str | bytes) for value in present):
        return "category"
    if not present:
        raise InputError(f"column {name!r} has no values; drop it, or begin with rows that have some.")
    if all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    if all(isinstance(value, Real) for value in present):
        return "number"
    if all(isinstance(value, date | np.datetime64) for value in present):
        return "date"
    if any(isinstance(value, complex) for value in present):
        raise InputError(f"Complex data not supported: column {name!r} holds complex numbers.")
    raise TypeError(
        f"column {name!r} holds {type(present[0]).__name__}; each argument must be a string, a number, a boolean or a "
        "date. Convert or drop the column, or name it in categories."
    )


def are_iso_dates(values: NDArray[Any]) -> bool:
    """Return whether nearly all of the first values are ISO dates as text."""
    first = [value for value in values[:_DATE_ROWS] if value is not None]
    dates = sum(isinstance(value, str) and _is_iso_date(value.strip()) for value in first)
    return bool(first) and dates >= _MOSTLY * len(first)


def _is_iso_date(text: str) -> bool:
    if not re.match(r"\d{4}-\d\d-\d\d(?!\d)", text):
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def _numbers(name: str, values: NDArray[Any]) -> Floats:
    if values.dtype == np.float64:
        return values
    try:
        found = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise InputError(f"column {name!r} holds numbers, but also other values ({error}).") from None
    outside = np.flatnonzero(np.abs(found) > _LARGEST)
    if len(outside):
        at = int(outside[0])
        raise InputError(f"row {at} of column {name!r} is {found[at]:g}; replace the value, or drop the row.")
    return found


def _checked_boolean(name: str, value: Any) -> bool:
    texts = {"true": True, "false": False}  # from CSV
    value = texts.get(value.strip().lower(), value) if isinstance(value, str) else value
    if value not in (False, True):
        raise InputError(f"column {name!r} holds booleans, but also {value!r}.")
    return bool(value)


def _most_frequent(values: NDArray[Any], most: int) -> tuple[str, ...]:
    """Return the most frequent categories sorted by name; ties go to the first name."""
    counts = Counter(str(value) for value in values if value is not None)
    return tuple(sorted(sorted(counts, key=lambda value: (-counts[value], value))[:most]))


def _days(name: str, values: NDArray[Any]) -> Floats:
    """Return days since 1970-01-01 with the local time of day; NaN for missing values."""
    try:
        moments = np.array(["NaT" if value is None else _local(value) for value in values], dtype="datetime64[us]")
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"column {name!r} holds dates, but also other values ({error}).") from None
    days: Floats = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 86_400e6)
    return days


def _local(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return value
    if isinstance(value, str):  # from CSV
        value = datetime.fromisoformat(value.strip())
    return value.replace(tzinfo=None) if getattr(value, "tzinfo", None) is not None else value


def _phase(days: Floats, cycle: str) -> Floats:
    """Return the position in a cycle, from 0 to 1."""
    if cycle == "hour":
        return days % 1.0
    if cycle == "weekday":
        return np.floor(days) % 7.0 / 7.0
    years = np.floor(days).astype("datetime64[D]").astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return (np.floor(days) - years) / 365.25


def _on_circle(days: Floats, cycle: str) -> Floats:
    found = np.zeros((len(days), 2))
    there = ~np.isnan(days)
    angle = 2.0 * np.pi * _phase(days[there], cycle)
    found[there] = 0.5 * np.column_stack([np.sin(angle), np.cos(angle)])
    return found


def _varying_cycles(days: Floats) -> tuple[str, ...]:
    present = days[~np.isnan(days)]
    return tuple(cycle for cycle in _CYCLES if len(np.unique(_phase(present, cycle))) > 1)
