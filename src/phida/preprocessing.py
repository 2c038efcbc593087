"""Tables of mixed types as rows of numbers, for clustering."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from phida import _validation

__all__ = ["TableEncoder"]

Floats = NDArray[np.float64]

#: Cycles of a date.
_CYCLES = ("hour", "weekday", "day of year")


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table of numbers, categories, booleans and dates as numbers whose distances are comparable.

    ============ =====================================================================================
    column       becomes
    ============ =====================================================================================
    numbers      one feature with mean 0 and standard deviation 1
    categories   one feature per category, and one for all others; two categories are one unit apart
    booleans     one feature, 0 or 1
    dates        sine and cosine of hour, weekday and day of year, as far as they vary; noon and midnight
                 are one unit apart
    ============ =====================================================================================

    The first ``fit`` or ``partial_fit`` decides the type and the categories of each column, so that the number of
    features never changes. Later calls of ``partial_fit`` only update means and standard deviations. Later categories
    count as others.

    A missing value is in the middle: the mean of a number, halfway between true and false, equally far from all
    categories, and the centre of a cycle.

    Fit the model with ``scale=None``: the features are scaled already.

    Parameters
    ----------
    categories : dict of str to float, or sequence of str, optional
        Columns to encode as categories, also if they hold numbers, and their weights: with weight 2, two categories
        are two units apart. Other columns of text are categories with weight 1.
    max_categories : int, default=32
        Maximum number of categories per column that have a feature of their own, the most frequent first.

    Attributes
    ----------
    kinds_ : tuple of str
        Type of each column: number, category, boolean or date.
    categories_ : dict of str to tuple
        Categories of each such column that have a feature of their own.
    n_features_in_ : int
    feature_names_in_ : ndarray

    Examples
    --------
    >>> import pandas as pd
    >>> from phida.preprocessing import TableEncoder
    >>> table = pd.DataFrame({"age": [20, 40, 60], "plan": ["basic", "pro", "basic"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'plan=basic', 'plan=pro', 'plan: other']
    >>> encoder.transform(table).round(2).tolist()
    [[-1.22, 0.71, 0.0, 0.0], [0.0, 0.0, 0.71, 0.0], [1.22, 0.71, 0.0, 0.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categories": [dict, "array-like", None],
        "max_categories": [Interval(Integral, 1, 10_000, closed="both")],
    }

    kinds_: tuple[str, ...]
    categories_: dict[str, tuple[str, ...]]
    _weights: dict[str, float]
    _count: Floats
    _mean: Floats
    _m2: Floats

    def __init__(
        self, *, categories: Mapping[str, float] | Sequence[str] | None = None, max_categories: int = 32
    ) -> None:
        self.categories = categories
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset, and learn types, categories and scales of the columns.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self.__dict__.pop("kinds_", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the scales of the numbers. The first call learns the types and categories.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        begins = not hasattr(self, "kinds_")
        columns = _columns(X)
        if not len(columns[0][1]):
            raise ValueError(f"X has 0 sample(s) (shape={np.shape(X)}) while a minimum of 1 is required.")
        if not begins:
            _validation.record(self, X, reset=False)
        weights = _weights(self.categories, [name for name, _ in columns]) if begins else self._weights
        kinds = tuple(_kind(name, values, weights) for name, values in columns) if begins else self.kinds_
        numbers = [(j, _numbers(*column)) for j, column in enumerate(columns) if kinds[j] == "number"]
        if begins:
            _validation.record(self, X, reset=True)
            self.kinds_, self._weights = kinds, weights
            self._names = tuple(name for name, _ in columns)
            self._count, self._mean, self._m2 = np.zeros((3, len(columns)))
            self.categories_ = {
                name: _most_frequent(values, self.max_categories)
                for kind, (name, values) in zip(kinds, columns, strict=True)
                if kind == "category"
            }
            self._cycles = {
                name: _varying_cycles(_days(name, values))
                for kind, (name, values) in zip(kinds, columns, strict=True)
                if kind == "date"
            }
        for j, values in numbers:
            self._add(j, values[~np.isnan(values)])
        return self

    def transform(self, X: Any) -> Floats:
        """Encode a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            With the columns of :meth:`fit`.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features_out)
        """
        check_is_fitted(self, "kinds_")
        columns = _columns(X)
        _validation.record(self, X, reset=False)
        parts = [self._encoded(j, name, values) for j, (name, values) in enumerate(columns)]
        return np.ascontiguousarray(np.hstack(parts))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return names of the encoded features.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "kinds_")
        names: list[str] = []
        for kind, name in zip(self.kinds_, self._names, strict=True):
            if kind == "category":
                names += [*(f"{name}={value}" for value in self.categories_[name]), f"{name}: other"]
            elif kind == "date":
                names += [f"{name}: {cycle} {part}" for cycle in self._cycles[name] for part in ("sine", "cosine")]
            else:
                names.append(name)
        return np.array(names, dtype=object)

    def _add(self, j: int, values: Floats) -> None:
        """Add values to the count, mean and squared deviations of a column."""
        if not len(values):
            return
        before, count = self._count[j], self._count[j] + len(values)
        mean = values.mean()
        away = mean - self._mean[j]
        self._m2[j] += ((values - mean) ** 2).sum() + away**2 * before * len(values) / count
        self._mean[j] += away * len(values) / count
        self._count[j] = count

    def _encoded(self, j: int, name: str, values: NDArray[Any]) -> Floats:
        kind = self.kinds_[j]
        if kind == "number":
            deviation = np.sqrt(self._m2[j] / max(self._count[j], 1.0))
            scaled = (_numbers(name, values) - self._mean[j]) / (deviation if deviation > 0 else 1.0)
            return np.where(np.isnan(scaled), 0.0, scaled)[:, None]
        if kind == "boolean":
            halves = [0.5 if value is None else float(_checked_boolean(name, value)) for value in values]
            return np.array(halves)[:, None]
        if kind == "date":
            days = _days(name, values)
            parts = [_on_circle(days, cycle) for cycle in self._cycles[name]]
            return np.hstack([np.zeros((len(values), 0)), *parts])
        place = {value: at for at, value in enumerate(self.categories_[name])}
        found = np.zeros((len(values), len(place) + 1))
        for i, value in enumerate(values):
            if value is not None:
                found[i, place.get(str(value), len(place))] = self._weights.get(name, 1.0) / np.sqrt(2.0)
        return found


def _columns(X: Any) -> list[tuple[str, NDArray[Any]]]:
    """Return names and values of the columns, as objects; None for missing values."""
    if hasattr(X, "columns"):
        found = [(str(name), _objects(X[name])) for name in X.columns]
    else:
        if hasattr(X, "tocsr"):
            raise TypeError("sparse input is not supported; pass X.toarray().")
        matrix = np.asarray(X, dtype=object)
        if matrix.ndim != 2:
            raise ValueError(f"X must be a table with two dimensions, not {matrix.ndim}. Reshape your data.")
        found = [(f"x{j}", _objects(matrix[:, j])) for j in range(matrix.shape[1])]
    if not found:
        raise ValueError(f"X has 0 feature(s) (shape={np.shape(X)}) while a minimum of 1 is required.")
    return found


def _objects(column: Any) -> NDArray[Any]:
    values = column.to_list() if hasattr(column, "to_list") else list(column)
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


def _weights(categories: Any, names: Sequence[str]) -> dict[str, float]:
    given = dict(categories) if isinstance(categories, Mapping) else dict.fromkeys(categories or (), 1.0)
    for name, weight in given.items():
        if name not in names:
            raise ValueError(f"categories has {name!r}, but the columns are {', '.join(names)[:500]}.")
        if not isinstance(weight, int | float | np.number) or not 0 < weight < np.inf:
            raise ValueError(f"the weight of {name!r} must be a number above 0, not {weight!r}.")
    return {name: float(weight) for name, weight in given.items()}


def _kind(name: str, values: NDArray[Any], weights: Mapping[str, float]) -> str:
    present = [value for value in values if value is not None]
    if name in weights or any(isinstance(value, str | bytes) for value in present):
        return "category"
    if not present:
        raise ValueError(f"column {name!r} has no values; drop it, or begin with rows that have some.")
    if all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    if all(isinstance(value, Real) for value in present):
        return "number"
    if all(isinstance(value, date | np.datetime64) for value in present):
        return "date"
    if any(isinstance(value, complex) for value in present):
        raise ValueError(f"Complex data not supported: column {name!r} holds complex numbers.")
    raise TypeError(
        f"column {name!r} holds {type(present[0]).__name__}; each argument must be a string, a number, a boolean or a "
        "date. Convert or drop the column, or name it in categories."
    )


def _numbers(name: str, values: NDArray[Any]) -> Floats:
    try:
        found = np.array([np.nan if value is None else float(value) for value in values])
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} holds numbers, but also other values ({error}).") from None
    outside = np.flatnonzero(np.abs(found) > _validation.LARGEST)
    if len(outside):
        at = int(outside[0])
        raise ValueError(f"row {at} of column {name!r} is {found[at]:g}; replace the value, or drop the row.")
    return found


def _checked_boolean(name: str, value: Any) -> bool:
    if value not in (False, True):
        raise ValueError(f"column {name!r} holds booleans, but also {value!r}.")
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
        raise ValueError(f"column {name!r} holds dates, but also other values ({error}).") from None
    days: Floats = np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 86_400e6)
    return days


def _local(value: Any) -> Any:
    if isinstance(value, np.datetime64):
        return value
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
