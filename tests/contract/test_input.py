"""Accepted input, and the messages for refused input."""

import datetime
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data import blobs
from kinds import each_estimator
from scipy import sparse
from sklearn.exceptions import NotFittedError
from states import assert_same_state, assert_untouched, everything

from phida import PHIDAPlus

X = blobs(150)
INTEGERS = np.round(10 * X).astype(np.int64)


def with_value(value):
    bad = X.copy()
    bad[17, 2] = value
    return bad


def with_value_in_last_row(value):
    bad = X.copy()
    bad[-1, 2] = value
    return bad


def with_object(value):
    bad = X.astype(object)
    bad[17, 2] = value
    return bad


def with_vectors():
    rows = np.empty(len(X), dtype=object)
    rows[:] = list(X)
    return rows


DATES = np.full((5, 3), np.datetime64("2024-01-01"))

COMPLEX = r"^Complex data not supported: X holds complex numbers\. Pass real and imaginary parts as separate columns"

# Refused input, its error type, and the words that its message must contain.
REFUSALS = {
    "nan": (with_value(np.nan), ValueError, r"X\[17, 2\] is NaN, and 1 value in all; missing values cannot be learned"),
    "inf": (with_value(np.inf), ValueError, r"X\[17, 2\] is inf"),
    "minus inf": (with_value(-np.inf), ValueError, r"X\[17, 2\] is -inf"),
    "huge": (with_value(2e140), ValueError, r"X\[17, 2\] is 2e\+140; magnitudes beyond 1e\+140 overflow .* Rescale"),
    "huge in the last row": (with_value_in_last_row(2e140), ValueError, r"X\[149, 2\] is 2e\+140"),
    "nan in float32": (with_value(np.nan).astype(np.float32), ValueError, r"X\[17, 2\] is NaN"),
    "nan in a frame": (
        pd.DataFrame(with_value(np.nan), columns=["p", "q", "r"]),
        ValueError,
        "row 17 of column 'r' is",
    ),
    "minus huge": (with_value(-2e140), ValueError, r"X\[17, 2\] is -2e\+140; magnitudes beyond 1e\+140"),
    "too large for float64": (with_object(10**400), ValueError, "integer that is too large for float64.*rescale"),
    "sparse": (sparse.csr_array(X), TypeError, "Sparse data was passed for X, but dense data is required"),
    "sparse matrix": (sparse.csc_matrix(X), TypeError, "Sparse data was passed for X, but dense data is required"),
    "complex": (X + 0j, ValueError, COMPLEX),
    "complex in a list": ([[1j, 2.0, 3.0]], ValueError, COMPLEX),
    "one complex among objects": (with_object(1j), ValueError, COMPLEX),
    "one complex64 among objects": (with_object(np.complex64(1j)), ValueError, COMPLEX),
    "complex in a frame": (pd.DataFrame(X + 0j), ValueError, "complex numbers in columns '0', '1', '2'"),
    "sparse and complex": (sparse.csr_array(X + 0j), ValueError, COMPLEX),
    "text": (np.array([["1", "2", "3"]]), ValueError, "X holds text; all columns must be numeric. Drop the others"),
    "text in a list": ([["1.5", "2", "3"]], ValueError, "X holds text"),
    "one text among objects": (with_object("red"), ValueError, "X holds text"),
    "one number as text": (with_object("1.5"), ValueError, "X holds text"),
    "bytes": (np.array([[b"1", b"2", b"3"]]), ValueError, "X holds bytes"),
    "text in a frame": (pd.DataFrame(X).assign(colour="red"), ValueError, "X holds text"),
    "category": (pd.DataFrame({"a": pd.Categorical(["x", "y"]), "b": 1.0, "c": 1.0}), ValueError, "X holds text"),
    "text in polars": (pl.DataFrame({"a": ["x"], "b": [1.0], "c": [2.0]}), ValueError, "X holds text"),
    "text in pyarrow": (pa.table({"a": ["x"], "b": [1.0], "c": [2.0]}), ValueError, "X holds text"),
    "dates": (DATES, ValueError, "X holds dates"),
    "time spans": (DATES - DATES, ValueError, "X holds time spans"),
    "dates in a frame": (pd.DataFrame(DATES), ValueError, "X holds dates"),
    "dates among numbers in polars": (
        pl.DataFrame({"a": [1.0], "b": [datetime.date(2024, 1, 1)], "c": [2.0]}),
        ValueError,
        "X holds dates",
    ),
    "dates among numbers": (pd.DataFrame(X[:5]).assign(when=DATES[:, 0]), (TypeError, ValueError), "."),
    "date objects": ([[datetime.date(2024, 1, 1), 1.0, 2.0]], TypeError, "date"),
    "records": (np.zeros((2, 3), dtype=[("a", float)]), ValueError, "X holds records"),
    "none": (with_object(None), (TypeError, ValueError), "."),
    "empty": (np.empty((0, 3)), ValueError, "Found array with 0 sample"),
    "no features": (np.empty((4, 0)), ValueError, r"0 feature\(s\)"),
    "one-dimensional": (X[0], ValueError, r"X has one dimension, of shape \(3,\)"),
    "three-dimensional": (X[None], ValueError, "Found array with dim 3"),
    "a number": (3.0, ValueError, "Expected 2D array, got scalar array instead"),
    "series of vectors": (pd.Series(list(X)), ValueError, r"X holds vectors; .* np\.stack\(X\.to_numpy\(\)\)"),
    "vectors in an array": (with_vectors(), ValueError, r"X holds vectors; .* np\.stack\(X\)"),
    "vectors in a frame": (
        pd.DataFrame({"id": range(150), "v": list(X)}),
        ValueError,
        r"X\['v'\] holds vectors; .* np\.stack\(X\['v'\]\.to_numpy\(\)\)",
    ),
    "vectors in polars": (pl.DataFrame({"v": pl.Series(X)}), ValueError, r"X\['v'\] holds vectors"),
    "polars series of vectors": (pl.Series(X), ValueError, "X holds vectors"),
    "vectors in pyarrow": (pa.table({"v": list(X)}), ValueError, r"X\['v'\] holds vectors"),
    "list of texts": (["how are you", "hello"], ValueError, "X holds texts; .* embeddings"),
    "ragged": ([[1.0, 2.0], [3.0]], ValueError, "cannot be read as a matrix of numbers"),
    "masked": (np.ma.masked_array(X[:1], mask=[[1, 0, 0]]), ValueError, "masked array.*[Ff]ill or drop"),
    "series": (pd.Series([1.0, 2.0, 3.0]), ValueError, "X is a Series, with one dimension"),
    "one row": ([1.0, 2.0], ValueError, r"one dimension, of shape \(2,\).*\[X\] if it is one row"),
    "text in one column": (pd.DataFrame({"a": [1.0], "kind": ["x"], "b": [1]}), ValueError, "text in column 'kind';"),
    "text in two columns": (pd.DataFrame({"s": ["x"], "t": ["y"], "u": 1.0}), ValueError, "text in columns 's', 't'"),
    "text in a column of polars": (pl.DataFrame({"a": [1.0], "kind": ["x"]}), ValueError, "text in column 'kind'"),
    "dates in one column": (pd.DataFrame({"a": [1.0], "day": DATES[:1, 0]}), ValueError, "dates in column 'day'"),
    "complex in one column": (pd.DataFrame({"a": [1.0], "z": [1j]}), ValueError, "complex numbers in column 'z'"),
    "complex objects": (
        pd.DataFrame({"a": [1.0], "z": [1j]}, dtype=object),
        ValueError,
        "complex numbers in column 'z'",
    ),
}


