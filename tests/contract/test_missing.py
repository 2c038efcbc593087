"""Missing values in PHIDAPlus: filled from earlier rows, as the command line does."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from data import blobs
from streams_data import invoke as phida

import phida as package
from phida import PHIDA, InputError, ParameterError, PHIDAPlus

X = blobs(400, 3)
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
GAPS[0] = X[0]  # every feature begins with a value

each_rule = pytest.mark.parametrize("rule", ["median", "mean"])


@each_rule
def test_first_gap_is_filled_with_the_rule_over_earlier_rows(rule):
    rows = np.array([[1.0, 0.0], [2.0, 1.0], [9.0, 2.0], [np.nan, 3.0]])
    model = PHIDAPlus(missing=rule, scale=None).fit(rows)
    assert model.nodes_.representatives[3].tolist() == [{"median": 2.0, "mean": 4.0}[rule], 3.0]


@each_rule
def test_batches_give_the_same_bits(rule):
    whole = PHIDAPlus(missing=rule).partial_fit(GAPS)
    parts = PHIDAPlus(missing=rule)
    for begin in range(0, len(GAPS), 37):
        parts.partial_fit(GAPS[begin : begin + 37])
    assert parts.to_bytes() == whole.to_bytes()


@each_rule
@pytest.mark.parametrize(
    "copied",
    [
        copy.deepcopy,
        lambda model: pickle.loads(pickle.dumps(model)),
        lambda model: PHIDAPlus.from_bytes(model.to_bytes()),
    ],
    ids=["deepcopy", "pickle", "file"],
)
def test_copy_fills_the_same_values(rule, copied):
    model = PHIDAPlus(missing=rule).fit(GAPS)
    other = copied(model)
    assert other.missing == rule
    np.testing.assert_array_equal(other.predict(GAPS), model.predict(GAPS))
    assert other.partial_fit(GAPS[::-1]).to_bytes() == model.partial_fit(GAPS[::-1]).to_bytes()


def test_rows_without_gaps_give_the_labels_of_any_other_model():
    np.testing.assert_array_equal(PHIDAPlus(missing="median").fit_predict(X), PHIDAPlus().fit_predict(X))


def test_every_reading_takes_rows_with_gaps():
    model = PHIDAPlus(missing="median").fit(pd.DataFrame(GAPS, columns=["a", "b", "c"]))
    rows = pd.DataFrame(GAPS[:9], columns=["a", "b", "c"])
    np.testing.assert_array_equal(model.transform(rows).argmin(axis=1), model.predict(rows))
    assert np.isfinite(model.score_samples(rows)).all()
    np.testing.assert_array_equal(model.cut(n_clusters=1).predict(rows), np.zeros(9))


def test_rows_of_weight_0_are_labelled_and_teach_nothing():
    weights = np.repeat([1.0, 0.0], 200)
    model = PHIDAPlus(missing="mean").fit(GAPS, sample_weight=weights)
    assert model.labels_.shape == (400,)
    assert model.to_bytes() == PHIDAPlus(missing="mean").fit(GAPS[:200]).to_bytes()


def test_feature_without_values_is_refused_by_name():
    frame = pd.DataFrame({"a": X[:, 0], "empty": np.nan})
    model = PHIDAPlus(missing="median")
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(InputError, match="column 'empty' has no values yet"):
            learn(frame)
    assert not model.__sklearn_is_fitted__()


def test_infinity_is_still_refused_and_nothing_learned():
    model = PHIDAPlus(missing="median").fit(GAPS)
    before = model.to_bytes()
    with pytest.raises(InputError, match="is inf"):
        model.partial_fit([[np.nan, np.inf, 0.0]])
    assert model.to_bytes() == before


def test_missing_changed_after_learning_began_is_refused():
    model = PHIDAPlus(missing="median").fit(GAPS)
    model.missing = "mean"
    with pytest.raises(ParameterError, match="missing was changed from 'median' to 'mean'"):
        model.partial_fit(GAPS)
    assert model.fit(GAPS).missing == "mean"


def test_default_and_phida_refuse_gaps_with_advice():
    for model in (PHIDAPlus(), PHIDA()):
        with pytest.raises(InputError, match=r'NaN.*missing="median"'):
            model.fit(GAPS)


def test_models_with_different_rules_are_not_merged():
    with pytest.raises(ValueError, match="has the rule 'mean' for missing values and the first model 'median'"):
        PHIDAPlus(missing="median").fit(GAPS).merge(PHIDAPlus(missing="mean").fit(GAPS))


@each_rule
def test_python_and_the_command_line_share_model_files(rule, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(GAPS, columns=["a", "b", "c"])
    frame.to_csv("rows.csv", index=False)
    phida("fit", "rows.csv", "--impute", rule, "--out", "command.model", "--quiet")
    loaded, own = package.load("command.model"), PHIDAPlus(missing=rule).fit(frame)
    assert loaded.missing == rule and loaded.n_samples_seen_ == len(X)
    np.testing.assert_array_equal(loaded.predict(frame), own.predict(frame))
    own.save("python.model")
    phida("predict", "python.model", "rows.csv", "--output", "labelled.csv", "--quiet")
    np.testing.assert_array_equal(pd.read_csv("labelled.csv").cluster, own.predict(frame))
