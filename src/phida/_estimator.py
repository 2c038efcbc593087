"""Base class of the estimators: learning and files."""

from __future__ import annotations

import copy
import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from phida import _threads, _validation, state_file
from phida._events import Callback
from phida._missing import Imputer
from phida._model import PUBLISHED, Model, Settings, from_file, kind_of, named_columns
from phida._preparation import Preparation
from phida._validation import Columns
from phida.answers.html import summary_html
from phida.answers.predictor import LabelSource, Predictor, Snapshot
from phida.answers.summary import Summary
from phida.errors import InputError, ParameterError
from phida.lineage import Candidate, History, Lineage


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

    A subclass has its parameters, among them ``compute_labels``, their constraints, and the settings of its native
    learner.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    compute_labels: bool
    missing = "error"
    labels_ = _Labels()

    #: Settings that tell the native learner from that of every other estimator.
    _kind: ClassVar[Settings] = PUBLISHED
    _parameters_of: ClassVar[Callable[[Any], Any]]
    _model: Model[Columns] | None = None

    def __init_subclass__(cls, **words: Any) -> None:
        super().__init_subclass__(**words)
        cls._parameters_of = staticmethod(attrgetter(*cls._parameter_constraints))

    @abstractmethod
    def _settings(self) -> Settings:
        """Settings of the native learner. Once learning has begun, they cannot change."""

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
        return self._fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn more rows, without reset or refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream. All rows are checked before any is learned. An array that needs no conversion
            is not copied: do not change it, also in another thread, until the call returns.
        y : ignored

        Returns
        -------
        self
        """
        return self._partial_fit(X)

    def _fit(self, X: Any, sample_weight: Any = None, n_threads: int | None = None) -> Self:
        parameters = self._check_parameters()
        samples = _validation.rows(self, X, keep_float32=not self._fills, keep_missing=self._fills)
        weights = _validation.weights(sample_weight, len(samples))
        before = self._model
        model: Model[Columns] = Model(None if before is None else before.events)
        columns = self._new_columns(X, samples)
        model.begin(columns.width, self._settings(), columns)
        samples = self._filled(columns, samples, weights)
        self._model = model
        self._learn(model, samples, weights, parameters, end=True, n_threads=n_threads)
        return self

    def _partial_fit(self, X: Any, sample_weight: Any = None) -> Self:
        parameters = self._check_parameters()
        model = self._model
        if model is None or not model.begun:
            samples = _validation.rows(self, X, keep_float32=not self._fills, keep_missing=self._fills)
            weights = _validation.weights(sample_weight, len(samples))
            columns = self._new_columns(X, samples)
            model = self._own_model()
            if model.begin(columns.width, self._settings(), columns) is not columns:  # another thread was first
                _validation.record(self, X, reset=False)
        else:
            if parameters != model.checked:
                model.refuse_changes(self._settings())
                self._refuse_changed_rule(model)
            samples = _validation.samples(self, X, model.features, keep_float32=True, learn=True)
            weights = _validation.weights(sample_weight, len(samples))
        samples = self._filled(model.features, samples, weights)
        self._learn(model, samples, weights, parameters, end=False)
        return self

    @property
    def _fills(self) -> bool:
        """Whether missing values are filled when a model begins."""
        return self.missing != "error"

    def _new_columns(self, X: Any, samples: NDArray[Any]) -> Columns:
        """Return the features of a new model. Raise an error if some have missing values only."""
        columns = _validation.columns_of(X, samples.shape[1])
        if not self._fills:
            return columns
        columns = replace(columns, preparation=Preparation(Imputer(self.missing, columns.width)))
        _refuse_unknown(columns, samples)
        return columns

    def _filled(self, columns: Columns, samples: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[Any]:
        """Rows with their missing values filled from the rows before, which the imputer learns unless they weigh 0."""
        preparation = columns.preparation
        if not preparation.fills:
            return samples
        _refuse_unknown(columns, samples)
        if weights is None or weights.all():
            return preparation.learned(samples)
        counted = weights > 0.0
        filled = np.empty(samples.shape)
        filled[counted] = preparation.learned(samples[counted])
        filled[~counted] = preparation.filled(samples[~counted])
        return filled

    def _refuse_changed_rule(self, model: Model[Columns]) -> None:
        before = model.features.preparation.rule or "error"
        if self.missing != before:
            raise ParameterError(
                f"missing was changed from {before!r} to {self.missing!r} after learning began; call fit to train a "
                "new model."
            )

    def refresh(self) -> Self:
        """End a stage of learning: map the nodes to clusters, and update their ids, now.

        In PHIDA, it affects later learning, which uses the updated components. A second call without new rows does
        nothing.

        Returns
        -------
        self
        """
        model = self._fitted
        model.end_learning()
        model.dispatch()
        return self

    def save(self, path: str | os.PathLike[str], *, position: Any = None, encoder: Any = None) -> None:
        """Save the model to a file; :meth:`load` restores it bit-identically.

        The file is in the safetensors format and holds no code. An existing file is replaced only when the new one is
        complete. ``labels_`` are not saved.

        Parameters
        ----------
        path : path-like
            Usually with the suffix ``.safetensors``.
        position : optional
            Position of the model in its stream, as a value that JSON can hold, for use when the stream is resumed.
        encoder : phida.preprocessing.TableEncoder, optional
            The encoder of the rows that were learned, saved with the model. The loaded model, ``phida predict`` and
            Spark then predict tables with its columns. A loaded model keeps its encoder.
        """
        state_file.replace(path, self.to_bytes(position=position, encoder=encoder))

    def to_bytes(self, *, position: Any = None, encoder: Any = None) -> bytes:
        """Return the content of the file that :meth:`save` writes.

        Parameters
        ----------
        position, encoder : optional
            As for :meth:`save`.

        Returns
        -------
        content : bytes
        """
        model = self._fitted
        parameters, names, preparation = self._parameters_to_save(model), model.features.names, None
        if encoder is not None:
            features, preparation = encoder.get_feature_names_out(), encoder._preparation()
            if len(features) != model.features.width or (names is not None and list(names) != list(features)):
                raise InputError(
                    f"the encoder gives {len(features)} features, which are not the {model.features.width} that the "
                    "model has learned; pass the encoder of its rows."
                )
            names = features
        return model.content(parameters, names, position, preparation)

    def _parameters_to_save(self, model: Model[Columns]) -> dict[str, Any]:
        """Valid parameters that agree with the learner, whatever another thread sets meanwhile."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        parameters |= {name: value for name, value in model.settings.items() if name in parameters}
        type(self)(**parameters)._validate_params()
        parameters.pop("missing", None)  # it is in the preparation of rows
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
            The file is damaged, is not a phida model, or was written by a phida that this one cannot read.
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
        model, parameters = from_file(name, state, facts, cls._kind)
        estimator = cls(**parameters)
        estimator._model = model
        if (rule := model.preparation.rule) is not None:
            estimator.missing = rule
        return estimator

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[np.int64]:
        """Fit the model and return the labels of the rows, also if ``compute_labels`` is False.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        **fit_params
            Passed to ``fit``.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self.fit(X, **fit_params)
        return self.labels_ if self.compute_labels else self.predict(X)

    def summary(self) -> str:
        """Describe what was learned: clusters, their features, the closest two, and the clarity of their number.

        Returns
        -------
        text : str
            What ``phida inspect`` prints of a model file.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDAPlus
        >>> flowers = load_iris(as_frame=True).data
        >>> print(PHIDAPlus().fit(flowers).summary().splitlines()[0])  # doctest: +ELLIPSIS
        PHIDAPlus: 150 rows learned, 4 features, ... nodes, 2 clusters
        """
        return Summary.of(self).described(type(self).__name__, self.n_samples_seen_)

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted.n_seen

    @property
    def lineage_(self) -> Lineage:
        return Lineage.from_columns(self._fitted.learner.lineage())

    @property
    def candidates_(self) -> tuple[Candidate, ...]:
        return Candidate.from_columns(self._fitted.learner.candidates())

    @property
    def quiet_ids_(self) -> NDArray[np.int64]:
        living = self._fitted.learner.living()
        ids: NDArray[np.int64] = living["id"][living["quiet"] == 1]
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

    def _labels_from(self) -> LabelSource:
        model = self._fitted
        return LabelSource(model.learner, model.features)

    def _snapshot(self) -> Snapshot:
        model = self._fitted
        return Snapshot(model.reading(), model.features)

    def _columns(self) -> Columns | None:
        model = self._model
        return model.features if model is not None and model.begun else None

    def _check_parameters(self) -> object:
        """The parameters, validated unless they are those of the last call."""
        parameters: object = type(self)._parameters_of(self)
        if self._model is None or self._model.checked != parameters:
            self._validate_params()
        return parameters

    def _learn(
        self,
        model: Model[Columns],
        samples: NDArray[Any],
        weights: NDArray[np.float64] | None,
        parameters: object,
        *,
        end: bool,
        n_threads: int | None = None,
    ) -> None:
        model.checked = parameters
        self.__dict__.pop("labels_", None)  # they are of other rows
        counted, their_weights = samples, weights
        if weights is not None and not weights.all():
            counted, their_weights = samples[weights > 0.0], weights[weights > 0.0]
        if n_threads is None:
            first = 0
            for rows in _validation.parts(counted):
                last = first + len(rows)
                model.learn(rows, None if their_weights is None else their_weights[first:last])
                first = last
        else:
            parts = model.parts(n_threads)
            try:
                parts.learn(counted.astype(np.float64, copy=False), their_weights)
            finally:
                parts.merge()
        if end:
            model.end_learning()
        if self.compute_labels:
            assign = model.learner.assign
            self.labels_ = _validation.by_parts(lambda part: assign(part, _threads.for_batch(part.size)), samples)
        model.dispatch()

    def _with_names(self, names: Sequence[str] | None) -> Self:
        """A copy that shares the learner and takes rows with these feature names, or matrices; it has no callbacks."""
        other = copy.copy(self)
        if self._model is not None and self._model.begun:
            columns = self._model.features
            named = replace(named_columns(columns.width, names), preparation=columns.preparation)
            other._model = self._model.with_features(named)
        return other

    def _name_features(self, names: Sequence[str] | None) -> None:
        """Name the features of a model that learned matrices."""
        model = self._fitted
        named = named_columns(model.features.width, names)
        model.features = replace(named, preparation=model.features.preparation)

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and self._model.n_seen > 0

    def _repr_html_inner(self) -> str:
        """The parameters as scikit-learn shows them and, once fitted, the largest clusters."""
        header: str = estimator_html_repr(self)
        return header + summary_html(self) if self.__sklearn_is_fitted__() else header

    def _repr_mimebundle_(self, **words: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**words)
        if "text/html" in bundle:  # as sklearn.set_config(display=...) decides
            bundle["text/html"] = self._repr_html_inner()
        return bundle

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
            if (preparation := model.preparation.to_plain()) is not None:
                plain["_model"]["preparation"] = preparation
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
            columns = named_columns(state["n_features"], kept["feature_names"])
            preparation = Preparation.from_plain(kept.get("preparation"), columns.width)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is not a state of {cls.__name__} ({error!r}).") from error
        if kind_of(state) != cls._kind:
            raise ValueError(f"this is the state of another class than {cls.__name__}; load it with phida.load.")
        return Model.restored(state, replace(columns, preparation=preparation))


def _refuse_unknown(columns: Columns, samples: NDArray[Any]) -> None:
    """Raise an error if a feature has had no value yet, so that nothing can fill it."""
    imputer = columns.preparation.imputer
    assert imputer is not None
    unknown = np.flatnonzero(imputer.unknown(samples))
    if len(unknown):
        name = f"feature {unknown[0]}" if columns.names is None else f"column {columns.names[unknown[0]]!r}"
        raise InputError(f"{name} has no values yet; drop it, or begin with rows that have some.")
