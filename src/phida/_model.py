"""The model behind estimators, river and distributed training: a learner, its features, its callbacks."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from phida import _core, state_file
from phida._events import ROWS_BETWEEN_COLLECTIONS, Callback, Events
from phida._parts import Parts
from phida._preparation import Preparation
from phida._validation import Columns
from phida._versions import __version__
from phida.errors import StateFileError

Learner = _core.Learner | _core.PlusLearner
"""The native learner of PHIDA or of PHIDA+."""

Settings = Mapping[str, Any]
"""``plus``, which chooses the native learner, and its parameters by name. None means off."""

#: Settings that distinguish the learners of the two methods.
PUBLISHED: Settings = {"released": False, "plus": False}
PLUS: Settings = {"released": False, "plus": True}

#: Limits of ``max_nodes``, and its default.
FEWEST_NODES, MOST_NODES, DEFAULT_NODES = 8, 2**16, 2048

#: The largest ``keep_examples``, and its default.
MOST_EXAMPLES, DEFAULT_EXAMPLES = 100, 3

#: Parameters of PHIDA+ that its learner keeps.
PLUS_PARAMETERS = ("max_nodes", "half_life", "scale", "keep_examples")

#: Values of ``scale``.
SCALES = ("auto", "standard", None)

#: Held while a model begins or gets callbacks. One for all models, so that a fork can wait for it: a child must not
#: inherit a lock that a thread of its parent holds.
_BEGINNING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_BEGINNING.acquire, after_in_parent=_BEGINNING.release, after_in_child=_BEGINNING.release
    )

#: Stages that the learner of a saved model never leaves out; the benchmark's ablations do.
_STAGES = ("ph", "refresh", "remove", "prune", "mapping")

F = TypeVar("F")
"""How an adapter describes the features of its rows."""


class Model(Generic[F]):
    """A native learner with its settings, the features of its rows, and event callbacks.

    A model begins once. Fitting afresh takes a new model, so that no reader sees the learner of one fit and the
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
        self.settings: Settings = {}
        """What the learner began with."""

    def begin(self, n_features: int, settings: Settings, features: F) -> F:
        """Create the learner, unless another thread already has. Return the features in use."""
        with _BEGINNING:
            if not self.begun:
                self._put(_new_learner(n_features, settings), settings, features)
                if self.events is not None:
                    self.events.restart()
            return self.features

    @classmethod
    def restored(cls, state: Mapping[str, Any], features: F) -> Self:
        """Restore a model from the state of a native learner."""
        kind: type[Learner] = _core.PlusLearner if state.get("plus") is True else _core.Learner
        learner = kind.__new__(kind)
        learner.__setstate__(dict(state))
        model = cls()
        model._put(learner, _settings_of(learner, state), features)
        return model

    def with_features(self, features: F) -> Self:
        """Return a model with the same learner, other features and no callbacks."""
        model = type(self)()
        model._put(self.learner, self.settings, features)
        return model

    @property
    def preparation(self) -> Preparation:
        """How rows are prepared; nothing for adapters that take rows as they are."""
        return getattr(self.features, "preparation", None) or Preparation()

    def content(
        self,
        parameters: Mapping[str, Any],
        names: Iterable[str] | None,
        position: Any,
        preparation: Preparation | None = None,
    ) -> bytes:
        """Return the content of the model file, with the parameters of the estimator."""
        # Taken once, under the model's lock: another thread may be learning.
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

    def _put(self, learner: Learner, settings: Settings, features: F) -> None:
        self.settings = dict(settings)
        self.features = features
        self.learner = learner
        self.begun = True  # last: other threads look at this first

    @property
    def n_seen(self) -> int:
        """Rows learned."""
        return self.learner.n_seen if self.begun else 0

    def refuse_changes(self, settings: Settings, advice: str = "call fit to train a new model") -> None:
        """Raise an error if a setting differs from that of the learner."""
        for name, before in self.settings.items():
            if settings[name] != before:
                raise ValueError(
                    f"{name} was changed from {before!r} to {settings[name]!r} after learning began; {advice}."
                )

    def refuse_changed_parameters(self, *parameters: Any) -> None:
        """Raise an error if a parameter of PHIDA+ differs from the learner's, for classes without ``fit``."""
        if parameters != self.checked:
            self.refuse_changes(plus_settings(*parameters), "set it back, or call clone() for a new model")
            self.checked = parameters

    def learn(self, samples: Any, weights: NDArray[np.float64] | None = None) -> None:
        """Learn rows in order. Only PHIDA+ takes weights."""
        learn: Callable[..., int] = self.learner.learn
        events = self.events
        if events is None:
            learn(samples, *(() if weights is None else (weights,)))
            return
        for first in range(0, len(samples), ROWS_BETWEEN_COLLECTIONS):
            chunk = slice(first, first + ROWS_BETWEEN_COLLECTIONS)
            learn(samples[chunk], *(() if weights is None else (weights[chunk],)))
            events.collect(self.learner)

    def parts(self, n_threads: int) -> Parts:
        """Return learners for threads, the first of which is that of this model. Only PHIDA+ has them."""
        learner = self.learner
        assert isinstance(learner, _core.PlusLearner)

        def new() -> _core.PlusLearner:
            made = _new_learner(learner.n_features, self.settings)
            assert isinstance(made, _core.PlusLearner)
            return made

        return Parts(learner, new, n_threads)

    def merge(self, others: Sequence[Model[F]]) -> None:
        """Add what other models of PHIDA+ have learned. They do not change."""
        learner = self.learner
        assert isinstance(learner, _core.PlusLearner)
        theirs = [other.learner for other in others]
        if any(other is learner for other in theirs):
            raise ValueError("a model cannot be merged with itself; copy.deepcopy makes another one.")
        if len({id(other) for other in theirs}) < len(theirs):
            raise ValueError("a model is given twice; its rows would count twice. Name each model once.")
        for number, other in enumerate(others, start=2):
            if other.preparation.kind != self.preparation.kind:
                raise ValueError(
                    f"model {number} and the first were trained with different --convert or --impute options; merge "
                    "models of rows that were prepared in the same way."
                )
            for name, own in self.settings.items():
                if other.settings[name] != own:
                    raise ValueError(
                        f"model {number} has {name}={other.settings[name]!r} and the first has {own!r}; "
                        "merge models with the same parameters."
                    )
        learner.merge([other for other in theirs if isinstance(other, _core.PlusLearner)])

    def end_learning(self) -> None:
        """Refresh, and begin a new stage of learning."""
        self.learner.end_learning()

    def reading(self) -> _core.Reading:
        """A snapshot of what readers see. PHIDA's is the model as if learning had just ended."""
        return self.learner.reading()

    def on_event(self, callback: Callback) -> None:
        """Register a callback for the events from now on."""
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


