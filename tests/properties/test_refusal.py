"""A refused chunk leaves the model unchanged, to the bit."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from data import blobs
from kinds import each_estimator
from states import differences, state_of

from phida import PHIDAPlus

X = blobs(120)


def with_value(value, row=70):
    """Return good rows before a bad one: the chunk is checked before any row is learned."""
    bad = blobs(100, seed=5)
    bad[row, 1] = value
    return bad


REFUSED = {
    "nan": with_value(np.nan),
    "inf": with_value(np.inf),
    "huge": with_value(-1e141),
    "huge, last value": with_value(1e141, row=99),
    "nan in float32": with_value(np.nan).astype(np.float32),
    "nan in a frame": pd.DataFrame(with_value(np.nan), columns=["p", "q", "r"]),
    "too wide": blobs(20, 4),
    "too narrow": blobs(20, 2),
    "empty": np.empty((0, 3)),
    "one-dimensional": np.zeros(3),
    "text": [["a", "b", "c"]],
    "complex": np.zeros((2, 3)) + 1j,
    "complex in a list": [[1j, 0.0, 0.0]],
}


def everything(model):
    """Return everything that a model holds: the learner's state, and all other attributes."""
    held = {name: copy.deepcopy(value) for name, value in vars(model).items() if name != "_model"}
    return held, state_of(model) if "_model" in vars(model) else {}


def assert_untouched(model, before):
    held, state = everything(model)
    assert differences(held, before[0]) == []
    assert differences(state, before[1]) == []


@each_estimator
@pytest.mark.parametrize("method", ["partial_fit", "predict", "transform"])
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame"])
def test_refused_rows_leave_a_fitted_model_unchanged(name, method, frame, estimator):
    model = estimator().fit(pd.DataFrame(X, columns=["a", "b", "c"]) if frame else X)
    before = everything(model)
    with warnings.catch_warnings(), pytest.raises((ValueError, TypeError)):
        # scikit-learn warns if only one of model and data has feature names; this test does not check that.
        warnings.simplefilter("ignore")
        getattr(model, method)(REFUSED[name])
    assert_untouched(model, before)


@each_estimator
@pytest.mark.parametrize("name", [name for name in REFUSED if name not in ("too wide", "too narrow")])
@pytest.mark.parametrize("frame", [False, True], ids=["array", "frame"])
def test_refused_fit_keeps_the_old_model(name, frame, estimator):
    """fit resets only after its rows were checked."""
    model = estimator().fit(pd.DataFrame(X, columns=["a", "b", "c"]) if frame else X)
    before = everything(model)
    with pytest.raises((ValueError, TypeError)):
        model.fit(REFUSED[name])
    assert_untouched(model, before)


@each_estimator
@pytest.mark.parametrize("name", [name for name in REFUSED if name not in ("too wide", "too narrow")])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_refused_rows_leave_a_new_model_unfitted(name, method, estimator):
    model = estimator()
    before = everything(model)
    with pytest.raises((ValueError, TypeError)):
        getattr(model, method)(REFUSED[name])
    assert_untouched(model, before)
    assert not hasattr(model, "n_features_in_")


WEIGHTS = {
    "too few": np.ones(119),
    "two columns": np.ones((120, 2)),
    "one number": 2.0,
    "negative": np.r_[np.ones(119), -1.0],
    "nan": np.r_[np.nan, np.ones(119)],
    "infinite": np.r_[np.ones(119), np.inf],
    "beyond 2^53": np.full(120, 2.0**54),
    "all 0": np.zeros(120),
    "text": ["1"] * 120,
    "none": [None] * 120,
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
def test_other_feature_names_are_refused(estimator):
    model = estimator().fit(pd.DataFrame(X, columns=["a", "b", "c"]))
    before = everything(model)
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(pd.DataFrame(X, columns=["a", "c", "b"]))
    assert_untouched(model, before)
