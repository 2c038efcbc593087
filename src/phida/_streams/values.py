"""Checks of values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phida._streams.batch import BadRow, DataError
from phida._streams.dialect import Dialect
from phida._validation import LARGEST

#: Texts of missing values.
MISSING = ("", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-")

_ADVICE = "To fill missing values or drop such rows, learn the model with --impute median, mean or drop."


def is_missing(text: str) -> bool:
    """Return whether a field means a missing value."""
    return text.strip().lower() in MISSING


def missing(text: str, name: str, number: int) -> DataError:
    """Return the error for a field without a value."""
    return DataError(f"row {number}: column {name!r} has no value ({text.strip()[:40]!r}). {_ADVICE}")


def checked(value: float, name: str, number: int) -> float:
    """Return a value if it is valid, else raise an error."""
    if not abs(value) <= LARGEST:
        raise DataError(_reason(value, name, number))
    return value


def _reason(value: float, name: str, number: int) -> str:
    if np.isnan(value):
        return f"row {number}: column {name!r} has no value (nan). {_ADVICE}"
    return f"row {number}: column {name!r} is {value:g}; values must be finite and below {LARGEST:g}."


def sound(
    rows: NDArray[np.float64], names: Sequence[str], begin: int, *, keep_missing: bool = False
) -> tuple[NDArray[np.bool_], list[BadRow]]:
    """Return which rows can be learned, and the errors of the others; rows with NaN may be kept for filling."""
    fine = is_sound(rows, keep_missing=keep_missing)
    if fine.all():
        return np.ones(len(rows), np.bool_), []
    good = np.asarray(fine.all(axis=1))
    bad = []
    for at in np.flatnonzero(~good).tolist():
        column = int(np.flatnonzero(~fine[at])[0])
        reason = _reason(float(rows[at, column]), names[column], begin + at)
        bad.append(BadRow(begin + at, reason, str(rows[at].tolist())))
    return good, bad


def is_sound(rows: NDArray[np.float64], *, keep_missing: bool) -> NDArray[np.bool_]:
    """Return a mask of the rows with valid values."""
    fine = np.less_equal(np.abs(rows), LARGEST)
    return fine | np.isnan(rows) if keep_missing else fine


def is_number(text: str) -> bool:
    """Return whether a field is a number in phida's own format."""
    return Dialect().is_number(text)
