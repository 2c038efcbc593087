"""float32 rows, as embeddings usually are: the same results as float64, without a copy of the whole array."""

import tracemalloc

import numpy as np
import pytest
from data import blobs
from kinds import each_estimator
from states import assert_same_state

from phida import PHIDAPlus, _validation

X = blobs(150).astype(np.float32)


@pytest.fixture
def parts_of_seven_rows(monkeypatch):
    monkeypatch.setattr(_validation, "_TOGETHER", 7 * X.shape[1])


@each_estimator
def test_float32_in_parts_gives_the_bits_of_float64(estimator, parts_of_seven_rows):
    double = X.astype(np.float64)
    one = estimator().fit(X[:100]).partial_fit(X[100:])
    other = estimator().fit(double[:100]).partial_fit(double[100:])
    assert_same_state(one, other)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.predict(X), other.predict(double))
    np.testing.assert_array_equal(one.predict_id(X), other.predict_id(double))


def test_weights_of_float32_rows_stay_with_their_rows(parts_of_seven_rows):
    weights = np.random.default_rng(0).uniform(0.5, 2, len(X))
    some = np.where(np.arange(len(X)) % 3, weights, 0)
    for given in (weights, some):
        one = PHIDAPlus(max_nodes=32).fit(X, sample_weight=given)
        assert_same_state(one, PHIDAPlus(max_nodes=32).fit(X.astype(np.float64), sample_weight=given))


@each_estimator
def test_bad_value_in_a_later_part_is_refused_before_any_row_is_learned(estimator, parts_of_seven_rows):
    bad = X.copy()
    bad[17, 2] = np.nan
    model = estimator().fit(X)
    with pytest.raises(ValueError, match=r"X\[17, 2\] is NaN, and 1 value in all"):
        model.partial_fit(bad)
    assert model.n_samples_seen_ == len(X)


@pytest.mark.parametrize(
    "learn",
    [lambda model, rows: model.partial_fit(rows).predict(rows), lambda model, rows: model.fit(rows, n_jobs=2)],
    ids=["partial_fit", "n_jobs"],
)
def test_float32_rows_are_never_copied_whole(learn):
    rows = np.random.default_rng(0).standard_normal((40_000, 256), np.float32)
    model = PHIDAPlus(max_nodes=8, compute_labels=False)
    tracemalloc.start()
    try:
        learn(model, rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < rows.nbytes  # a float64 copy takes twice as much
