"""scikit-learn's own checks of estimators, with no expected failure, and its conventions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import blobs
from kinds import each_estimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida import PHIDA, PHIDAPlus

X = blobs(200)


@parametrize_with_checks(
    [
        PHIDA(),
        PHIDAPlus(),
        PHIDAPlus(max_nodes=20, half_life=100.0, scale=None),
        PHIDAPlus(missing="median"),
    ]
)
def test_estimator_passes_scikit_learn_checks(estimator, check):
    check(estimator)


def test_parameters_are_keyword_only():
    assert PHIDA().get_params() == {"compute_labels": True}
    of_plus = {"max_nodes": 2048, "half_life": None, "scale": "auto", "missing": "error", "keep_examples": 3}
    of_plus["compute_labels"] = True
    assert PHIDAPlus().get_params() == of_plus
    for estimator in (PHIDA, PHIDAPlus):
        with pytest.raises(TypeError):
            estimator(True)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_predict"])
@pytest.mark.parametrize(
    "model",
    [PHIDA(compute_labels="yes"), PHIDAPlus(compute_labels=None), PHIDAPlus(scale="none"), PHIDAPlus(max_nodes=None)],
    ids=str,
)
def test_invalid_parameters_are_refused(model, method):
    with pytest.raises(ValueError, match=f"parameter of {type(model).__name__} must be"):
        getattr(model, method)(X)


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_predict"])
def test_phida_has_no_sample_weight(method):
    with pytest.raises(TypeError, match="sample_weight"):
        getattr(PHIDA(), method)(X, sample_weight=None)


@pytest.mark.parametrize("weight", [[2] * 200, pd.Series(2, range(200)), pl.Series([2.0] * 200), np.full(200, 2)])
def test_weights_of_any_type_are_accepted(weight):
    model = PHIDAPlus().fit(X, sample_weight=weight).partial_fit(X, sample_weight=weight)
    assert model.nodes_.support.sum() == 800


@each_estimator
@pytest.mark.parametrize(
    "read",
    [
        lambda model: model.predict(X),
        lambda model: model.transform(X),
        lambda model: model.refresh(),
        lambda model: model.n_clusters_,
        lambda model: model.n_samples_seen_,
        lambda model: model.cut_clarity_,
        lambda model: model.nodes_,
        lambda model: model.cluster_centers_,
        lambda model: model.get_feature_names_out(),
    ],
)
def test_unfitted_model_raises_not_fitted(read, estimator):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        read(estimator())


@each_estimator
def test_fit_predict_works_without_compute_labels(estimator):
    model = estimator(compute_labels=False)
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(labels, estimator().fit(X).labels_)
    assert not hasattr(model, "labels_")


@each_estimator
def test_labels_of_an_earlier_fit_are_removed(estimator):
    model = estimator().fit(X).set_params(compute_labels=False).fit(X[:50])
    assert not hasattr(model, "labels_")


@each_estimator
def test_y_is_ignored(estimator):
    np.testing.assert_array_equal(estimator().fit(X, np.arange(200)).labels_, estimator().fit(X).labels_)


@each_estimator
def test_feature_names_out_number_the_clusters(estimator):
    model = estimator().fit(X)
    names = [f"{estimator.__name__.lower()}{c}" for c in range(model.n_clusters_)]
    assert model.get_feature_names_out().tolist() == names
    frame = model.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pd.DataFrame) and frame.columns.tolist() == names
    frame = model.set_output(transform="polars").transform(X)
    assert isinstance(frame, pl.DataFrame) and frame.columns == names
    np.testing.assert_array_equal(frame.to_numpy(), model.set_output(transform="default").transform(X))


@each_estimator
def test_model_works_in_a_pipeline(estimator):
    pipeline = make_pipeline(StandardScaler(), estimator())
    labels = pipeline.fit_predict(X)
    np.testing.assert_array_equal(labels, estimator().fit(StandardScaler().fit_transform(X)).labels_)


@each_estimator
def test_partial_fit_removes_labels_of_other_rows(estimator):
    model = estimator().fit(X).set_params(compute_labels=False)
    assert not hasattr(model.partial_fit(X[:10]), "labels_")


def test_changed_parameters_are_validated_on_use():
    model = PHIDAPlus().fit(X)
    with pytest.raises(ValueError, match="compute_labels"):
        model.set_params(compute_labels="no").partial_fit(X)
    with pytest.raises(ValueError, match="'scale' parameter"):
        model.set_params(compute_labels=True, scale="nonsense").partial_fit(X)
