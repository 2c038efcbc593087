"""Validation of input: the only place where rows are checked and converted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phida import _core
from phida._preparation import Preparation
from phida.errors import InputError

if TYPE_CHECKING:  # most commands work without scikit-learn, which takes a second to import
    from sklearn.base import BaseEstimator

#: Squares of larger values overflow.
LARGEST = 1e140

#: Rows up to this number can be counted exactly in a double.
LARGEST_WEIGHT = 2.0**53
SMALLEST_WEIGHT = 2.0**-40

#: Values of float32 rows converted at a time.
_TOGETHER = 1 << 20


@dataclass(frozen=True, eq=False)
class Columns:
    """The features of an estimator's rows."""

    width: int
    """Number of features."""
    names: NDArray[np.object_] | None = None
    """Names of the features, if all column names of the input are strings."""
    preparation: Preparation = field(default_factory=Preparation)
    """Steps before learning and predicting."""

    def learned(self, samples: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[Any]:
        """Return rows with missing values filled from earlier rows; the imputer learns rows of positive weight."""
        preparation = self.preparation
        if not preparation.fills:
            return samples
        self.refuse_unknown(samples)
        if weights is None or weights.all():
            return preparation.learned(samples)
        counted, filled = weights > 0.0, np.empty(samples.shape)
        filled[counted] = preparation.learned(samples[counted])
        filled[~counted] = preparation.filled(samples[~counted])
        return filled

    def refuse_unknown(self, samples: NDArray[Any]) -> None:
        """Raise an error if a feature has had no value so far, so that its gaps cannot be filled."""
        imputer = self.preparation.imputer
        assert imputer is not None
        for j in np.flatnonzero(imputer.unknown(samples)):
            name = f"feature {j}" if self.names is None else f"column {self.names[j]!r}"
            raise InputError(f"{name} has no values yet; drop it, or begin with rows that have some.")


def columns_of(X: Any, width: int) -> Columns:
    """Return the columns of validated rows."""
    from sklearn.base import BaseEstimator

    probe = BaseEstimator()
    record(probe, X, reset=True)
    return Columns(width, vars(probe).get("feature_names_in_"))


def samples(
    estimator: BaseEstimator,
    X: Any,
    columns: Columns | None = None,
    *,
    keep_float32: bool = False,
    learn: bool = False,
) -> NDArray[Any]:
    """Return rows as a matrix, after a check against the known width and names."""
    if columns is None:
        columns = Columns(estimator.n_features_in_, getattr(estimator, "feature_names_in_", None))
    encoded = columns.preparation.encoded(X)
    if encoded is not None:
        return encoded
    if columns.names is None and _is_ready(X, columns.width):
        return X  # type: ignore[no-any-return]
    fills = columns.preparation.fills
    array = rows(estimator, X, keep_float32=keep_float32 and not fills, keep_missing=fills)
    record(estimator, X, reset=False)
    return columns.preparation.filled(array) if fills and not learn else array


def rows(estimator: BaseEstimator, X: Any, *, keep_float32: bool = False, keep_missing: bool = False) -> NDArray[Any]:
    """Return rows as a C-ordered float64 matrix; float32 rows stay float32 if ``keep_float32``."""
    from sklearn.utils import check_array

    _refuse_vectors_and_texts(X)
    _refuse_other_shapes(X)
    _refuse_other_values(X)
    kinds = [np.float64, np.float32] if keep_float32 else np.float64
    try:
        array = check_array(X, dtype=kinds, order="C", estimator=estimator, input_name="X", ensure_all_finite=False)
    except ValueError as error:
        raise InputError(str(error)) from error
    except OverflowError as error:
        raise InputError(f"X holds an integer that is too large for float64 ({error}); rescale that column.") from error
    _refuse_outside(np.where(np.isnan(array), 0.0, array) if keep_missing else array, X)
    return array  # type: ignore[no-any-return]


def parts(array: NDArray[Any]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield validated rows as float64, with their slice. float32 rows come in parts, which avoids a copy of all."""
    if array.dtype == np.float64:
        yield slice(None), array
        return
    size = max(1, _TOGETHER // array.shape[1])
    for first in range(0, len(array), size):
        part = slice(first, first + size)
        yield part, array[part].astype(np.float64, order="C")


def by_parts(answer: Callable[[NDArray[np.float64]], NDArray[Any]], array: NDArray[Any]) -> NDArray[Any]:
    """Join the answers for each part of the rows."""
    answers = [answer(rows) for _, rows in parts(array)]
    return answers[0] if len(answers) == 1 else np.concatenate(answers)


def weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Return weights as a float64 vector with at least one above 0; None means that each row counts once."""
    if sample_weight is None:
        return None
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind not in "fiub" and any(isinstance(weight, str | bytes) for weight in given.flat):
            raise ValueError("it holds text")
        found = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"sample_weight must hold numbers ({error}).") from error
    if given.shape != (n_rows,):
        raise InputError(f"sample_weight must have one weight per row, shape ({n_rows},), not {given.shape}.")
    wrong = np.flatnonzero(~((found == 0.0) | ((found >= SMALLEST_WEIGHT) & (found <= LARGEST_WEIGHT))))
    if len(wrong):
        raise InputError(
            f"sample_weight[{wrong[0]}] is {found[wrong[0]]:g}; a weight is a number of rows: 0, or from "
            f"{SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}."
        )
    if not found.any():
        raise InputError("sample_weight is zero for every row; at least one row must count.")
    return found


def record(estimator: BaseEstimator, X: Any, *, reset: bool) -> None:
    """Set width and feature names of the estimator (``reset``), or compare them with the known ones."""
    from sklearn.utils.validation import validate_data

    try:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise InputError(str(error)) from error


def holds_dates(X: Any) -> bool:
    """Return whether a polars frame holds dates, times or durations, which it would convert to numbers."""
    kinds = getattr(X, "dtypes", ()) if hasattr(X, "columns") else ()  # a series has one type, not several
    return any(getattr(kind, "is_temporal", bool)() for kind in kinds)


def _is_ready(X: Any, width: int) -> bool:
    """Return whether rows are a plain matrix of the known width, with values checked natively (fast path)."""
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


def _refuse_other_values(X: Any) -> None:
    """Refuse text and dates, which NumPy may silently convert to numbers, and complex numbers."""
    from scipy.sparse import issparse

    if type(X) is np.ndarray and X.dtype.kind in "fiub":
        return
    if issparse(X):
        if X.dtype.kind == "c":
            raise _complex([])
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Reduce it first with phida.embeddings.Reducer, "
            "or use '.toarray()' if it has few columns."
        )
    if isinstance(X, np.ma.MaskedArray):
        raise InputError("X is a masked array, whose masked values would be used. Fill or drop them first.")
    try:
        array = np.asarray(X)
    except (TypeError, ValueError) as error:
        raise InputError(f"X cannot be read as a matrix of numbers: {error}") from error
    kinds = {"U": "text", "S": "bytes", "V": "records", "M": "dates", "m": "time spans"}
    found = kinds.get(array.dtype.kind)
    if holds_dates(X):
        found = "dates"
    if array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat):
        found = "text"
    is_complex = array.dtype.kind == "c" or (array.dtype.kind == "O" and any(map(_is_complex, array.flat)))
    if is_complex and not found:
        raise _complex(_columns_not_numeric(X))
    named = _columns_not_numeric(X) if found or array.dtype.kind == "O" else []
    if found or named:
        found = found or "dates"
        where = f" in {_listed(named)}" if named else ""
        raise InputError(
            f"X holds {found}{where}; all columns must be numeric. Drop the others first, or encode them "
            "(phida.preprocessing.TableEncoder)."
        )


