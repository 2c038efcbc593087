"""Pickled, copied and cloned models."""

import copy
import pickle

import numpy as np
import pytest
from data import drifting
from kinds import each_kind
from sklearn.base import clone
from states import assert_same_state, differences, state_of

from phida import PHIDAPlus, _core

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
@pytest.mark.parametrize("how", COPIES)
def test_copy_of_a_model_whose_stage_has_ended(how, make):
    model = make().fit(X)
    twin = COPIES[how](model)
    assert_same_state(twin.refresh(), model)
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))


@each_kind
def test_a_copy_shares_nothing(make):
    model = make().fit(X)
    before = state_of(model)
    copy.deepcopy(model).partial_fit(MORE)
    assert differences(before, state_of(model)) == []


@each_kind
def test_unfitted_models_can_be_copied(make):
    for how in COPIES.values():
        assert not hasattr(how(make()), "n_features_in_")


def test_clone_is_new_and_keeps_parameters():
    parameters = {"level": "parts", "compute_labels": False, "max_nodes": 30, "half_life": 200.0}
    model = clone(PHIDAPlus(**parameters).fit(X))
    assert model.get_params() == parameters
    assert "_model" not in vars(model)
    assert_same_state(model.fit(X), PHIDAPlus(**parameters).fit(X))


@pytest.mark.parametrize(
    "damage",
    [
        {"support": np.ones(2)},
        {"support": "text"},
        {"representative": np.ones((1, 1))},
        {"interval": 0},
        {"n_features": 0},
        {"component": np.full(10_000, 3, np.int32)},
        {"samples": np.ones((3, 99))},
        {"max_nodes": 4},
    ],
    ids=lambda damage: next(iter(damage)),
)
@each_kind
def test_a_damaged_state_is_refused(damage, make):
    state = state_of(make().fit(X))
    learner = _core.Learner.__new__(_core.Learner)
    with pytest.raises(ValueError, match=r"'\w+' (is|has|must)"):
        learner.__setstate__(state | damage)


@each_kind
def test_an_incomplete_state_is_refused(make):
    state = state_of(make().fit(X))
    for key in state.keys() - {"format"}:  # without it, it is of a version before 4
        learner = _core.Learner.__new__(_core.Learner)
        with pytest.raises(ValueError, match=key):
            learner.__setstate__({k: v for k, v in state.items() if k != key})