def from_file(
    name: object, state: Mapping[str, Any], facts: Mapping[str, Any], *wanted: Settings
) -> tuple[Model[Columns], dict[str, Any]]:
    """Restore a model and the parameters of its estimator from the content of a model file.

    Parameters
    ----------
    name : object
        Name of the file, for messages.
    state, facts : mapping
        Result of :func:`phida.state_file.read`.
    *wanted : mapping
        Kinds of models to accept. See :func:`kind_of`.

    Raises
    ------
    phida.StateFileError
        The content is not a valid model of these kinds.
    """
    try:
        kind, parameters = kind_of(state), _parameters_of(state, facts["params"])
        if kind not in wanted:
            raise ValueError(f"it is a model of {_class_of(kind)}, not of {' or '.join(map(_class_of, wanted))}")
        width = state.get("n_features", 0)
        columns = named_columns(width, facts["feature_names"])
        model = Model.restored(
            state, replace(columns, preparation=Preparation.from_plain(facts.get("preparation"), width))
        )
        if kind["plus"] and model.settings != plus_settings(**_without_labels(parameters)):
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


def kind_of(state: Mapping[str, Any]) -> Settings:
    """Return the settings that distinguish the learners of PHIDA, PHIDA+ and the released program."""
    return {name: state.get(name) is True for name in ("released", "plus")}


