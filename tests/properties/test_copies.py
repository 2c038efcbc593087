"""Pickled, copied and cloned models."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from data import drifting
from kinds import each_kind
from sklearn.base import clone
from states import assert_same_state, learner_with, state_of

from phida import PHIDAPlus

X, MORE = np.split(drifting(400), [230])
COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "deepcopy": copy.deepcopy,
}


@each_kind
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("cut", [1, 2, 3, 60, 61, 62, 63, 230])
def test_copy_then_continue_equals_continue(how, make, cut):
    model = make().partial_fit(X[:cut])
    twin = COPIES[how](model)
    assert_same_state(twin, model)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))
    np.testing.assert_array_equal(twin.labels_, model.labels_)


@each_kind
def test_unfitted_models_can_be_copied(make):
    for how in COPIES.values():
        assert not hasattr(how(make()), "n_features_in_")


def plain(value):
    """Return whether a value consists of arrays, numbers, text and containers only."""
    if isinstance(value, dict):
        return all(type(name) is str and plain(entry) for name, entry in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    if type(value) is np.ndarray:
        return value.dtype.kind in "fiub"
    return value is None or type(value) in (bool, int, float, str)


@each_kind
def test_pickle_holds_only_plain_values(make):
    """Tools that refuse native objects, such as skops, can store this state."""
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    for model in (make(), make().on_event(print), make().fit(X), make().on_event(print).fit(frame)):
        assert plain(model.__getstate__())
    assert list(pickle.loads(pickle.dumps(make().fit(frame))).feature_names_in_) == list(frame.columns)


@each_kind
def test_shallow_copy_shares_the_model(make):
    model = make().fit(X)
    assert copy.copy(model)._model is model._model


def test_settings_of_a_copy_are_fixed():
    model = pickle.loads(pickle.dumps(PHIDAPlus(max_nodes=30).fit(X))).set_params(max_nodes=40)
    with pytest.raises(ValueError, match="max_nodes was changed from 30 to 40"):
        model.partial_fit(MORE)


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: None,
        lambda kept: "text",
        lambda kept: {"state": kept["state"]},
        lambda kept: kept | {"feature_names": ["x"]},
        lambda kept: kept | {"state": []},
        lambda kept: kept | {"state": {"n_features": kept["state"]["n_features"]}},
        lambda kept: kept | {"state": kept["state"] | {"plus": not kept["state"].get("plus")}},
        lambda kept: kept | {"state": kept["state"] | {"n_seen": -1}},
        lambda kept: kept | {"state": kept["state"] | {"extra": np.ones((1, 1))}},
    ],
)
@each_kind
def test_changed_pickles_are_refused(make, change):
    """A file of skops runs no code, but its numbers may be invalid."""
    state = make().fit(X).__getstate__()
    state["_model"] = change(state["_model"])
    other = make()
    if state["_model"] is None:
        other.__setstate__(state)
        assert not other.__sklearn_is_fitted__()
        return
    with pytest.raises(ValueError, match=r"not a state of|another class than|'\w+' (is|has|must)|feature_names"):
        other.__setstate__(state)
    assert not other.__sklearn_is_fitted__()


def test_clone_is_unfitted_and_keeps_parameters():
    parameters = {"max_nodes": 30, "half_life": 200.0, "scale": None, "missing": "mean"}
    parameters |= {"keep_examples": 1, "compute_labels": False}
    model = clone(PHIDAPlus(**parameters).fit(X))
    assert model.get_params() == parameters
    assert "_model" not in vars(model)
    assert_same_state(model.fit(X), PHIDAPlus(**parameters).fit(X))


@each_kind
def test_incomplete_state_is_refused(make):
    state = state_of(make().fit(X))
    for key in state.keys() - {"format", "plus"}:  # a state without format has a version before 4
        with pytest.raises(ValueError, match=key):
            learner_with({k: v for k, v in state.items() if k != key})
