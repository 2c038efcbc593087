"""The model of estimators, river and distributed training: a learner, its features, its callbacks."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from phida import _core, state_file
from phida._events import ROWS_BETWEEN_COLLECTIONS, Callback, Events
from phida._parameters import PLUS as PLUS_PARAMETERS
from phida._parameters import Declaration
from phida._parts import Parts
from phida._preparation import Preparation
from phida._validation import Columns
from phida._validation import parts as parts_of
from phida.errors import InputError, ParameterError, StateFileError
from phida.records import Examples

Learner = _core.Learner | _core.PlusLearner
"""The native learner of PHIDA or of PHIDA+."""


@dataclass(frozen=True)
class Method:
    """A clustering method: its names, its native learner and its parameters."""

    name: str
    """Name on the command line."""
    class_name: str
    """Name of the estimator, with its package."""
    learner: type[Any]
    """Class of the native learner."""
    marks: frozenset[str] = frozenset()
    """Entries of a learner's state that are true for this method, and false or missing for the others."""
    parameters: Mapping[str, Declaration] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    """Names of figures that only this method has."""
    merges: bool = False
    """Whether models can be merged, and rows weighted."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles of a method are the method itself."""
        return _method_named, (self.name,)

    def settings(self, values: Mapping[str, Any] | None = None) -> Settings:
        """Return settings with these values and the defaults of the others, after a check."""
        given = {name: one.default for name, one in self.parameters.items()} | dict(values or {})
        for name, one in self.parameters.items():
            one.check(given[name])
        return Settings(self, {name: one.plain(given[name]) for name, one in self.parameters.items()})

    def settings_of(self, holder: object) -> Settings:
        """Return the settings in the attributes of an estimator, after a check."""
        return self.settings({name: getattr(holder, name) for name in self.parameters})


@dataclass(frozen=True)
class Settings:
    """A method and the values of its parameters."""

    method: Method
    values: Mapping[str, Any]

    @property
    def needs_order(self) -> bool:
        """Whether all rows must be learned in order: models of parts cannot be merged, or forget."""
        return not self.method.merges or self.values["half_life"] is not None

    def new_learner(self, n_features: int) -> Any:
        """Return a native learner without rows."""
        declared = self.method.parameters
        values = {name: declared[name].native(value) for name, value in self.values.items()}
        flags = dict.fromkeys(self.method.marks & {"released"}, True)
        return self.method.learner(n_features, **flags, **values)


PLUS = Method("phida+", "phida.PHIDAPlus", _core.PlusLearner, frozenset({"plus"}), PLUS_PARAMETERS, merges=True)
_FIGURES = ("n_active_nodes", "n_components", "vigilance", "interval")
PUBLISHED = Method("phida", "phida.PHIDA", _core.Learner, figures=_FIGURES)
RELEASED = Method("released", "phida_bench.ReleasedPHIDA", _core.Learner, frozenset({"released"}), figures=_FIGURES)
METHODS = (PLUS, PUBLISHED, RELEASED)


def _method_named(name: str) -> Method:
    return next(method for method in METHODS if method.name == name)


def method_of(state: Mapping[str, Any]) -> Method:
    """Return the method of a learner's state."""
    marks = {name for method in METHODS for name in method.marks if state.get(name) is True}
    return next((method for method in METHODS if method.marks == marks), PUBLISHED)


#: Held while a model begins or gets callbacks. One lock for all models, so that a fork can wait for it: a child must
#: not inherit a lock that a thread of its parent holds.
_BEGINNING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_BEGINNING.acquire, after_in_parent=_BEGINNING.release, after_in_child=_BEGINNING.release
    )

#: Stages of every saved learner; only the benchmark's ablations leave some out.
_STAGES = ("ph", "refresh", "remove", "prune", "mapping")

#: Number of models whose nodes are merged as one list at most. Its time grows with the square of this number.
_AT_ONCE = 8

F = TypeVar("F")
"""An adapter's description of the features of its rows."""