@each_estimator
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict", "transform"])
@pytest.mark.parametrize("name", REFUSALS)
def test_bad_input_is_refused_with_its_message_and_changes_nothing(name, method, fitted, estimator):
    bad, error, message = REFUSALS[name]
    model = estimator()
    if fitted:
        model.fit(pd.DataFrame(X, columns=list("abc")) if method == "fit" else X)
    elif method in ("predict", "transform"):
        error, message = NotFittedError, "not fitted yet"
    before = everything(model)
    with warnings.catch_warnings(), pytest.raises(error, match=message):
        warnings.simplefilter("ignore")  # from scikit-learn, if only the refused rows have names of features
        getattr(model, method)(bad)
    assert_untouched(model, before)


WEIGHTS = {
    "too few": np.ones(149),
    "two columns": np.ones((150, 2)),
    "one number": 2.0,
    "negative": np.r_[np.ones(149), -1.0],
    "nan": np.r_[np.nan, np.ones(149)],
    "infinite": np.r_[np.ones(149), np.inf],
    "beyond 2^53": np.full(150, 2.0**54),
    "all 0": np.zeros(150),
    "text": ["1"] * 150,
    "none": [None] * 150,
}


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("fitted", [False, True], ids=["new", "fitted"])
def test_refused_weights_change_nothing(name, method, fitted):
    model = PHIDAPlus().fit(X) if fitted else PHIDAPlus()
    before = everything(model)
    with pytest.raises(ValueError, match="sample_weight"):
        getattr(model, method)(X, sample_weight=WEIGHTS[name])
    assert_untouched(model, before)


@each_estimator
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 2e140, -1.1e140])
@pytest.mark.parametrize("at", [(0, 0), (0, 2), (149, 2), (77, 1)])
def test_fast_and_slow_path_raise_the_same_message(value, at, estimator):
    bad = X.copy()
    bad[at] = value
    model = estimator().fit(X)
    messages = []
    for form in (bad, np.asfortranarray(bad), bad.tolist()):
        with pytest.raises(ValueError) as caught:
            model.predict(form)
        messages.append(str(caught.value))
    assert len(set(messages)) == 1


