"""The native learner's state: comparison to the bit, copies, descriptions."""

import copy

import numpy as np

from phida import _core
from phida._pipeline import Pipeline
from phida.estimators import class_of


def bits(value):
    """Return type, shape and bytes of a value: -0.0 differs from 0.0, and NaN equals NaN."""
    array = np.asarray(value)
    return str(array.dtype), array.shape, array.tobytes()


def differences(one, other):
    """Return the names of the entries in which two state dictionaries differ."""
    return [key for key in sorted(one.keys() | other.keys()) if bits(one.get(key)) != bits(other.get(key))]


def assert_same_state(one, other):
    """Assert that two learners, or two fitted estimators, hold the same state to the bit."""
    assert differences(state_of(one), state_of(other)) == []


def everything(model):
    """Return everything that a model holds: the learner's state, and all other attributes."""
    held = {name: copy.deepcopy(value) for name, value in vars(model).items() if name != "_model"}
    return held, state_of(model) if "_model" in vars(model) else {}


def assert_untouched(model, before):
    """Assert that a model holds what `everything` returned before."""
    held, state = everything(model)
    assert differences(held, before[0]) == differences(state, before[1]) == []


def state_of(model):
    """Return the state of a native learner, or of an estimator's learner."""
    return (model._model.learner if hasattr(model, "_model") else model).__getstate__()


def stream_model(estimator, names=None):
    """The model of an estimator, for streams."""
    return Pipeline(estimator._settings(), names, model=estimator._model)


def estimator_of(model):
    """An estimator with the learner of a model for streams."""
    estimator = class_of(model.settings.method)(**model.settings.values, compute_labels=False)
    estimator._model = model.model
    return estimator


def learner_with(state):
    kind = _core.PlusLearner if state.get("plus") is True else _core.Learner
    learner = kind.__new__(kind)
    learner.__setstate__(state)
    return learner


def view_as_it_is(learner):
    """Return a reading of the current nodes.

    Learner.reading() answers as after the end of learning, which may remove nodes first. A learner whose stage has
    ended describes the result of its last refresh.
    """
    return learner_with(learner.__getstate__() | {"ended": True}).reading()


def parameters_in_file(model):
    """Return the parameters that a model file holds: all but ``missing``, which is part of the preparation."""
    return {name: value for name, value in model.get_params().items() if name != "missing"}
