"""The model behind estimators, river and distributed training: a learner, its features, its callbacks."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Generic, Self, TypeVar

from phida import _core, state_file
from phida._events import ROWS_BETWEEN_COLLECTIONS, Callback, Events
from phida._versions import __version__
from phida.lineage import Event

#: The rule of the published method that maps nodes to clusters, and those of PHIDA+.
PUBLISHED = "published"
LEVELS = ("groups", "parts")

Settings = Mapping[str, Any]
"""Arguments of the native learner by name; None means off."""

#: Held while a model begins or gets callbacks. One for all models, so that a fork can wait for it: a child must not
#: inherit a lock that a thread of its parent holds.
_BEGINNING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_BEGINNING.acquire, after_in_parent=_BEGINNING.release, after_in_child=_BEGINNING.release
    )

F = TypeVar("F")
"""How an adapter describes the features of its rows."""


class Model(Generic[F]):
    """A native learner with its settings, the features of its rows, and event callbacks.

    A model begins once. Fitting afresh takes a new model, so that no reader sees the learner of one fit and the
    features of another.
    """

    learner: _core.Learner
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
        self.preparation: Any = None
        """How the command line prepares rows, as plain values; only saved with the model."""

    def begin(self, n_features: int, settings: Settings, features: F) -> F:
        """Create the learner, unless another thread already has. Return the features in use."""
        with _BEGINNING:
            if not self.begun:
                learner = _core.Learner(n_features, **{k: v for k, v in settings.items() if v is not None})
                self._put(learner, settings, features)
                if self.events is not None:
                    self.events.restart()
            return self.features

    @classmethod
    def restored(cls, state: Mapping[str, Any], settings: Settings, features: F) -> Self:
        """Restore a model from the state of a native learner, which must match the settings."""
        learner = _core.Learner.__new__(_core.Learner)
        learner.__setstate__(dict(state))
        for name in ("released", "plus", "max_nodes", "half_life"):
            if state.get(name, 0) != (settings.get(name) or 0):
                raise ValueError(f"its parameters and its state disagree on {name!r}")
        model = cls()
        model._put(learner, settings, features)
        return model

    def with_features(self, features: F) -> Self:
        """Return a model with the same learner, other features and no callbacks."""
        model = type(self)()
        model._put(self.learner, self.settings, features)
        model.preparation = self.preparation
        return model

    def content(self, parameters: Mapping[str, Any], names: Iterable[str] | None, position: Any) -> bytes:
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
        if self.preparation is not None:
            facts["preparation"] = self.preparation
        return state_file.content(state, facts)

    def _put(self, learner: _core.Learner, settings: Settings, features: F) -> None:
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

    def refuse_changed_limits(self, max_nodes: int | None, half_life: float | None) -> None:
        """Raise an error if a limit differs from that of the learner, for classes without ``fit``."""
        found = (max_nodes, half_life)
        if found != self.checked:
            check_limits(*found)
            advice = "set it back, or call clone() for a new model"
            self.refuse_changes({**self.settings, **limits(*found)}, advice)
            self.checked = found

    def learn(self, samples: Any, rule: str) -> None:
        """Learn rows in order. Lineage follows the clusters of this rule."""
        learner, events = self.learner, self.events
        learner.follow(rule)
        if events is None:
            learner.learn(samples)
            return
        for first in range(0, len(samples), ROWS_BETWEEN_COLLECTIONS):
            learner.learn(samples[first : first + ROWS_BETWEEN_COLLECTIONS])
            events.collect(learner)

    def apply_updates(self, updates: Sequence[Mapping[str, Any]], rule: str) -> None:
        """Apply the statistics of workers, then learn the rows that they sent."""
        self.learner.follow(rule)
        self.learner.apply([dict(update) for update in updates])

    def end_learning(self, rule: str) -> None:
        """Refresh, and begin a new stage of learning."""
        self.learner.follow(rule)
        self.learner.end_learning()

    def reading(self, rule: str) -> _core.Reading:
        """A snapshot of the model as if learning had just ended, with the clusters of this rule."""
        return self.learner.reading(rule)

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

    def replaced_by(self, learned: Model[F], n_seen: int, news: Sequence[Event]) -> Model[F]:
        """What a copy of this model has learned, with the callbacks of this one; ``news`` wait to be dispatched.

        Refused if this model learned other rows since ``n_seen``.
        """
        with _BEGINNING:
            if self.n_seen != n_seen:
                raise RuntimeError(
                    "the model changed while a batch was being learned, so the batch was discarded; learn it again."
                )
            learned.events = self.events
        if learned.events is not None:
            learned.events.queue(news)
        return learned

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "events"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Model.__init__(self)
        self.__dict__.update(state)


def check_level(level: object) -> str:
    """Return the level if it is valid, else raise an error."""
    if isinstance(level, str) and level in LEVELS:
        return level
    raise ValueError(f"level must be {' or '.join(map(repr, LEVELS))}, not {level!r}.")


def limits(max_nodes: int | None, half_life: float | None) -> dict[str, Any]:
    """The settings that bound what a learner keeps."""
    return {
        "max_nodes": None if max_nodes is None else int(max_nodes),
        "half_life": None if half_life is None else float(half_life),
    }


def check_limits(max_nodes: int | None, half_life: float | None) -> None:
    """Check the limits, for classes whose parameters scikit-learn does not check."""
    if max_nodes is not None and not (isinstance(max_nodes, Integral) and 3 <= max_nodes <= 2**24):
        raise ValueError(f"max_nodes must be None or from 3 to {2**24}, not {max_nodes!r}.")
    if half_life is not None and not (isinstance(half_life, Real) and 0 < half_life <= 1e300):
        raise ValueError(f"half_life must be None or a positive number of rows, not {half_life!r}.")
