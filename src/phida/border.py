"""What may enter: the one place where input is checked and converted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from phida import _core

#: Squares of larger values overflow.
LARGEST = 1e140


def samples(estimator: BaseEstimator, X: Any, *, reset: bool) -> NDArray[np.float64]:
    """Rows as a C-ordered float64 matrix, or an error that says what is wrong with them.

    Nothing is recorded on the estimator unless all is well.
    """
    if not reset and _is_ready(estimator, X):
        return X  # type: ignore[no-any-return]
    _refuse_text(X)
    array = check_array(X, dtype=np.float64, order="C", estimator=estimator, input_name="X")
    _refuse_huge(array)
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return array  # type: ignore[no-any-return]


def _is_ready(estimator: BaseEstimator, X: Any) -> bool:
    """The fast path: a plain matrix of the known width, its values checked natively."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and X.flags.c_contiguous
        and X.flags.aligned
        and "feature_names_in_" not in vars(estimator)
        and _core.first_outside(X, LARGEST) < 0
    )


def _refuse_text(X: Any) -> None:
    """Text and dates would be converted silently where they look like numbers."""
    if issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind in "fiub"):
        return
    array = np.asarray(X)
    kinds = {"U": "text", "S": "bytes", "V": "records", "M": "dates", "m": "time spans"}
    found = kinds.get(array.dtype.kind)
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