class Model(Generic[F]):
    """A native learner with its settings, the features of its rows, and event callbacks.

    A model begins once. A new fit creates a new model, so that no reader combines the learner of one fit with the
    features of another.
    """

    learner: Learner
    """Set when learning begins."""
    features: F
    """Set when learning begins."""

    def __init__(self, events: Events | None = None) -> None:
        self.begun = False
        """Whether there is a learner."""
        self.events = events
        self.checked: object = None
        """The parameters that were last found valid for this learner."""
        self.settings: Settings | None = None
        """What the learner began with."""

    def begin(self, n_features: int, settings: Settings, features: F) -> F:
        """Create the learner, unless another thread already has; return the features in use."""
        with _BEGINNING:
            if not self.begun:
                self._put(settings.new_learner(n_features), settings, features)
                if self.events is not None:
                    self.events.restart()
            return self.features

    @classmethod
    def restored(cls, state: Mapping[str, Any], features: F) -> Self:
        """Restore a model from the state of a native learner."""
        method = method_of(state)
        kind: Any = method.learner
        learner = kind.__new__(kind)
        learner.__setstate__(dict(state))
        model = cls()
        values = {name: one.of_native(state[name]) for name, one in method.parameters.items()}
        model._put(learner, method.settings(values), features)
        return model

    def to_plain(self: Model[Columns]) -> dict[str, Any]:
        """Return the state and the features as plain values, which skops and MLflow can store."""
        names, preparation = self.features.names, self.preparation.to_plain()
        plain = {"feature_names": None if names is None else list(names), "state": self.learner.__getstate__()}
        return plain if preparation is None else {**plain, "preparation": preparation}

    @classmethod
    def from_plain(cls, plain: Any, method: Method) -> Model[Columns]:
        """Restore a model of a method from the result of :meth:`to_plain`, which is checked like a file."""
        try:
            state = dict(plain["state"])
            columns = named_columns(state["n_features"], plain["feature_names"], plain.get("preparation"))
            if method_of(state) != method:
                raise ValueError(f"it is the state of another class than {method.class_name}")
            return Model.restored(state, columns)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StateFileError(f"this is not a state of {method.class_name} ({error!r}).") from error

    def with_features(self, features: F) -> Self:
        """Return a model with the same learner, other features and no callbacks."""
        model = type(self)()
        model._put(self.learner, self.settings, features)
        return model

    @property
    def preparation(self) -> Preparation:
        """Return the preparation of rows; empty for adapters that take rows unchanged."""
        return getattr(self.features, "preparation", None) or Preparation()

    def content(
        self,
        parameters: Mapping[str, Any],
        names: Iterable[str] | None,
        position: Any,
        preparation: Preparation | None = None,
    ) -> bytes:
        """Return the content of the model file, with the parameters of the estimator."""
        from phida._versions import __version__  # takes 10 ms, and most commands only read models

        # Read once, under the model's lock: another thread may be learning.
        state = self.learner.__getstate__()
        facts = {
            "library_version": __version__,
            "params": dict(parameters),
            "feature_names": None if names is None else list(names),
            "n_seen": state["n_seen"],
            "stream_position": position,
        }
        if (prepared := (preparation or self.preparation).to_plain()) is not None:
            facts["preparation"] = prepared
        return state_file.content(state, facts)

    def _put(self, learner: Learner, settings: Settings | None, features: F) -> None:
        self.settings = settings
        self.features = features
        self.learner = learner
        self.begun = True  # last, since other threads read this first

    @property
    def method(self) -> Method:
        """Return the method, once learning has begun."""
        assert self.settings is not None
        return self.settings.method

    def figures(self) -> dict[str, Any]:
        """Return the figures that only this method has."""
        reading, learner = self.reading(), self.learner
        return {name: getattr(reading if hasattr(reading, name) else learner, name) for name in self.method.figures}

    def examples(self, names: Iterable[str] | None) -> Examples | None:
        """Return example rows of the clusters; None if the method keeps none."""
        found = getattr(self.learner, "examples", None)
        return None if found is None else Examples(**found(), feature_names=None if names is None else tuple(names))

    @property
    def n_seen(self) -> int:
        """Return the number of rows learned."""
        return self.learner.n_seen if self.begun else 0

    def refuse_changes(self, settings: Settings, advice: str = "call fit to train a new model") -> None:
        """Raise an error if a parameter differs from that of the learner."""
        assert self.settings is not None
        for name, before in self.settings.values.items():
            if (now := settings.values[name]) != before:
                raise ParameterError(f"{name} was changed from {before!r} to {now!r} after learning began; {advice}.")

    @property
    def plus(self) -> _core.PlusLearner:
        """Return the learner of a method that merges."""
        assert isinstance(self.learner, _core.PlusLearner)
        return self.learner

    def learn(self, samples: Any, weights: NDArray[np.float64] | None = None, *, follow: bool = True) -> None:
        """Learn rows in order. Only a method that merges takes weights.

        Without ``follow``, it maps its nodes to clusters only in :meth:`end_learning`.
        """
        if not follow and self.method.merges:
            self.plus.learn(samples, weights, follow=False)
            return
        learn: Callable[..., int] = self.learner.learn
        events = self.events
        if events is None:
            learn(samples, *(() if weights is None else (weights,)))
            return
        for first in range(0, len(samples), ROWS_BETWEEN_COLLECTIONS):
            chunk = slice(first, first + ROWS_BETWEEN_COLLECTIONS)
            learn(samples[chunk], *(() if weights is None else (weights[chunk],)))
            events.collect(self.learner)

    def learn_matrix(
        self,
        samples: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
        *,
        follow: bool = True,
        n_threads: int | None = None,
    ) -> None:
        """Learn validated rows, of float64 or float32, but not those of weight 0; in threads if a number is given."""
        if weights is not None and not weights.all():
            samples, weights = samples[weights > 0.0], weights[weights > 0.0]
        if n_threads is None:
            for part, rows in parts_of(samples):
                self.learn(rows, None if weights is None else weights[part], follow=follow)
            return
        parts = self.parts(n_threads)
        try:
            parts.learn(samples, weights)
        finally:
            parts.merge()

    def parts(self, n_threads: int) -> Parts:
        """Return learners for threads, of which the first is this model's."""
        assert self.settings is not None
        return Parts(self.plus, partial(self.settings.new_learner, self.plus.n_features), n_threads)

    def merge(
        self: Model[Columns],
        others: Sequence[Model[Columns]],
        names: Sequence[str] | None = None,
        *,
        follow: bool = True,
    ) -> None:
        """Add what other models have learned, after a comparison of features and parameters. They do not change.

        ``names`` are for errors. ``follow`` is as for :meth:`learn`.
        """
        theirs, columns = [other.plus for other in others], self.features
        if any(other is self.plus for other in theirs):
            raise InputError("a model cannot be merged with itself; copy.deepcopy makes another one.")
        if len({id(other) for other in theirs}) < len(theirs):
            raise InputError("a model is given twice; its rows would count twice. Name each model once.")
        for other, name in zip(others, names or [f"model {k}" for k in range(2, len(others) + 2)], strict=True):
            self.preparation.refuse_other(other.preparation, name)
            columns = _common(columns, other.features, name)
            assert self.settings is not None and other.settings is not None
            for parameter, own in self.settings.values.items():
                if (found := other.settings.values[parameter]) != own:
                    raise InputError(
                        f"{name} has {parameter}={found!r} and the first has {own!r}; merge models with the same "
                        "parameters."
                    )
        self.plus.merge(theirs if len(theirs) < _AT_ONCE else [_united(theirs)], follow=follow)
        self.features = columns

    def end_learning(self) -> None:
        """Refresh, and begin a new stage of learning."""
        self.learner.end_learning()

    def reading(self) -> _core.Reading:
        """Return a reading of the model. PHIDA's is that after the end of learning."""
        return self.learner.reading()

    def on_event(self, callback: Callback) -> None:
        """Register a callback for future events."""
        with _BEGINNING:
            if self.events is None:
                self.events = Events(self.learner.n_events if self.begun else 0)
            self.events.add(callback)

    def dispatch(self) -> None:
        """Call the callbacks for all events since the last call."""
        if self.events is not None:
            self.events.collect(self.learner)
            self.events.dispatch()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "events"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Model.__init__(self)
        self.__dict__.update(state)


