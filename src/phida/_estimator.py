"""Base class of the estimators: learning, files and distributed updates."""

from __future__ import annotations

import copy
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import NotFittedError

from phida import _threads, _validation, state_file
from phida._events import Callback
from phida._local_update import LocalUpdate, sample_size, seed_of
from phida._merging import replayed_rows, restart_lineage, scaled
from phida._model import Model, Settings
from phida._validation import Columns
from phida.answers.predictor import Predictor, Snapshot
from phida.lineage import Candidate, Event, History, Lineage

#: Rows that a merge learns, unless more are asked for.
_MOST_REPLAYED = 100_000

#: Stages that an estimator's learner never leaves out; the benchmark's ablations do.
_STAGES = ("ph", "refresh", "remove", "prune", "mapping")


class _Labels:
    """Descriptor for ``labels_`` on an estimator without labels: raises an error that says why."""

    def __get__(self, estimator: Any, kind: type) -> NDArray[np.int64]:
        if estimator is None:
            raise AttributeError("labels_ belong to a fitted estimator.")
        if estimator.__sklearn_is_fitted__():
            raise AttributeError("labels_ were not computed for these rows; set compute_labels=True, or call predict.")
        raise NotFittedError(f"This {kind.__name__} has no labels_ yet; call fit or partial_fit first.")


