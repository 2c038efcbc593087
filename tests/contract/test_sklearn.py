"""scikit-learn's own checks of an estimator, with no expected failure, and its conventions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import blobs
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida import PHIDA

X = blobs(200)


@parametrize_with_checks([PHIDA(), PHIDA(compatibility="released"), PHIDA(max_nodes=20, half_life=100.0)])
def test_estimator(estimator, check):
    check(estimator)


def test_parameters_are_keyword_only_and_five():
    published = {"compatibility": "equations", "compute_labels": True, "max_nodes": None, "half_life": None}
    assert PHIDA().get_params() == published | {"mapping": "persistence"}
    with pytest.raises(TypeError):
        PHIDA("released")


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_predict"])
@pytest.mark.parametrize(
    "parameters",
    [{"compatibility": "paper"}, {"compatibility": None}, {"compute_labels": "yes"}],
    ids=str,
)
def test_parameters_are_validated(parameters, method):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"The '{name}' parameter of PHIDA must be"):
        getattr(PHIDA(**parameters), method)(X)


@pytest.mark.parametrize("keyword", ["sample_weight", "random_state"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_there_is_no(keyword, method):
    with pytest.raises(TypeError, match=keyword):
        getattr(PHIDA(), method)(X, **{keyword: None})


def test_changing_compatibility_after_learning_began_is_refused():
    model = PHIDA().partial_fit(X)
    model.set_params(compatibility="released")
    with pytest.raises(ValueError, match=r"released was changed from False to True.*call fit"):
        model.partial_fit(X)
    assert model.n_samples_seen_ == 200
    model.fit(X).partial_fit(X)
    assert model.n_samples_seen_ == 400


@pytest.mark.parametrize(
    "read",
    [
        lambda model: model.predict(X),
        lambda model: model.transform(X),
        lambda model: model.refresh(),
        lambda model: model.n_clusters_,
        lambda model: model.n_samples_seen_,
        lambda model: model.interval_,
        lambda model: model.vigilance_,
        lambda model: model.nodes_,
        lambda model: model.cluster_centers_,
        lambda model: model.get_feature_names_out(),
    ],
)
def test_a_model_that_is_not_fitted_says_so(read):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        read(PHIDA())


@pytest.mark.parametrize("method", ["fit", "partial_fit", "fit_predict"])
def test_weights_are_refused(method):
    with pytest.raises(TypeError, match="sample_weight"):
        getattr(PHIDA(), method)(X, sample_weight=[1.0] * len(X))


def test_fit_predict_without_compute_labels():
    model = PHIDA(compute_labels=False)
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(labels, PHIDA().fit(X).labels_)
    assert not hasattr(model, "labels_")


def test_labels_of_an_earlier_fit_do_not_stay():
    model = PHIDA().fit(X).set_params(compute_labels=False).fit(X[:50])
    assert not hasattr(model, "labels_")


def test_y_is_ignored():
    np.testing.assert_array_equal(PHIDA().fit(X, np.arange(200)).labels_, PHIDA().fit(X).labels_)


def test_feature_names_out():
    model = PHIDA().fit(X)
    names = [f"phida{c}" for c in range(model.n_clusters_)]
    assert model.get_feature_names_out().tolist() == names
    frame = model.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pd.DataFrame) and frame.columns.tolist() == names
    frame = model.set_output(transform="polars").transform(X)
    assert isinstance(frame, pl.DataFrame) and frame.columns == names
    np.testing.assert_array_equal(frame.to_numpy(), model.set_output(transform="default").transform(X))


def test_in_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), PHIDA())
    labels = pipeline.fit_predict(X)
    np.testing.assert_array_equal(labels, PHIDA().fit(StandardScaler().fit_transform(X)).labels_)


def test_smallest_transform_value_is_the_label():
    model = PHIDA().fit(X)
    np.testing.assert_array_equal(np.argmin(model.transform(X), axis=1), model.predict(X))


def test_labels_of_other_rows_do_not_stay():
    model = PHIDA().fit(X).set_params(compute_labels=False)
    assert not hasattr(model.partial_fit(X[:10]), "labels_")


def test_parameters_are_checked_whenever_they_change():
    model = PHIDA().fit(X)
    with pytest.raises(ValueError, match="compute_labels"):
        model.set_params(compute_labels="no").partial_fit(X)
    with pytest.raises(ValueError, match="'compatibility' parameter"):
        model.set_params(compute_labels=True, compatibility="nonsense").partial_fit(X)
