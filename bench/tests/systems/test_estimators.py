"""Every online system is an estimator like the others."""

import _thread
import copy
import pickle
import threading
import time

import numpy as np
import pytest
from data import blobs
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida_bench import _systems, systems

X, MORE = np.split(blobs(300), [200])
ONLINE = [cls for cls in map(vars(systems).get, systems.__all__) if hasattr(cls, "partial_fit")]
online = pytest.mark.parametrize("cls", ONLINE, ids=lambda cls: cls.__name__)


@pytest.fixture
def use_simd_level():
    """Return a function that switches the systems' instruction set, which is restored after the test."""
    before = _systems.simd_level()
    yield _systems.use_simd_level
    _systems.use_simd_level(before)


def state_of(model):
    return {name: np.asarray(value).tolist() for name, value in model._system.__getstate__().items()}


# Parameters for the few rows of the checks; the defaults suit longer streams.
FOR_FEW_ROWS = {"GNG": {"lam": 4, "a_max": 2}, "CAEA": {"lam": 8}}


@parametrize_with_checks([cls(**FOR_FEW_ROWS.get(cls.__name__, {})) for cls in ONLINE])
def test_estimator(estimator, check):
    check(estimator)


@online
def test_fit_forgets_the_earlier_model(cls):
    model = cls().fit(MORE)
    assert state_of(model.fit(X)) == state_of(cls().fit(X)) == state_of(cls().partial_fit(X))


@online
def test_labels_are_of_the_latest_rows(cls):
    model = cls().fit(X)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    model.partial_fit(MORE)
    np.testing.assert_array_equal(model.labels_, model.predict(MORE))
    assert model.n_samples_seen_ == 300


@online
def test_prediction_does_not_change_the_model(cls):
    model = cls().fit(X)
    before = state_of(model)
    model.predict(MORE)
    assert state_of(model) == before


@online
def test_without_labels(cls):
    model = cls(compute_labels=False)
    np.testing.assert_array_equal(model.fit_predict(X), cls().fit(X).labels_)
    assert not hasattr(model, "labels_")


@online
@pytest.mark.parametrize("how", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copy_learns_as_the_model_does(cls, how):
    model = cls().fit(X)
    twin = how(model)
    assert state_of(twin) == state_of(model)
    assert state_of(twin.partial_fit(MORE)) == state_of(model.partial_fit(MORE))
    np.testing.assert_array_equal(twin.labels_, model.labels_)


@online
def test_a_damaged_state_is_refused(cls):
    native = cls._native
    state = cls().fit(X)._system.__getstate__()
    for name in state:
        with pytest.raises(ValueError, match=rf"state: .*{name}"):
            native.__new__(native).__setstate__({k: v for k, v in state.items() if k != name})
        with pytest.raises(ValueError, match=rf"state: .*{name}"):
            native.__new__(native).__setstate__(state | {name: object()})
    with pytest.raises(ValueError, match="unknown"):
        native.__new__(native).__setstate__(state | {"more": 1})
    with pytest.raises(ValueError, match="state: "):
        native.__new__(native).__setstate__(state | {"positions": np.ones((1, X.shape[1]))})


@online
def test_every_instruction_set_gives_the_same_bits(cls, use_simd_level):
    states = []
    for level in _systems.simd_levels():
        use_simd_level(level)
        states.append(state_of(cls().fit(X)))
    assert all(state == states[0] for state in states)


@online
def test_clone_keeps_parameters_only(cls):
    model = clone(cls(compute_labels=False).fit(X))
    assert model.get_params()["compute_labels"] is False
    with pytest.raises(NotFittedError, match="call fit or partial_fit first"):
        model.predict(X)


@online
def test_refused_rows_change_nothing(cls):
    model = cls().fit(X)
    before = state_of(model)
    for bad in (X[:, :2], np.full((1, 3), np.nan), np.full((1, 3), 1e150), [["a", "b", "c"]]):
        with pytest.raises(ValueError):
            model.partial_fit(bad)
    assert state_of(model) == before


@online
def test_the_native_system_knows_its_width(cls):
    system = cls().fit(X)._system
    for method in (system.learn, system.assign):
        with pytest.raises(ValueError, match="number of features"):
            method(np.ones((2, 5)))


def test_parameters_may_not_change_after_learning_began():
    model = systems.GNG().fit(X).set_params(lam=7)
    with pytest.raises(ValueError, match="lam was changed from 100 to 7 after learning began; call fit"):
        model.partial_fit(X)
    assert model.n_samples_seen_ == 200
    assert model.fit(X).partial_fit(X).n_samples_seen_ == 400


def wait_for_rows(model):
    """Wait until learning has begun."""
    while not hasattr(model, "_system") or model._system.n_seen == 0:
        time.sleep(0.001)


def test_ctrl_c_stops_learning_and_keeps_learned_rows():
    rows = np.random.default_rng(0).normal(size=(200_000, 40))
    model = systems.GNG(lam=2, compute_labels=False)

    def press():
        wait_for_rows(model)
        _thread.interrupt_main()

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows)
    thread.join()
    learned = model.n_samples_seen_
    assert 0 < learned < len(rows)
    assert state_of(model) == state_of(systems.GNG(lam=2).fit(rows[:learned]))


def test_one_thread_learns_while_others_read():
    rows = np.random.default_rng(0).normal(size=(200_000, 40))
    model = systems.GNG(lam=2, compute_labels=False)
    refusals = []

    def meddle():
        wait_for_rows(model)
        assert model.predict(rows[:5]).shape == (5,)
        try:
            model._system.learn(rows[:1])
        except RuntimeError as error:
            refusals.append(str(error))
        _thread.interrupt_main()

    thread = threading.Thread(target=meddle)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows)
    thread.join()
    assert refusals == ["this model is learning already"]
