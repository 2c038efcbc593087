"""Base class of the estimators: learning and files."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from numbers import Real
from operator import attrgetter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from phida import _threads, _validation, state_file
from phida._events import Callback
from phida._missing import Imputer
from phida._model import PUBLISHED, Method, Model, Settings, from_file, named_columns
from phida._parameters import LabelParameters, declared
from phida._preparation import Preparation
from phida._reading import Answers, ModelAnswers
from phida._validation import Columns
from phida.answers.html import summary_html
from phida.errors import InputError, ParameterError


class _Labels:
    """Descriptor for ``labels_`` on an estimator without labels: raises an error with the reason."""

    def __get__(self, estimator: Any, kind: type) -> NDArray[np.int64]:
        if estimator is None:
            raise AttributeError("labels_ belong to a fitted estimator.")
        if estimator.__sklearn_is_fitted__():
            raise AttributeError("labels_ were not computed for these rows; set compute_labels=True, or call predict.")
        raise NotFittedError(f"This {kind.__name__} has no labels_ yet; call fit or partial_fit first.")


class Predictor(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, Answers):
    """Base class of predictors for scikit-learn.

    A predictor uses the snapshot that it holds. An estimator takes a new snapshot for each call.
    """

    def _columns(self) -> Columns | None:
        """Return the features of rows; None before any are known."""
        return self._held.columns

    @property
    def n_features_in_(self) -> int:
        columns = self._columns()
        if columns is None:
            raise AttributeError(f"this {type(self).__name__} has no n_features_in_; it has seen no rows yet.")
        return columns.width

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        columns = self._columns()
        if columns is None or columns.names is None:
            raise AttributeError(f"this {type(self).__name__} has no feature_names_in_; its rows had no names.")
        return columns.names

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Compute the distance of each row to each cluster, as used for prediction.

        In PHIDA+: the distance to the nearest node of the cluster. In PHIDA: that distance plus the radius that holds
        the share ``assignment_view_.concentration`` of the cluster's support, or the squared distance where the cluster
        has one node (the paper's h_c). The label of a row is its nearest cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
        """
        return self._distances(X)

    def cut(self, *, n_clusters: int | None = None, height: float | None = None) -> Cut:
        """Cut the hierarchy at another number of clusters or height, without learning again.

        Pass either ``n_clusters`` or ``height``. Later learning does not change the result.

        In PHIDA+, a number of clusters is reached by size: clusters with few rows near to others are joined first, and
        what is split has many rows far apart. A cut into more clusters only splits clusters of a cut into fewer. In
        PHIDA, the merges of the hierarchy are made in their order, also below its minimum number of clusters.

        Parameters
        ----------
        n_clusters : int
            Number of clusters.
        height : float
            Stop before the first merge above this height; see ``hierarchy_.merge_height``. In PHIDA+, 1 is the model's
            own cut.

        Returns
        -------
        cut : Cut
            A predictor with the same methods, except for learning.
        """
        snapshot = self._snapshot()
        reading = snapshot.whole
        heights = reading.merge_heights()
        most, least = reading.n_leaves, reading.n_leaves - len(heights)
        if n_clusters is not None and height is None:
            if n_clusters not in range(least, most + 1):
                raise ParameterError(f"n_clusters must be from {least} to {most} for this model, not {n_clusters!r}.")
            cut = reading.with_clusters(int(n_clusters))
        elif height is not None and n_clusters is None:
            if not isinstance(height, Real) or not height >= 0:
                raise ParameterError(f"height must be 0 or more, not {height!r}.")
            cut = reading.at_level(int(np.argmax([*(heights > height), True])))
        else:
            raise ParameterError("cut() takes either n_clusters or height; pass exactly one of them.")
        return Cut._of(snapshot._replace(reading=cut, uncut=reading))

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_