def _united(learners: Sequence[_core.PlusLearner]) -> _core.PlusLearner:
    """Merge learners in pairs of neighbours, level by level, into a new one; few copies exist at a time."""
    if len(learners) == 1:
        return copy.deepcopy(learners[0])
    half = 1 << (len(learners) - 1).bit_length() - 1
    first, rest = _united(learners[:half]), learners[half:]
    first.merge([_united(rest) if len(rest) > 1 else rest[0]], follow=False)
    return first


def from_file(
    name: object, state: Mapping[str, Any], facts: Mapping[str, Any], *wanted: Method
) -> tuple[Model[Columns], dict[str, Any]]:
    """Restore a model and the parameters of its estimator from the content of a model file.

    Parameters
    ----------
    name : object
        Name of the file, for messages.
    state, facts : mapping
        Result of :func:`phida.state_file.read`.
    *wanted : Method
        Methods whose models are accepted.

    Raises
    ------
    phida.StateFileError
        The content is not a valid model of these kinds.
    """
    try:
        method = method_of(state)
        parameters = _parameters_of(method, facts["params"])
        if method not in wanted:
            names = " or ".join(one.class_name for one in wanted)
            raise ValueError(f"it is a model of {method.class_name}, not of {names}")
        width = state.get("n_features", 0)
        columns = named_columns(width, facts["feature_names"], facts.get("preparation"))
        model = Model.restored(state, columns)
        if model.settings != method.settings({name: parameters[name] for name in method.parameters}):
            raise ValueError("its parameters and its state disagree")
        if model.n_seen == 0:
            raise ValueError("'n_seen' is 0; only models that learned rows are saved")
        if type(facts["n_seen"]) is not int or facts["n_seen"] != model.n_seen:
            raise ValueError("'n_seen' of the header is not that of the state")
        if off := [stage for stage in _STAGES if not state.get(stage, True)]:
            raise ValueError(f"it is an ablation, without {', '.join(off)}")
    except ValueError as error:
        raise StateFileError(f"{name} does not hold a valid model ({error}).") from error
    return model, parameters