def _complex(named: list[str]) -> InputError:
    where = f" in {_listed(named)}" if named else ""
    return InputError(  # scikit-learn's checks of an estimator search for the first four words
        f"Complex data not supported: X holds complex numbers{where}. Pass real and imaginary parts as separate "
        "columns, or drop them."
    )


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex | np.complexfloating)


def _columns_not_numeric(X: Any) -> list[str]:
    """Return the names of the non-numeric columns of a pandas or polars frame."""
    names, kinds = getattr(X, "columns", None), getattr(X, "dtypes", None)
    if names is None or kinds is None or np.ndim(X) != 2:
        return []
    return [str(name) for name, kind in zip(names, list(kinds), strict=False) if not _is_numeric(X, name, kind)]


def _is_numeric(X: Any, name: Any, kind: Any) -> bool:
    if hasattr(kind, "is_numeric"):  # polars
        return bool(kind.is_numeric() or str(kind) == "Boolean")
    if getattr(kind, "kind", "O") != "O":
        return kind.kind in "fiub"
    return not any(isinstance(value, str | bytes) or _is_complex(value) for value in np.asarray(X[name], object).flat)


def _listed(names: list[str], most: int = 10) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return f"column{'' if len(names) == 1 else 's'} {shown}" + ("" if len(names) <= most else ", …")


