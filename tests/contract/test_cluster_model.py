"""The cluster model for BERTopic, tested without BERTopic."""

import pickle

import numpy as np
import pytest
from data import drifting
from kinds import each_estimator
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from states import assert_same_state

from phida import PHIDAPlus
from phida.bertopic import ClusterModel

X = drifting(600)


@each_estimator
def test_labels_are_cluster_ids_with_their_probabilities(estimator):
    model, plain = ClusterModel(estimator()), estimator()
    for batch in np.array_split(X, 5):
        plain.partial_fit(batch).refresh()
        assert model.partial_fit(batch) is model
        np.testing.assert_array_equal(model.labels_, plain.predict_id(batch))
        np.testing.assert_array_equal(model.predict(X), plain.predict_id(X))
        np.testing.assert_array_equal(model.probabilities_, plain.membership(batch).max(axis=1))
    assert_same_state(model.model_, plain)


@each_estimator
def test_second_fit_equals_fresh_fit(estimator):
    model = ClusterModel(estimator()).fit(X).fit(X)
    assert model.model_.n_samples_seen_ == len(X)
    np.testing.assert_array_equal(model.labels_, estimator().fit(X).predict_id(X))


def test_given_model_is_not_changed():
    given = PHIDAPlus(max_nodes=30)
    model = ClusterModel(given).fit(X)
    assert not given.__sklearn_is_fitted__()
    assert given.compute_labels
    assert model.model_.max_nodes == 30
    assert clone(model).get_params()["model__max_nodes"] == 30


def test_pickled_model_equals_original():
    with pytest.raises(NotFittedError):
        ClusterModel().predict(X)
    model = ClusterModel().fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
