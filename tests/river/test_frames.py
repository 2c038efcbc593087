"""Frames of rows: the same results as row by row, for every library."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from named_rows import FRAMES, NAMES, X, dicts, each_kind, learned
from states import assert_same_state


@pytest.fixture(params=FRAMES)
def frame(request):
    return FRAMES[request.param]


@each_kind
@pytest.mark.parametrize("cuts", [[], [1], [60, 61, 200]], ids=str)
def test_frames_are_learned_as_their_rows(frame, cuts, kind):
    model = kind.clusterer()
    for chunk in np.split(X, cuts):
        assert model.learn_many(frame(chunk)) is None
    assert_same_state(model, learned(kind.clusterer(), X))
    labels = model.predict_many(frame(X))
    assert np.asarray(labels).tolist() == [model.predict_one(x) for x in dicts(X)]


@each_kind
def test_predicted_series_are_of_the_frames_library(kind):
    model = learned(kind.clusterer(), X)
    types = {"pandas": pd.Series, "polars": pl.Series, "pyarrow": pa.ChunkedArray}
    for name, series in types.items():
        for labels in (model.predict_many(FRAMES[name](X)), kind.clusterer().predict_many(FRAMES[name](X))):
            assert isinstance(labels, series)
            assert np.asarray(labels).dtype == np.int64
    index = pd.date_range("2020-01-01", periods=len(X))
    labels = model.predict_many(FRAMES["pandas"](X).set_index(index))
    pd.testing.assert_index_equal(labels.index, index)
    assert labels.name == "cluster"


@each_kind
def test_frames_predicted_before_the_first_row_get_minus_1(frame, kind):
    model = kind.clusterer()
    assert np.asarray(model.predict_many(frame(X[:3]))).tolist() == [-1, -1, -1]
    model.learn_one({"other": 1.0})


@each_kind
def test_order_of_columns_does_not_matter(frame, kind):
    model = kind.clusterer()
    model.learn_many(frame(X[:100]))
    model.learn_many(frame(X[100:, ::-1], NAMES[::-1]))
    assert_same_state(model, learned(kind.clusterer(), X))
    turned = model.predict_many(frame(X[:, [1, 2, 0]], [NAMES[1], NAMES[2], NAMES[0]]))
    assert np.asarray(turned).tolist() == np.asarray(model.predict_many(frame(X))).tolist()


@each_kind
@pytest.mark.parametrize("dtype", ["float32", "int64", "Float64", "Int64", "bool"])
def test_columns_of_other_numeric_types_are_converted(dtype, kind):
    rows = np.round(X) > 0 if dtype == "bool" else np.round(X)
    frame = FRAMES["pandas"](rows).astype(dtype)
    model = kind.clusterer()
    model.learn_many(frame)
    assert_same_state(model, kind.estimator().partial_fit(frame.to_numpy(float)))
    turned = kind.clusterer()
    turned.learn_one(dicts(rows)[0])
    turned.learn_many(frame[1:][list(NAMES[::-1])])
    assert_same_state(turned, model)


@each_kind
def test_columns_of_mixed_types_are_converted(kind):
    frame = pd.DataFrame({"a": [0.5, 2.5], "b": [True, False], "c": pd.array([1, 2], dtype="Int64"), "d": [3, 4]})
    model = kind.clusterer()
    model.learn_many(frame)
    assert_same_state(model, kind.estimator().partial_fit([[0.5, 1, 1, 3], [2.5, 0, 2, 4]]))


@each_kind
def test_columns_named_by_numbers_are_learned(kind):
    model = kind.clusterer()
    model.learn_many(pd.DataFrame(X))
    assert_same_state(model, learned(kind.clusterer(), X, range(3)))
    model.learn_one({2: 1.0, 1: 1.0, 0: 1.0})


def with_value(frame, value, names=NAMES):
    """Return the frame with another value in row 17 of the second feature."""
    rows = X.astype(object)
    rows[17, 1] = value
    if frame is FRAMES["pandas"]:
        return pd.DataFrame(rows, columns=list(names))
    columns = {name: rows[:, i].tolist() for i, name in enumerate(names)}
    return pl.DataFrame(columns, strict=False) if frame is FRAMES["polars"] else pa.table(columns)


NUMBERS = {
    "nan": (float("nan"), "in row 17, feature 'width' is nan. Fill it, or leave the row out"),
    "none": (None, "in row 17, feature 'width' is (None|nan). Fill it"),
    "inf": (float("-inf"), "in row 17, feature 'width' is -inf. Fill it"),
    "huge": (2e140, r"in row 17, feature 'width' is 2e\+140, and magnitudes beyond .* Rescale"),
}


@each_kind
@pytest.mark.parametrize("which", NUMBERS)
@pytest.mark.parametrize("begun", [False, True])
def test_refusals_name_row_and_feature_and_learn_no_row(frame, which, begun, kind):
    value, said = NUMBERS[which]
    model, twin = kind.clusterer(), kind.clusterer()
    if begun:
        model.learn_many(frame(X[:50]))
        twin.learn_many(frame(X[:50]))
        with pytest.raises(ValueError, match=said):
            model.predict_many(with_value(frame, value))
    with pytest.raises(ValueError, match=said):
        model.learn_many(with_value(frame, value))
    assert_same_state(learned(model, X), learned(twin, X))


OTHERS = {
    "text": (pd.DataFrame({"height": [1.0], "width": ["red"], "depth": [1.0]}), "row 0, feature 'width' is 'red', not"),
    "missing value": (pd.DataFrame({"height": [1], "width": [pd.NA], "depth": [1]}), "feature 'width' is <NA>. Fill"),
    "missing integer": (
        pd.DataFrame({"height": [1, 2], "width": pd.array([1, None], dtype="Int64"), "depth": [1, 2]}),
        "in row 1, feature 'width' is (nan|None|<NA>). Fill it",
    ),
    "dates": (
        pd.DataFrame({"height": [1.0], "width": [pd.Timestamp("2020-01-01")], "depth": [1.0]}),
        "in row 0, feature 'width' is Timestamp.*, not a number",
    ),
    "lists": (
        pl.DataFrame({"height": [1.0], "width": [[1.0, 2.0]], "depth": [1.0]}),
        "feature 'width' is .*, not a number",
    ),
    "ragged lists": (
        pl.DataFrame({"height": [1.0, 2.0], "width": [[1.0], [1.0, 2.0]], "depth": [1.0, 2.0]}),
        "in row 0, feature 'width' is .*, not a number",
    ),
    "complex": (pd.DataFrame({"height": [1.0], "width": [1j], "depth": [1.0]}), "feature 'width' is 1j, not a number"),
    "time spans": (
        pl.DataFrame({"height": [1.0], "width": [datetime.timedelta(1)], "depth": [1.0]}),
        "feature 'width' is .*, not a number",
    ),
    "text in polars": (pl.DataFrame({"height": [1.0], "width": ["red"], "depth": [1.0]}), "feature 'width' is 'red'"),
    "text in pyarrow": (pa.table({"height": [1.0], "width": ["red"], "depth": [1.0]}), "feature 'width' is 'red'"),
    "one column less": (FRAMES["polars"](X[:, :2], NAMES[:2]), "feature 'depth' is missing; every row"),
    "one column more": (FRAMES["pyarrow"](X[:, [0, 1, 2, 0]], [*NAMES, "age"]), "feature 'age' is new; every row"),
    "a column twice": (FRAMES["pandas"](X, ["height", "width", "width"]), "two columns with the same name; rename"),
    "a column twice in pyarrow": (
        pa.Table.from_arrays([pa.array(X[:, i]) for i in range(3)], names=["height", "width", "width"]),
        "two columns with the same name|feature 'depth' is missing",
    ),
    "no rows": (FRAMES["pandas"](X[:0]), "0 sample"),
    "no columns": (pd.DataFrame(index=range(3)), "the row has no features"),
}


@each_kind
@pytest.mark.parametrize("which", OTHERS)
def test_frames_with_other_columns_are_refused(which, kind):
    frame, said = OTHERS[which]
    model = learned(kind.clusterer(), X)
    for method in (model.learn_many, model.predict_many):
        with pytest.raises(ValueError, match=said):
            method(frame)
    assert_same_state(model, learned(kind.clusterer(), X))


@each_kind
@pytest.mark.parametrize("other", [X, X.tolist(), dicts(X), FRAMES["polars"](X).lazy(), None], ids=type)
def test_input_that_is_not_a_frame_is_refused(other, kind):
    with pytest.raises(TypeError, match=r"X is a .*, not a frame; many rows at a time .* pandas, polars or pyarrow"):
        kind.clusterer().learn_many(other)