class Cut(Predictor):
    """A model at one moment with another cut of its hierarchy; :meth:`phida.PHIDA.cut` creates it.

    A cut predicts, scores, explains and has records as the model does. It cannot learn or be pickled; keep the model,
    and cut it again.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.n_clusters_
    8
    >>> fewer = model.cut(n_clusters=5)
    >>> fewer, fewer.predict([[5.0, 3.4, 1.5, 0.2]]).tolist()
    (Cut(n_clusters=5), [0])
    """

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of :meth:`transform`.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of shape (n_clusters_,)
        """
        return np.array([f"cut{label}" for label in range(self.n_clusters_)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> Self:
        return self  # a cut cannot be fitted again

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # a cut never changes

    def __reduce__(self) -> Any:
        raise TypeError("a cut cannot be pickled; pickle the model, and cut it again with cut(n_clusters=...).")

    def __repr__(self) -> str:
        return f"Cut(n_clusters={self.n_clusters_})"


#: Ends of the sections of both estimators' docstrings.
_SHARED = {
    "attributes": """
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows passed to the last ``fit`` or ``partial_fit``. Only with ``compute_labels``.
    n_clusters_, n_nodes_ : int
        Number of clusters and of learned nodes.
    n_samples_seen_ : int
        Number of rows learned.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Weighted means of the clusters' nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Lasting id of each label: the confirmed cluster that holds most of it. Two labels share an id until the split of
        their cluster is confirmed.
    quiet_ids_ : ndarray
        Ids of confirmed clusters that no longer receive rows.
    lineage_ : Lineage
        Confirmed events of clusters, by id: born, split, merged, died, revived. Has ``to_pandas()``.
    candidates_ : tuple of Candidate
        Possible events that are not confirmed yet.
    history_ : History
        Growth of the model, thinned to a fixed length. Has ``to_pandas()``.
    nodes_, graph_, persistence_, hierarchy_, assignment_view_ : records
        Learned state of each stage; see ``phida.records``. Each has ``to_pandas()``.
    moments_ : record
        Mean and standard deviation of the rows learned, per feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.""",
    "notes": """
    **No random_state**: nothing is random. The same rows in the same order give a bit-identical model on every machine.

    **Threads.** The GIL is released while learning and predicting. Several threads may use one model: one thread learns
    at a time, and predictions use a complete state. Ctrl-C stops a long ``fit``; the rows learned so far are kept.""",
}


@cache
def _getter(kind: Any) -> Callable[[Any], Any]:
    """Return a function that reads all parameters of an estimator."""
    return attrgetter(*declared(kind))


class Estimator(ClusterMixin, Predictor, ModelAnswers, LabelParameters):
    """An online clusterer for scikit-learn. A subclass has a method and its parameters."""

    labels_ = _Labels()
    missing = "error"
    _SHARED = _SHARED

    _method: ClassVar[Method] = PUBLISHED
    _model: Model[Columns] | None = None

    def _settings(self) -> Settings:
        """Return the settings of the native learner. Once learning has begun, they cannot change."""
        return self._method.settings_of(self)

    def _validate_params(self) -> None:
        for name, one in declared(type(self)).items():  # type: ignore[arg-type]
            one.check(getattr(self, name), type(self).__name__)

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
        settings = self._settings()
        model.begin(columns.width, settings, columns)
        samples = columns.learned(samples, weights)
        self._model, model.checked = model, parameters
        self.__dict__.pop("labels_", None)  # they belong to other rows
        try:
            model.learn_matrix(samples, weights, follow=False, n_threads=None if settings.needs_order else n_threads)
        finally:
            model.end_learning()  # after Ctrl-C, too
        self._label(model, samples)
        return self

    def _partial_fit(self, X: Any, sample_weight: Any = None, *, follow: bool = True) -> Self:
        parameters = self._check_parameters()
        model = self._model
        if model is None or not model.begun:
            samples = _validation.rows(self, X, keep_float32=not self._fills, keep_missing=self._fills)
            weights = _validation.weights(sample_weight, len(samples))
            columns = self._new_columns(X, samples)
            model = self._own_model()
            if model.begin(columns.width, self._settings(), columns) is not columns:  # another thread began first
                _validation.record(self, X, reset=False)
        else:
            if parameters != model.checked:
                model.refuse_changes(self._settings())
                self._refuse_changed_rule(model)
            samples = _validation.samples(self, X, model.features, keep_float32=True, learn=True)
            weights = _validation.weights(sample_weight, len(samples))
        samples = model.features.learned(samples, weights)
        model.checked = parameters
        self.__dict__.pop("labels_", None)  # they belong to other rows
        model.learn_matrix(samples, weights, follow=follow)
        self._label(model, samples)
        return self

    @property
    def _fills(self) -> bool:
        """Return whether missing values are filled when a model begins."""
        return self.missing != "error"

    def _new_columns(self, X: Any, samples: NDArray[Any]) -> Columns:
        """Return the features of a new model; raise an error if some have only missing values."""
        columns = _validation.columns_of(X, samples.shape[1])
        if not self._fills:
            return columns
        columns = replace(columns, preparation=Preparation(Imputer(self.missing, columns.width)))
        columns.refuse_unknown(samples)
        return columns

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
        """Return valid parameters that agree with the learner, also if another thread sets some meanwhile."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        if model.settings is not None:
            parameters |= model.settings.values
        type(self)(**parameters)._validate_params()
        parameters.pop("missing", None)  # stored in the preparation of rows
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
        model, parameters = from_file(name, state, facts, cls._method)
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
        """Return the model, read once: another thread may replace it."""
        model = self._model
        if model is None or model.n_seen == 0:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit or partial_fit first.")
        return model

    @property
    def _unchanged(self) -> Model[Columns]:
        """Return the fitted model if its settings are unchanged."""
        parameters, model = self._check_parameters(), self._fitted
        if parameters != model.checked:
            model.refuse_changes(self._settings())
            model.checked = parameters
        return model

    def _own_model(self) -> Model[Columns]:
        """Return the model, created if necessary; concurrent calls get the same one."""
        model: Model[Columns] = self.__dict__.setdefault("_model", Model())
        return model

    def _columns(self) -> Columns | None:
        model = self._model
        return model.features if model is not None and model.begun else None

    def _check_parameters(self) -> object:
        """Return the parameters, validated unless they equal those of the last call."""
        parameters: object = _getter(type(self))(self)  # type: ignore[arg-type]
        if self._model is None or self._model.checked != parameters:
            self._validate_params()
        return parameters

    def _label(self, model: Model[Columns], samples: NDArray[Any]) -> None:
        """Set ``labels_`` if wanted, and call the callbacks."""
        if self.compute_labels:
            assign = model.learner.assign
            self.labels_ = _validation.by_parts(lambda part: assign(part, _threads.for_batch(part.size)), samples)
        model.dispatch()

    def _with_names(self, names: Sequence[str] | None) -> Self:
        """Return a copy that shares the learner, with other feature names or none, without labels and callbacks."""
        other = copy.copy(self)
        other.__dict__.pop("labels_", None)
        if self._model is not None and self._model.begun:
            named = named_columns(self._model.features.width, names)
            other._model = self._model.with_features(replace(self._model.features, names=named.names))
        return other

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None and self._model.n_seen > 0

    def _repr_html_inner(self) -> str:
        """Return the parameters as scikit-learn shows them and, once fitted, the largest clusters."""
        header: str = estimator_html_repr(self)
        return header + summary_html(self) if self.__sklearn_is_fitted__() else header

    def _repr_mimebundle_(self, **words: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**words)
        if "text/html" in bundle:  # decided by sklearn.set_config(display=...)
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __copy__(self) -> Self:
        """A shallow copy shares the model and all other attributes."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return parameters, labels and the learner's state as plain values, which skops and MLflow can store."""
        plain = dict(self.__dict__)
        model = plain.pop("_model", None)
        return plain | {"_model": model.to_plain()} if model is not None and model.begun else plain

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore from the result of :meth:`__getstate__`. A learner's state is checked like that of a file."""
        plain = dict(state)
        if (kept := plain.pop("_model", None)) is not None:
            plain["_model"] = Model.from_plain(kept, self._method)
        self.__dict__.update(plain)
