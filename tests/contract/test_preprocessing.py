"""Tables of mixed types as rows of numbers."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida import PHIDAPlus
from phida.preprocessing import TableEncoder

TABLE = pd.DataFrame(
    {
        "age": [20.0, 40.0, 60.0, np.nan],
        "plan": ["basic", "pro", "basic", None],
        "member": pd.array([True, False, True, None], dtype="boolean"),
        "since": pd.to_datetime(["2024-01-01 00:00", "2024-01-02 12:00", "2024-07-02 06:00", None]),
    }
)


@parametrize_with_checks([TableEncoder()])
def test_encoder_passes_scikit_learn_checks(estimator, check):
    check(estimator)


def test_column_of_iso_dates_as_text_is_warned_of_by_name():
    days = [f"2024-03-{day:02}" for day in range(1, 29)]
    table = pd.DataFrame({"age": np.arange(28.0), "since": days, "at": [f"{day}T10:00:00Z" for day in days]})
    with pytest.warns(UserWarning) as warned:
        TableEncoder().fit(table)
    said = [str(one.message) for one in warned]
    assert len(said) == 2 and "'since' holds dates as text" in said[0] and "pandas.to_datetime" in said[0]
    assert "'at' holds dates as text" in said[1]
    TableEncoder(categories=["since", "at"]).fit(table)  # warnings are errors in tests
    TableEncoder().fit(table.assign(since=pd.to_datetime(table["since"]), at="2024-99-01"))


def distance(encoder, name, a, b):
    """Return the distance between two rows that differ in one column."""
    rows = TABLE.iloc[[0, 0]].copy()
    rows[name] = pd.array([a, b], dtype=TABLE[name].dtype)
    one, other = encoder.transform(rows)
    return np.linalg.norm(one - other)


def test_each_type_has_its_unit():
    encoder = TableEncoder().fit(TABLE)
    assert encoder.kinds_ == ("number", "category", "boolean", "date")
    names = encoder.get_feature_names_out().tolist()
    assert names[:5] == ["age", "plan=basic", "plan=pro", "plan: other", "member"]
    assert names[5:7] == ["since: hour sine", "since: hour cosine"] and len(names) == 11
    assert distance(encoder, "age", 20, 20 + TABLE.age.std(ddof=0)) == pytest.approx(1)
    for a, b in [("basic", "pro"), ("basic", "new"), (None, None)]:
        assert distance(encoder, "plan", a, b) == pytest.approx(0 if a is b else 1)
    assert distance(encoder, "plan", "new", "newer") == 0
    assert distance(encoder, "member", True, False) == 1
    noon, midnight = pd.Timestamp("2024-03-01 12:00"), pd.Timestamp("2024-03-01")
    assert distance(encoder, "since", noon, midnight) == pytest.approx(1)
    late, early = pd.Timestamp("2023-12-31 23:59"), pd.Timestamp("2024-01-01 00:01")
    weekday = np.sin(np.pi / 7)  # the next day of the week
    assert distance(encoder, "since", late, early) == pytest.approx(weekday, abs=0.02)


def test_missing_values_are_encoded_in_the_middle():
    encoder = TableEncoder().fit(TABLE)
    missing = encoder.transform(TABLE.iloc[[3]])[0]
    np.testing.assert_array_equal(missing[[0, 1, 2, 3, 4]], [0, 0, 0, 0, 0.5])
    np.testing.assert_array_equal(missing[5:], 0)
    assert distance(encoder, "plan", None, "basic") == distance(encoder, "plan", None, "new")


def test_weights_column_codes_and_category_limit_are_applied():
    rows = pd.DataFrame({"code": [1, 2, 2, 3, 3, 3], "x": [0.0, 1, 2, 3, 4, 5]})
    encoder = TableEncoder(categories={"code": 2}, max_categories=2).fit(rows)
    assert encoder.get_feature_names_out().tolist() == ["code=2", "code=3", "code: other", "x"]
    found = encoder.transform(rows)[:, :3]
    assert np.linalg.norm(found[1] - found[3]) == pytest.approx(2)
    assert found[0].tolist() == [0, 0, pytest.approx(np.sqrt(2))]
    assert TableEncoder(categories=["code"]).fit(rows).categories_ == {"code": ("1", "2", "3")}


def test_partial_fit_equals_fit_and_keeps_the_width():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(5, 3, 300), "kind": rng.choice(["a", "b", "c"], 300)})
    whole, parts = TableEncoder().fit(rows), TableEncoder()
    for part in np.array_split(np.arange(300), [1, 7, 100]):
        parts.partial_fit(rows.iloc[part])
    np.testing.assert_allclose(parts.transform(rows)[:, 0], whole.transform(rows)[:, 0])
    assert len(parts.get_feature_names_out()) == 3  # x, the only category of the first row, and "other"


def test_polars_pandas_output_pickles_and_clones_work():
    frame = pl.DataFrame({"x": [1.0, 2.0], "day": [datetime.date(2024, 1, 1), datetime.date(2024, 5, 2)]})
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == ("number", "date")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(encoder)).transform(frame), encoder.transform(frame))
    clone(encoder)
    framed = encoder.set_output(transform="pandas").transform(frame)
    assert framed.columns.tolist() == encoder.get_feature_names_out().tolist()


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"age": ["many"], "plan": ["pro"], "member": [True], "since": [None]}, "column 'age' holds numbers, but"),
        ({"age": [1e200], "plan": ["pro"], "member": [True], "since": [None]}, "row 0 of column 'age' is 1e\\+200"),
        ({"age": [1], "plan": ["pro"], "member": ["maybe"], "since": [None]}, "column 'member' holds booleans, but"),
        ({"age": [1], "plan": ["pro"], "member": [True], "since": ["soon"]}, "column 'since' holds dates, but also"),
    ],
)
def test_values_of_another_type_are_refused_by_column_name(rows, said):
    encoder = TableEncoder().fit(TABLE)
    with pytest.raises(ValueError, match=said):
        encoder.transform(pd.DataFrame(rows))


def test_empty_columns_and_unknown_names_are_refused():
    with pytest.raises(ValueError, match="column 'a' has no values"):
        TableEncoder().fit(pd.DataFrame({"a": [None, None], "b": [1, 2]}))
    with pytest.raises(ValueError, match="categories has 'plam', but the columns are age"):
        TableEncoder(categories=["plam"]).fit(TABLE)
    with pytest.raises(ValueError, match="weight of 'plan'"):
        TableEncoder(categories={"plan": 0}).fit(TABLE)


def test_pipeline_finds_two_groups_of_customers():
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=600)
    table = pd.DataFrame(
        {
            "spend": np.where(group, 900, 300) + rng.normal(0, 60, 600),
            "plan": np.where(group, "pro", "basic"),
            "newsletter": rng.random(600) < 0.5,
        }
    )
    pipeline = make_pipeline(TableEncoder(), PHIDAPlus(scale=None)).fit(table.drop(columns="newsletter"))
    assert adjusted_rand_score(group, pipeline[-1].labels_) == pytest.approx(1)