@each_estimator
def test_values_at_the_limit_are_allowed(estimator):
    bad = X.copy()
    bad[5] = [1e140, -1e140, 0.0]
    model = estimator().fit(bad)
    assert np.isfinite(model.transform(bad)).all()
    with pytest.raises(ValueError, match="1e\\+140"):
        model.predict(np.full((1, 3), np.nextafter(1e140, 2e140)))


@each_estimator
@pytest.mark.parametrize("method", ["partial_fit", "predict", "transform"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_other_number_of_features_is_refused(width, method, estimator):
    message = f"X has {width} features, but {estimator.__name__} is expecting 3 features as input"
    model = estimator().fit(X)
    before = everything(model)
    for bad in (np.zeros((2, width)), np.zeros((2, width), order="F"), np.zeros((2, width)).tolist()):
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(bad)
    assert_untouched(model, before)


@each_estimator
def test_other_feature_names_are_refused(estimator):
    model = estimator().fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    before = everything(model)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match=re.compile("feature names should match.*- d", re.DOTALL)):
        model.predict(pd.DataFrame(X, columns=["a", "b", "d"]))
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(pd.DataFrame(X, columns=["a", "c", "b"]))
    assert_untouched(model, before)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def read_only(X):
    X = X.copy()
    X.setflags(write=False)
    return X


def unaligned(X):
    """Return float64 values at unaligned addresses."""
    raw = np.empty(X.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


def columns(X):
    return {"abc"[j]: X[:, j] for j in range(3)}


FORMS = {
    "list": lambda X: X.tolist(),
    "tuple of arrays": tuple,
    "float32": lambda X: X.astype(np.float32),
    "int64": lambda X: X.astype(np.int64),
    "int16": lambda X: X.astype(np.int16),
    "Fortran order": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "reversed twice": lambda X: np.ascontiguousarray(X[::-1])[::-1],
    "read-only": read_only,
    "unaligned": unaligned,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "objects": lambda X: X.astype(object),
    "matrix subclass": lambda X: X.view(type("Sub", (np.ndarray,), {})),
    "pandas": lambda X: pd.DataFrame(columns(X)),
    "pandas, mixed": lambda X: pd.DataFrame(columns(X)).astype({"a": "float32", "b": "int64"}),
    "pandas, nullable": lambda X: pd.DataFrame(columns(X)).astype("Int64"),
    "pandas, pyarrow": lambda X: pd.DataFrame(columns(X)).astype("float64[pyarrow]"),
    "polars": lambda X: pl.DataFrame(columns(X)),
    "pyarrow": lambda X: pa.table(columns(X)),
}


@each_estimator
@pytest.mark.parametrize("name", FORMS)
def test_all_input_forms_give_the_same_bits(name, estimator):
    """Integer values, which every form holds exactly."""
    rows = INTEGERS.astype(np.float64)
    form = FORMS[name](rows)
    expected = estimator().fit(rows).partial_fit(rows)
    model = estimator().fit(form)
    np.testing.assert_array_equal(model.predict(form), estimator().fit(rows).labels_)
    assert_same_state(model.partial_fit(form), expected)


@each_estimator
def test_booleans_are_zeros_and_ones(estimator):
    rows = X > 0
    assert_same_state(estimator().fit(rows), estimator().fit(rows.astype(float)))


@each_estimator
def test_integers_of_any_width_equal_floats(estimator):
    for dtype in (np.uint8, np.int8, np.uint64):
        rows = np.abs(INTEGERS % 50).astype(dtype)
        assert_same_state(estimator().fit(rows), estimator().fit(rows.astype(float)))


@each_estimator
@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_feature_names_are_recorded(form, estimator):
    assert estimator().fit(FORMS[form](X)).feature_names_in_.tolist() == ["a", "b", "c"]


@each_estimator
def test_input_is_not_changed_and_not_kept(estimator):
    rows = X.copy()
    model = estimator().fit(rows)
    np.testing.assert_array_equal(rows, X)
    rows[:] = 0
    assert_same_state(model.partial_fit(X), estimator().fit(X).partial_fit(X))


@each_estimator
def test_missing_labels_are_explained(estimator):
    with pytest.raises(NotFittedError, match="has no labels_ yet; call fit"):
        _ = estimator().labels_
    assert not hasattr(estimator(), "labels_")
    with pytest.raises(AttributeError, match="set compute_labels=True, or call predict"):
        _ = estimator(compute_labels=False).fit(X).labels_
    assert len(estimator().fit(X).labels_) == len(X)