def _refuse_vectors_and_texts(X: Any) -> None:
    """Refuse columns of vectors, such as embeddings in a frame, and lists of texts."""
    if (type(X) is np.ndarray and X.dtype.kind in "fiub") or hasattr(X, "toarray"):
        return
    try:
        first = np.asarray(X.head(1) if hasattr(X, "head") else X[:1])
    except (TypeError, ValueError, KeyError, IndexError):
        return
    if first.ndim == 1 and any(isinstance(value, str) for value in first):
        raise InputError(
            "X holds texts; pass numbers. For sentences, these are their embeddings, or TF-IDF reduced by "
            "phida.embeddings.Reducer."
        )
    is_polars_array = first.ndim == 2 and len(getattr(X, "shape", ())) == 1
    held = [first.dtype.kind == "O" and np.ndim(value) > 0 for value in first.flat]
    if not is_polars_array and not any(held):
        return
    names = getattr(X, "column_names", getattr(X, "columns", None))
    source = "X" if names is None else f"X[{names[held.index(True)]!r}]"
    values = f"{source}.to_numpy()" if hasattr(X, "to_numpy") or names is not None else source
    raise InputError(f"{source} holds vectors; pass a matrix, such as np.stack({values}).")


def _refuse_other_shapes(X: Any) -> None:
    """Refuse input with one dimension, which could be a row or a column."""
    if isinstance(X, list | tuple) and len(X) > 0 and np.isscalar(X[0]) and not isinstance(X[0], str | bytes):
        raise InputError(
            f"X has one dimension, of shape ({len(X)},); expected a list of rows. Reshape your data: "
            "[[value] for value in X] if it is one feature, [X] if it is one row."
        )
    if len(getattr(X, "shape", ())) != 1:
        return
    if hasattr(X, "to_frame"):
        raise InputError(
            f"X is a {type(X).__name__}, with one dimension; expected a frame or a matrix. Reshape your data: "
            "X.to_frame() if it is one feature, X.to_frame().T if it is one row."
        )
    raise InputError(
        f"X has one dimension, of shape ({X.shape[0]},); expected a matrix. Reshape your data: "
        "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row."
    )


def _refuse_outside(array: NDArray[Any], X: Any) -> None:
    """Refuse NaN, infinities and values whose squares overflow, with their position."""
    before = 0  # number of values in the valid parts
    for _, part in parts(array):
        at = _core.first_outside(part, LARGEST)
        if at >= 0:
            break
        before += part.size
    else:
        return
    at += before
    row, column = divmod(at, array.shape[1])
    value = array[row, column]
    names = getattr(X, "columns", None)
    where = f"X[{row}, {column}]" if names is None else f"row {row} of column {names[column]!r}"
    if np.isnan(value):
        missing = int(np.isnan(array).sum())
        raise InputError(
            f"{where} is NaN, and {missing:,} value{'' if missing == 1 else 's'} in all; missing values cannot be "
            'learned. Pass missing="median" to PHIDAPlus, fill them first (sklearn.impute.SimpleImputer), or drop '
            "their rows."
        )
    if np.isinf(value):
        raise InputError(f"{where} is {'inf' if value > 0 else '-inf'}. Replace it, or drop its row.")
    raise InputError(
        f"{where} is {value:g}; magnitudes beyond {LARGEST:g} overflow "
        "when squared. Rescale the column, or drop the row if the value is a mistake."
    )
