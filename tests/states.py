"""The native learner's state, compared to the bit, copied and described."""

import numpy as np

from phida import _core


def bits(value):
    """Type, shape and bytes of a value: -0.0 is not 0.0, and NaN is NaN."""
    array = np.asarray(value)
    return str(array.dtype), array.shape, array.tobytes()


def differences(one, other):
    """Names of the entries in which two state dictionaries differ."""
    return [key for key in sorted(one.keys() | other.keys()) if bits(one.get(key)) != bits(other.get(key))]


def assert_same_state(one, other):
    """Two learners, or two fitted estimators, hold the same state to the bit."""
    assert differences(state_of(one), state_of(other)) == []


def state_of(model):
    """Of a native learner, or of the learner of an estimator."""
    return (model._model.learner if hasattr(model, "_model") else model).__getstate__()


def learner_with(state):
    kind = _core.PlusLearner if state.get("plus") is True else _core.Learner
    learner = kind.__new__(kind)
    learner.__setstate__(state)
    return learner


def view_as_it_is(learner):
    """A reading of the nodes as they are.

    Learner.reading() answers as if learning had just ended, which may remove nodes first. A learner that believes it
    has just ended describes what the last refresh left.
    """
    return learner_with(learner.__getstate__() | {"ended": True}).reading()
