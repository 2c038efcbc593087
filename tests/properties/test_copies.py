"""Pickled, copied and cloned models."""

import copy
import pickle

import numpy as np
import pytest
from data import drifting
from sklearn.base import clone
from states import assert_same_state, differences, state_of

from phida import PHIDA, _core

X, MORE = np.split(drifting(400), [230])
COPIES = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "old pickle": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("mode", ["equations", "released"])
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("cut", [1, 2, 3, 60, 61, 62, 63, 230])
def test_copy_then_continue_equals_continue(how, mode, cut):
    model = PHIDA(compatibility=mode).partial_fit(X[:cut])
    twin = COPIES[how](model)
    assert_same_state(twin, model)
    np.testing.assert_array_equal(twin.predict(X), model.predict(X))
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))
    np.testing.assert_array_equal(twin.labels_, model.labels_)


@pytest.mark.parametrize("how", COPIES)
def test_copy_of_a_model_whose_stage_has_ended(how):
    model = PHIDA().fit(X)
    twin = COPIES[how](model)
    assert_same_state(twin.refresh(), model)
    assert_same_state(twin.partial_fit(MORE), model.partial_fit(MORE))


def test_a_copy_shares_nothing():
    model = PHIDA().fit(X)
    before = state_of(model)
    copy.deepcopy(model).partial_fit(MORE)
    assert differences(before, state_of(model)) == []


def test_unfitted_models_can_be_copied():
    for how in COPIES.values():
        assert not hasattr(how(PHIDA(compatibility="released")), "n_features_in_")


def test_clone_is_new_and_keeps_parameters():
    parameters = {"compatibility": "released", "compute_labels": False, "max_nodes": 30, "half_life": 200.0}
    parameters |= {"mapping": "coactivation"}
    model = clone(PHIDA(**parameters).fit(X))
    assert model.get_params() == parameters
    assert "_model" not in vars(model)
    assert_same_state(model.fit(X), PHIDA(**parameters).fit(X))


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
def test_a_damaged_state_is_refused(damage):
    state = state_of(PHIDA().fit(X))
    learner = _core.Learner.__new__(_core.Learner)
    with pytest.raises(ValueError, match="state"):
        learner.__setstate__(state | damage)


def test_an_incomplete_state_is_refused():
    state = state_of(PHIDA().fit(X))
    later = {"max_nodes", "half_life", "n_ids", "co_count", "coactivation", "lineage_sample"}  # than version 1
    for key in state.keys() - later:
        learner = _core.Learner.__new__(_core.Learner)
        with pytest.raises(ValueError, match=key):
            learner.__setstate__({k: v for k, v in state.items() if k != key})