def _parameters_of(method: Method, params: Any) -> dict[str, Any]:
    """Return the estimator's parameters of a file."""
    if not isinstance(params, dict):
        raise ValueError("'params' is not an object of parameters by name")
    expected = {"compute_labels", *method.parameters}
    if params.keys() != expected:
        raise ValueError(f"'params' has {sorted(params)} instead of {sorted(expected)}")
    if type(params["compute_labels"]) is not bool:
        raise ValueError(f"compute_labels must be true or false, not {params['compute_labels']!r}")
    return dict(params)


def named_columns(width: int, names: Any, preparation: Any = None) -> Columns:
    """Return columns with the names and the preparation of rows of a file or a pickle."""
    if names is not None:
        if not isinstance(names, list | tuple | np.ndarray) or not all(isinstance(name, str) for name in names):
            raise ValueError("'feature_names' is not a list of names")
        if len(names) != width:
            raise ValueError(f"'feature_names' has {len(names)} names for {width} features")
        if len(set(names)) < len(names):
            raise ValueError("'feature_names' has a name twice")
        names = np.array(names, dtype=object)
    return Columns(width, names, Preparation.from_plain(preparation, width))


def _common(ours: Columns, theirs: Columns, name: str) -> Columns:
    """Return the features of two models to merge, with names if either model has names."""
    if ours.names is not None and theirs.names is not None and list(theirs.names) != list(ours.names):
        raise InputError(
            f"{name} has other features than the models before it: {_difference(list(ours.names), list(theirs.names))}."
        )
    if theirs.width != ours.width:
        raise InputError(
            f"{name} has {theirs.width} features and the first {ours.width}; merge models of the same ones."
        )
    return ours if theirs.names is None else replace(ours, names=theirs.names)


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Return how the names of two models differ."""
    found = []
    if missing := sorted(set(ours) - set(theirs)):
        found.append(f"it lacks {_first(missing)}")
    if added := sorted(set(theirs) - set(ours)):
        found.append(f"it adds {_first(added)}")
    if found:
        return " and ".join(found)
    at = next(k for k, (our, their) in enumerate(zip(ours, theirs, strict=True)) if our != their)
    return f"the same names in another order, feature {at} is {theirs[at]!r} instead of {ours[at]!r}"


def _first(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more
