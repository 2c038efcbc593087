"""What a model does for workers and for models elsewhere: statistics of rows go out and come in, models become one."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from phida import _core, _validation
from phida._events import Events
from phida._local_update import LocalUpdate, sample_size, seed_of
from phida._merging import replayed_rows, restart_lineage, scaled

#: Rows that a merge learns, unless more are asked for.
_MOST_REPLAYED = 100_000


class Distributable(BaseEstimator):
    """A model that learns from rows elsewhere."""

    _learner: _core.Learner
    _events: Events | None = None
    compute_labels: bool
    _checked: tuple[object, ...]

    @property
    @abstractmethod
    def _fitted(self) -> _core.Learner:
        """What was learned, or an error that nothing was."""

    @abstractmethod
    def _check_parameters(self) -> tuple[object, ...]:
        """The parameters, once they are found to be sound."""

    @abstractmethod
    def _refuse_changes(self) -> None:
        """Refuse parameters that were changed since learning began."""

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn rows anew."""

    def local_update(self, X: Any, *, partition: int = 0, n_partitions: int = 1, random_state: int = 0) -> LocalUpdate:
        """What a worker finds out about its rows against this model, which does not change.

        Rows that pass the vigilance test are counted into statistics of their nodes. Those that fail, and a small
        sample, are carried along, for :meth:`apply_updates` to learn one by one. See ``docs/distributed.md``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows of one partition of a batch.
        partition, n_partitions : int
            Which one of how many, from 0 on. Each leaves its part of the sample, at a place of its own.
        random_state : int
            Seed of the sample.

        Returns
        -------
        update : LocalUpdate
        """
        if partition not in range(n_partitions):
            raise ValueError(f"there is no partition {partition!r} of {n_partitions}; they are numbered from 0 on.")
        learner = self._going_on
        samples = _validation.samples(self, X)
        sample = sample_size(learner.interval, n_partitions)
        return LocalUpdate(learner.local_update(samples, sample, seed_of(random_state, learner.n_seen, partition)))

    def apply_updates(self, updates: Iterable[LocalUpdate]) -> Self:
        """Learn from rows that workers looked at: what they counted, in the order given, then the rows they carry.

        All updates must have been made against this very state, and each is given once. Either all is learned or, on an
        error, nothing.

        Parameters
        ----------
        updates : iterable of LocalUpdate
            One per partition of a batch, in the order of the partitions.

        Returns
        -------
        self
        """
        learner, events = self._going_on, self._events
        learner.apply([dict(update.columns) for update in _checked_updates(updates)])
        self.__dict__.pop("labels_", None)  # they are of other rows
        if events is not None:
            events.collect(learner)
            events.dispatch()
        return self

    @property
    def _going_on(self) -> _core.Learner:
        """The learner, if its parameters are those that learning began with."""
        parameters, learner = self._check_parameters(), self._fitted
        if parameters != self.__dict__.get("_checked"):
            self._refuse_changes()
            self._checked = parameters
        return learner

    @classmethod
    def merge(cls, models: Iterable[Self], *, n_samples: int | None = None, random_state: int = 0) -> Self:
        """One model from several that learned apart, approximately.

        Rows drawn from the nodes of all models, normal around each with its variance, are learned by a fresh model with
        the parameters of the first. Its clusters count as born now, with ids from 0. One model alone is copied.

        Parameters
        ----------
        models : iterable of PHIDA
            Fitted, with the same features. Names of features are those of the first model that has any.
        n_samples : int, default=None
            How many rows are drawn; None is as many as the models have learned, but no more than 100,000. What the
            model has learned counts as much as what all have learned, either way.
        random_state : int, default=0
            Seed of the drawing.

        Returns
        -------
        model : PHIDA
        """
        given = list(models)
        names = _common_names(given)
        if n_samples is not None and n_samples < 1:
            raise ValueError(f"n_samples must be 1 or more, or None; not {n_samples!r}.")
        if len(given) == 1:
            return copy.deepcopy(given[0])
        states = [model._fitted.__getstate__() for model in given]
        total = sum(state["n_seen"] for state in states)
        drawn = min(total, _MOST_REPLAYED) if n_samples is None else n_samples
        merged = cls(**given[0].get_params() | {"compute_labels": False})
        merged.fit(replayed_rows(states, drawn, random_state))
        merged.compute_labels = given[0].compute_labels
        state = merged._learner.__getstate__()
        merged._learner = _core.Learner.__new__(_core.Learner)
        merged._learner.__setstate__(restart_lineage(state if drawn == total else scaled(state, total)))
        if names is not None:
            merged.feature_names_in_ = names.copy()
        return merged


def _checked_updates(updates: Iterable[LocalUpdate]) -> list[LocalUpdate]:
    if isinstance(updates, LocalUpdate):
        raise TypeError("apply_updates takes a list of updates, also where there is only one.")
    given = list(updates)
    for number, update in enumerate(given):
        if not isinstance(update, LocalUpdate):
            raise TypeError(
                f"update {number} is of type {type(update).__name__}, not LocalUpdate; "
                "LocalUpdate.from_bytes makes one of bytes."
            )
    return given


def _common_names(models: Sequence[Distributable]) -> Any:
    """The names of the features, where a model has any; raises where models cannot be merged."""
    if not models:
        raise ValueError("there is no model to merge.")
    expected: Any = None
    for number, model in enumerate(models, start=1):
        try:
            width = model._fitted.n_features
        except NotFittedError as error:
            raise NotFittedError(f"model {number} is not fitted; merge models that have learned rows.") from error
        if width != models[0]._fitted.n_features:
            raise ValueError(
                f"model {number} has {width} features and the first {models[0]._fitted.n_features}; "
                "merge models of the same features."
            )
        names = vars(model).get("feature_names_in_")
        expected = names if expected is None else expected
        if names is not None and list(names) != list(expected):
            raise ValueError(
                f"model {number} has other feature names than those before it; merge models of the same features."
            )
    return expected
