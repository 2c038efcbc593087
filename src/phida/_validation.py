"""Validation of input: the one place where rows are checked and converted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phida import _core

if TYPE_CHECKING:  # the command line does without scikit-learn, which takes a second to import
    from sklearn.base import BaseEstimator

#: Squares of larger values overflow.
LARGEST = 1e140


@dataclass(frozen=True, eq=False)
class Columns:
    """The features of an estimator's rows."""

    width: int
    """How many."""
    names: NDArray[np.object_] | None = None
    """Their names, where the input had names that are all strings."""


def columns_of(X: Any, width: int) -> Columns:
    """The columns of rows that were found valid."""
    from sklearn.base import BaseEstimator

    probe = BaseEstimator()
    record(probe, X, reset=True)
    return Columns(width, vars(probe).get("feature_names_in_"))


def samples(estimator: BaseEstimator, X: Any, columns: Columns | None = None) -> NDArray[np.float64]:
    """Rows for an estimator that has seen some before, of the same width and names."""
    if columns is None:
        columns = Columns(estimator.n_features_in_, getattr(estimator, "feature_names_in_", None))
    if columns.names is None and _is_ready(X, columns.width):
        return X  # type: ignore[no-any-return]
    array = rows(estimator, X)
    record(estimator, X, reset=False)
    return array


def rows(estimator: BaseEstimator, X: Any) -> NDArray[np.float64]:
    """Rows as a C-ordered float64 matrix, or an error that says what is wrong; the estimator is not touched."""
    from sklearn.utils import check_array

    _refuse_text(X)
    try:
        array = check_array(X, dtype=np.float64, order="C", estimator=estimator, input_name="X")
    except OverflowError as error:
        raise ValueError(f"X holds an integer that no float64 can hold ({error}); rescale that column.") from error
    _refuse_huge(array)
    return array  # type: ignore[no-any-return]


def record(estimator: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Keep width and feature names on the estimator (``reset``), or compare with those that it has."""
    from sklearn.utils.validation import validate_data

    validate_data(estimator, X, reset=reset, skip_check_array=True)


def holds_dates(X: Any) -> bool:
    """Does a polars frame hold dates, times or spans of time? Beside numbers it hands them out as numbers."""
    kinds = getattr(X, "dtypes", ()) if hasattr(X, "columns") else ()  # a series has one type, not several
    return any(getattr(kind, "is_temporal", bool)() for kind in kinds)


def _is_ready(X: Any, width: int) -> bool:
    """The fast path: a plain matrix of the known width, its values checked natively."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] == width
        and X.flags.c_contiguous
        and X.flags.aligned
        and _core.first_outside(X, LARGEST) < 0
    )


def _refuse_text(X: Any) -> None:
    """Text and dates would be converted silently where they look like numbers."""
    from scipy.sparse import issparse

    if issparse(X) or (type(X) is np.ndarray and X.dtype.kind in "fiub"):
        return
    if isinstance(X, np.ma.MaskedArray):
        raise ValueError("X is a masked array, and masked values would count. Fill or drop them first.")
    try:
        array = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X cannot be read as a matrix of numbers: {error}") from error
    kinds = {"U": "text", "S": "bytes", "V": "records", "M": "dates", "m": "time spans"}
    found = kinds.get(array.dtype.kind)
    if holds_dates(X):
        found = "dates"
    if array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat):
        found = "text"
    if found:
        raise ValueError(f"X holds {found}; every column must be numeric. Encode or drop the others first.")


def _refuse_huge(array: NDArray[np.float64]) -> None:
    at = _core.first_outside(array, LARGEST)
    if at >= 0:
        row, column = divmod(at, array.shape[1])
        raise ValueError(
            f"X[{row}, {column}] is {array[row, column]:g}; magnitudes beyond {LARGEST:g} overflow "
            "when squared. Rescale the column, or drop the row if the value is a mistake."
        )
