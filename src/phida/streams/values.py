"""Which values may be learned from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phida._validation import LARGEST
from phida.streams.batch import BadRow, DataError

#: What stands where a value is missing.
MISSING = ("", "na", "n/a", "null", "none", "?", "-")


def checked(value: float, name: str, number: int) -> float:
    """A value that may be learned from."""
    if not abs(value) <= LARGEST:
        raise DataError(_reason(value, name, number))
    return value


def _reason(value: float, name: str, number: int) -> str:
    return f"row {number}: column {name!r} is {value:g}; values must be finite and below {LARGEST:g}."


def sound(rows: NDArray[np.float64], names: Sequence[str], begin: int) -> tuple[NDArray[np.bool_], list[BadRow]]:
    """Which rows may be learned from, and what is wrong with the others."""
    fine = np.less_equal(np.abs(rows), LARGEST)
    good = np.asarray(fine.all(axis=1))
    bad = []
    for at in np.flatnonzero(~good).tolist():
        column = int(np.flatnonzero(~fine[at])[0])
        reason = _reason(float(rows[at, column]), names[column], begin + at)
        bad.append(BadRow(begin + at, reason, str(rows[at].tolist())))
    return good, bad


def is_number(text: str) -> bool:
    """Whether a field is a number in ASCII digits: "nan" and "inf" are, though not ones to learn from; "1_0" is not.

    ``float`` takes digits of every script. A file with such digits is more likely damaged than meant.
    """
    try:
        float(text)
    except ValueError:
        return False
    return text.strip().isascii() and "_" not in text