class Estimator(ClusterMixin, Predictor):
    """An online clusterer for scikit-learn.

    A subclass has its parameters, among them ``compute_labels``, and says three things: their constraints, the settings
    of its native learner, and the rule that maps nodes to clusters.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    compute_labels: bool
    labels_ = _Labels()

    #: Settings that tell the native learner from that of every other estimator.
    _kind: ClassVar[Settings] = {"released": False, "plus": False}
    _parameters_of: ClassVar[Callable[[Any], Any]]
    _model: Model[Columns] | None = None

    def __init_subclass__(cls, **words: Any) -> None:
        super().__init_subclass__(**words)
        cls._parameters_of = staticmethod(attrgetter(*cls._parameter_constraints))

    @abstractmethod
    def _settings(self) -> Settings:
        """Settings of the native learner. Once learning has begun, they cannot change."""

    @property
    @abstractmethod
    def _rule(self) -> str:
        """The rule that maps nodes to clusters. It can change at any time."""

    @abstractmethod
    def _counts(self) -> dict[str, int]:
        """Return the number of clusters, by their names."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset the model, learn the rows in order, and refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers: NumPy, lists, pandas, polars or pyarrow.
        y : ignored

        Returns
        -------
        self
        """
        parameters = self._check_parameters()
        samples = _validation.rows(self, X)
        before = self._model
        model: Model[Columns] = Model(None if before is None else before.events)
        model.begin(samples.shape[1], self._settings(), _validation.columns_of(X, samples.shape[1]))
        self._model = model
        self._learn(model, samples, parameters, end=True)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn more rows, without reset or refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream. All rows are checked before any is learned.
        y : ignored

        Returns
        -------
        self
        """
        parameters = self._check_parameters()
        model = self._model
        if model is None or not model.begun:
            samples = _validation.rows(self, X)
            columns = _validation.columns_of(X, samples.shape[1])
            model = self._own_model()
            if model.begin(columns.width, self._settings(), columns) is not columns:  # another thread was first
                _validation.record(self, X, reset=False)
        else:
            if parameters != model.checked:
                model.refuse_changes(self._settings())
            samples = _validation.samples(self, X, model.features)
        self._learn(model, samples, parameters, end=False)
        return self

    def refresh(self) -> Self:
        """End a stage of learning: update nodes, components and clusters now.

        Predictions do not need a refresh. Later learning is affected by it, because learning uses the updated
        components. A second call without new rows does nothing.

        Returns
        -------
        self
        """
        model = self._fitted
        model.end_learning(self._rule)
        model.dispatch()
        return self

    def save(self, path: str | os.PathLike[str], *, position: Any = None) -> None:
        """Save the model to a file; :meth:`load` restores it bit-identically.

        The file is in the safetensors format and holds no code. An existing file is replaced only when the new one is
        complete. ``labels_`` are not saved.

        Parameters
        ----------
        path : path-like
            Usually with the suffix ``.safetensors``.
        position : optional
            Position of the model in its stream, as a value that JSON can hold, for use when the stream is resumed.
        """
        state_file.replace(path, self.to_bytes(position=position))

    def to_bytes(self, *, position: Any = None) -> bytes:
        """Return the content of the file that :meth:`save` writes.

        Parameters
        ----------
        position : optional
            As for :meth:`save`.

        Returns
        -------
        content : bytes
        """
        model = self._fitted
        return model.content(self._parameters_to_save(model), model.features.names, position)

    def _parameters_to_save(self, model: Model[Columns]) -> dict[str, Any]:
        """Valid parameters that agree with the learner, whatever another thread sets meanwhile."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        parameters |= {name: value for name, value in model.settings.items() if name in parameters}
        type(self)(**parameters)._validate_params()
        return parameters

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a model from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        model : the estimator

        Raises
        ------
        phida.StateFileError
            The file is damaged, is not a phida model, or was written by a newer phida.
        """
        return cls._restored(os.fspath(path), *state_file.read(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Load a model from the bytes of :meth:`to_bytes` or of a file.

        Parameters
        ----------
        content : bytes

        Returns
        -------
        model : the estimator

        Raises
        ------
        phida.StateFileError
            As for :meth:`load`.
        """
        return cls._restored("this content", *state_file.read_bytes(content))

    @classmethod
    def _restored(cls, name: object, state: dict[str, Any], facts: dict[str, Any]) -> Self:
        try:
            estimator = cls(**_current_parameters(cls, state, facts["params"]))
            estimator._validate_params()
            columns = _named_columns(state.get("n_features", 0), facts["feature_names"])
            model = Model.restored(state, estimator._settings(), columns)
            model.preparation = facts.get("preparation")
            if model.n_seen == 0:
                raise ValueError("'n_seen' is 0; only models that learned rows are saved")
            if type(facts["n_seen"]) is not int or facts["n_seen"] != model.n_seen:
                raise ValueError("'n_seen' of the header is not that of the state")
            if off := [stage for stage in _STAGES if not state[stage]]:
                raise ValueError(f"it is an ablation, without {', '.join(off)}")
        except ValueError as error:
            raise state_file.StateFileError(f"{name} does not hold a valid model ({error}).") from error
        estimator._model = model
        return estimator

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Fit the model and return the labels of the rows, also if ``compute_labels`` is False.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self.fit(X)
        return self.labels_ if self.compute_labels else self.predict(X)

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted.n_seen

    @property
    def interval_(self) -> int:
        return self._fitted.learner.interval

    @property
    def vigilance_(self) -> float:
        return self._fitted.learner.vigilance

    @property
    def lineage_(self) -> Lineage:
        return Lineage.from_columns(self._fitted.learner.lineage())

    @property
    def candidates_(self) -> tuple[Candidate, ...]:
        return Candidate.from_state(self._fitted.learner.__getstate__())

    @property
    def quiet_ids_(self) -> NDArray[np.int64]:
        state = self._fitted.learner.__getstate__()
        ids: NDArray[np.int64] = state["living_id"][(state["living_missed"] >= 16.0) & (state["living_ended"] == 0)]
        return ids

    @property
    def history_(self) -> History:
        columns = self._fitted.learner.history()
        return History(**{name.removeprefix("history_"): column for name, column in columns.items()})

    def on_event(self, callback: Callback) -> Self:
        """Register a callback for events of clusters.

        The callback runs at the end of each learning call, in the same thread. If it raises, the learning call raises,
        and the next learning call delivers the remaining events. Copies, pickles and files of the model do not include
        callbacks.

        Parameters
        ----------
        callback : callable
            Function with one argument, a :class:`phida.lineage.Event`.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> kinds = []
        >>> model = PHIDA().on_event(lambda event: kinds.append(event.kind)).fit(load_iris().data)
        >>> kinds[:3]
        ['born', 'split', 'born']
        """
        self._own_model().on_event(callback)
        return self

    def local_update(self, X: Any, *, partition: int = 0, n_partitions: int = 1, random_state: int = 0) -> LocalUpdate:
        """Compute a worker's update for its rows. The model does not change.

        Rows that pass the vigilance test are summarised by node. Rows that fail, and a small sample of all rows, are
        kept in the update, and :meth:`apply_updates` learns them one by one. See ``docs/decisions/partitions.md``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows of one partition of a batch.
        partition, n_partitions : int
            Number of this partition, from 0, and of all partitions.
        random_state : int
            Random seed of the sample.

        Returns
        -------
        update : LocalUpdate
        """
        if partition not in range(n_partitions):
            raise ValueError(f"partition must be 0 or more and below n_partitions={n_partitions!r}, not {partition!r}.")
        model = self._unchanged
        learner = model.learner
        samples = _validation.samples(self, X, model.features)
        sample = sample_size(learner.interval, n_partitions)
        return LocalUpdate(learner.local_update(samples, sample, seed_of(random_state, learner.n_seen, partition)))

    def apply_updates(self, updates: Iterable[LocalUpdate]) -> Self:
        """Learn from the updates of workers: first their statistics, in the given order, then the rows they hold.

        All updates must come from the current state of this model, and each may be applied once. If an error occurs,
        the model does not change.

        Parameters
        ----------
        updates : iterable of LocalUpdate
            One per partition of a batch, in the order of the partitions.

        Returns
        -------
        self
        """
        model = self._unchanged
        model.apply_updates([update.columns for update in _checked_updates(updates)], self._rule)
        self.__dict__.pop("labels_", None)  # they are of other rows
        model.dispatch()
        return self

    @classmethod
    def merge(cls, models: Iterable[Self], *, n_samples: int | None = None, random_state: int = 0) -> Self:
        """Merge separately trained models into one, approximately.

        A new model with the parameters of the first one learns rows that are sampled from the nodes of all models, from
        a normal distribution around each node. Its clusters get new ids, from 0. A single model is copied.

        Parameters
        ----------
        models : iterable of PHIDA
            Fitted models with the same features. Feature names come from the first model that has any.
        n_samples : int, default=None
            Number of rows to sample. None: as many as the models have learned, up to 100,000. The weight of the merged
            model is that of all rows the models have learned, for any ``n_samples``.
        random_state : int, default=0
            Random seed of the sample.

        Returns
        -------
        model : the estimator
        """
        given = list(models)
        columns = _common_columns(given)
        if n_samples is not None and n_samples < 1:
            raise ValueError(f"n_samples must be 1 or more, or None; not {n_samples!r}.")
        if len(given) == 1:
            return copy.deepcopy(given[0])
        states = [model._fitted.learner.__getstate__() for model in given]
        total = sum(state["n_seen"] for state in states)
        drawn = min(total, _MOST_REPLAYED) if n_samples is None else n_samples
        merged = cls(**given[0].get_params() | {"compute_labels": False})
        merged.fit(replayed_rows(states, drawn, random_state))
        merged.compute_labels = given[0].compute_labels
        state = merged._fitted.learner.__getstate__()
        if drawn != total:
            state = scaled(state, total)
        settings = merged._settings()
        # Counts that were scaled may be mapped to other clusters, so these are read from the state as it is now.
        nobody = np.full(len(state["support"]), -1)
        reading = Model.restored(restart_lineage(state, nobody), settings, columns).reading(merged._rule)
        state = restart_lineage(state, reading.nodes()["cluster"])
        merged._model = Model.restored(state, settings, columns)
        return merged

    @property
    def _fitted(self) -> Model[Columns]:
        """The model, looked up once: another thread may put a new one in its place."""
        model = self._model
        if model is None or model.n_seen == 0:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit or partial_fit first.")
        return model

    @property
    def _unchanged(self) -> Model[Columns]:
        """The fitted model, if its settings are those that it began with."""
        parameters, model = self._check_parameters(), self._fitted
        if parameters != model.checked:
            model.refuse_changes(self._settings())
            model.checked = parameters
        return model

    def _own_model(self) -> Model[Columns]:
        """The model, made where there is none; two threads get the same one."""
        model: Model[Columns] = self.__dict__.setdefault("_model", Model())
        return model

    def _snapshot(self, rule: str | None = None) -> Snapshot:
        """The model now, with the clusters of its own rule or of another one."""
        model = self._fitted
        return Snapshot(model.reading(rule or self._rule), model.features)

    def _columns(self) -> Columns | None:
        model = self._model
        return model.features if model is not None and model.begun else None

    def _check_parameters(self) -> object:
        """The parameters, validated unless they are those of the last call."""
        parameters: object = type(self)._parameters_of(self)
        if self._model is None or self._model.checked != parameters:
            self._validate_params()
        return parameters

    def _learn(self, model: Model[Columns], samples: NDArray[np.float64], parameters: object, *, end: bool) -> None:
        model.checked = parameters
        self.__dict__.pop("labels_", None)  # they are of other rows
        model.learn(samples, self._rule)
        if end:
            model.end_learning(self._rule)
        if self.compute_labels:
            self.labels_ = model.reading(self._rule).assign(samples, _threads.for_batch(samples.size))
        model.dispatch()

    def _take_over(self, other: Self, n_seen: int, news: Sequence[Event]) -> None:
        """Become what a copy has learned, unless this one learned too since ``n_seen``; then dispatch the events."""
        model = self._own_model().replaced_by(other._fitted, n_seen, news)
        own = {"_model", "labels_", *self.get_params(deep=False)}
        self.__dict__.update({name: value for name, value in vars(other).items() if name not in own})
        self.__dict__.pop("labels_", None)  # they are of other rows
        self._model = model
        model.dispatch()

    def _with_names(self, names: Sequence[str] | None) -> Self:
        """A copy that shares the learner and takes rows with these feature names, or matrices; it has no callbacks."""
        other = copy.copy(self)
        if self._model is not None and self._model.begun:
            columns = self._model.features
            other._model = self._model.with_features(_named_columns(columns.width, names))
        return other

    def _name_features(self, names: Sequence[str] | None) -> None:
        """Name the features of a model that learned matrices."""
        model = self._fitted
        model.features = _named_columns(model.features.width, names)

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and self._model.n_seen > 0

    def __copy__(self) -> Self:
        """A shallow copy shares the model, as it shares everything."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Parameters, labels and the learner's state as plain values and arrays, which skops and MLflow can store."""
        plain = dict(self.__dict__)
        model = plain.pop("_model", None)
        if model is not None and model.begun:
            names = model.features.names
            plain["_model"] = {
                "feature_names": None if names is None else list(names),
                "state": model.learner.__getstate__(),
            }
        return plain

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what :meth:`__getstate__` gave. A learner's state is checked as that of a file is."""
        plain = dict(state)
        kept = plain.pop("_model", None)
        if kept is not None:
            self._model = type(self)._unpacked(kept)
        self.__dict__.update(plain)

    @classmethod
    def _unpacked(cls, kept: Any) -> Model[Columns]:
        try:
            state = dict(kept["state"])
            columns = _named_columns(state["n_features"], kept["feature_names"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is not a state of {cls.__name__} ({error!r}).") from error
        if {name: state.get(name) for name in cls._kind} != cls._kind:
            raise ValueError(f"this is the state of another class than {cls.__name__}; load it with phida.load.")
        limits = (name for name in ("max_nodes", "half_life") if name in cls._parameter_constraints)
        settings = dict(cls._kind) | {name: state.get(name) or None for name in limits}
        return Model.restored(state, settings, columns)


def _current_parameters(cls: type[Estimator], state: Mapping[str, Any], params: Any) -> dict[str, Any]:
    """The parameters of a file, those of older formats translated; refused where it holds another kind of model."""
    if not isinstance(params, dict):
        raise ValueError("'params' is not an object of parameters by name")
    given = dict(params)
    plus, released = bool(state.get("plus", False)), bool(state.get("released", False))
    if "format" not in state:  # before version 4, everything was PHIDA with options that it no longer has
        if given.pop("mapping", "persistence") != "persistence":
            raise ValueError("it maps nodes by co-activation, which is no longer supported; train a new PHIDAPlus")
        if any(given.pop(name, None) is not None for name in ("max_nodes", "half_life")):
            raise ValueError("it has max_nodes or half_life, which PHIDA no longer has; train a new PHIDAPlus")
        if (given.pop("compatibility", "equations") == "released") != released:
            raise ValueError("its parameters and its state disagree on compatibility")
    unknown = given.keys() - cls._parameter_constraints.keys()
    missing = cls._parameter_constraints.keys() - given.keys()
    if unknown or missing or {"released": released, "plus": plus} != cls._kind:
        kind = "phida.PHIDAPlus" if plus else "phida_bench.ReleasedPHIDA" if released else "phida.PHIDA"
        raise ValueError(f"it is a model of {kind}, not of {cls.__name__}")
    return given


def _named_columns(width: int, names: Any) -> Columns:
    if names is None:
        return Columns(width)
    if not isinstance(names, list | tuple | np.ndarray) or not all(isinstance(name, str) for name in names):
        raise ValueError("'feature_names' is not a list of names")
    if len(names) != width:
        raise ValueError(f"'feature_names' has {len(names)} names for {width} features")
    if len(set(names)) < len(names):
        raise ValueError("'feature_names' has a name twice")
    return Columns(width, np.array(names, dtype=object))


def _checked_updates(updates: Iterable[LocalUpdate]) -> list[LocalUpdate]:
    if isinstance(updates, LocalUpdate):
        raise TypeError("apply_updates takes a list of updates; put a single update into a list.")
    given = list(updates)
    for number, update in enumerate(given):
        if not isinstance(update, LocalUpdate):
            raise TypeError(
                f"update {number} is of type {type(update).__name__}, not LocalUpdate; "
                "use LocalUpdate.from_bytes to restore one from bytes."
            )
    return given


def _common_columns(models: Sequence[Estimator]) -> Columns:
    """The features of models that are to be merged, with the names of the first that has any."""
    if not models:
        raise ValueError("there are no models to merge; pass at least one.")
    common = Columns(0)
    for number, model in enumerate(models, start=1):
        try:
            columns = model._fitted.features
        except NotFittedError as error:
            raise NotFittedError(f"model {number} is not fitted; merge models that have learned rows.") from error
        if type(model) is not type(models[0]):
            names = type(model).__name__, type(models[0]).__name__
            raise ValueError(f"model {number} is a {names[0]} and the first a {names[1]}; merge models of one method.")
        if number == 1 or (common.names is None and columns.width == common.width):
            common = columns
        if columns.width != common.width:
            raise ValueError(
                f"model {number} has {columns.width} features and the first {common.width}; "
                "merge models of the same features."
            )
        if columns.names is not None and common.names is not None and list(columns.names) != list(common.names):
            raise ValueError(
                f"model {number} has other feature names than those before it; merge models of the same features."
            )
    return common