def _class_of(kind: Settings) -> str:
    if kind["plus"]:
        return "phida.PHIDAPlus"
    return "phida_bench.ReleasedPHIDA" if kind["released"] else "phida.PHIDA"


def _parameters_of(state: Mapping[str, Any], params: Any) -> dict[str, Any]:
    """Return the estimator's parameters of a file."""
    if not isinstance(params, dict):
        raise ValueError("'params' is not an object of parameters by name")
    given, kind = dict(params), kind_of(state)
    expected = {"compute_labels", *(PLUS_PARAMETERS if kind["plus"] else ())}
    if given.keys() != expected:
        raise ValueError(f"'params' has {sorted(given)} instead of {sorted(expected)}")
    if type(given["compute_labels"]) is not bool:
        raise ValueError(f"compute_labels must be true or false, not {given['compute_labels']!r}")
    return given


def _without_labels(parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name != "compute_labels"}


def named_columns(width: int, names: Any) -> Columns:
    """Return columns with the names that a file or a pickle has."""
    if names is None:
        return Columns(width)
    if not isinstance(names, list | tuple | np.ndarray) or not all(isinstance(name, str) for name in names):
        raise ValueError("'feature_names' is not a list of names")
    if len(names) != width:
        raise ValueError(f"'feature_names' has {len(names)} names for {width} features")
    if len(set(names)) < len(names):
        raise ValueError("'feature_names' has a name twice")
    return Columns(width, np.array(names, dtype=object))


def plus_settings(max_nodes: int, half_life: float | None, scale: str | None, keep_examples: int = 0) -> Settings:
    """Return the settings of PHIDA+, after a check of its parameters."""
    if not (isinstance(max_nodes, Integral) and FEWEST_NODES <= max_nodes <= MOST_NODES):
        raise ValueError(f"max_nodes must be an integer from {FEWEST_NODES} to {MOST_NODES}, not {max_nodes!r}.")
    if half_life is not None and not (isinstance(half_life, Real) and 1 <= half_life <= 1e300):
        raise ValueError(f"half_life must be None or a number of rows, 1 or more, not {half_life!r}.")
    if not (scale is None or isinstance(scale, str)) or scale not in SCALES:
        raise ValueError(f"scale must be 'auto', 'standard' or None, not {scale!r}.")
    if not (isinstance(keep_examples, Integral) and 0 <= keep_examples <= MOST_EXAMPLES):
        raise ValueError(f"keep_examples must be an integer from 0 to {MOST_EXAMPLES}, not {keep_examples!r}.")
    return {
        "plus": True,
        "max_nodes": int(max_nodes),
        "half_life": None if half_life is None else float(half_life),
        "scale": scale,
        "keep_examples": int(keep_examples),
    }


def _new_learner(n_features: int, settings: Settings) -> Learner:
    if not settings["plus"]:
        return _core.Learner(n_features, released=settings["released"])
    return _core.PlusLearner(
        n_features,
        max_nodes=settings["max_nodes"],
        half_life=settings["half_life"] or 0.0,
        scale=settings["scale"] or "none",
        keep_examples=settings["keep_examples"],
    )


def _settings_of(learner: Learner, state: Mapping[str, Any]) -> Settings:
    """Return the settings that a learner was restored with."""
    if isinstance(learner, _core.Learner):
        return {"plus": False, "released": state.get("released") is True}
    scale = None if learner.scale == "none" else learner.scale
    return plus_settings(learner.max_nodes, learner.half_life or None, scale, learner.keep_examples)
