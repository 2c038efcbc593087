"""Base class of the online systems."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import NotFittedError

from phida import _validation


class System(Protocol):
    """A native system."""

    def learn(self, samples: NDArray[np.float64]) -> int: ...
    def assign(self, samples: NDArray[np.float64]) -> NDArray[np.int64]: ...
    def positions(self) -> NDArray[np.float64]: ...
    @property
    def n_seen(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_clusters(self) -> int: ...


class OnlineClusterer(ClusterMixin, BaseEstimator):
    """Base of the estimators whose learning is one native system.

    A subclass names its native class in ``_native`` and its parameters in ``__init__``; all of them but
    ``compute_labels`` are the native settings, unless :meth:`_settings` says otherwise.
    """

    _native: ClassVar[type]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"compute_labels": ["boolean"]}

    compute_labels: bool
    _system: System
    _begun_with: dict[str, Any]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train a new model on the rows, in order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers: NumPy, lists, pandas, polars or pyarrow.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        samples = _validation.rows(self, X)
        self._begin(X, samples)
        return self._learn(samples)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Train on more rows, as one stage of the stream.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows. They are checked whole before any is learned.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        if "_system" not in self.__dict__:
            samples = _validation.rows(self, X)
            self._begin(X, samples)
        else:
            self._refuse_changed_parameters()
            samples = _validation.samples(self, X)
        return self._learn(samples)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Predict the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        system = self._fitted
        return system.assign(_validation.samples(self, X))

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
    def n_clusters_(self) -> int:
        return self._fitted.n_clusters

    @property
    def n_nodes_(self) -> int:
        return self._fitted.n_nodes

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted.n_seen

    @property
    def nodes_(self) -> NDArray[np.float64]:
        return self._fitted.positions()

    @property
    def _fitted(self) -> System:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit or partial_fit first.")
        return self._system

    def _parameters(self) -> dict[str, Any]:
        """Parameters that learning depends on."""
        parameters: dict[str, Any] = self.get_params(deep=False)
        del parameters["compute_labels"]
        return parameters

    def _settings(self, n_features: int) -> dict[str, Any]:
        """Settings of the native system."""
        return self._parameters()

    def _begin(self, X: Any, samples: NDArray[np.float64]) -> None:
        system = self._native(samples.shape[1], **self._settings(samples.shape[1]))
        _validation.record(self, X, reset=True)
        self._system = system
        self._begun_with = self._parameters()

    def _refuse_changed_parameters(self) -> None:
        for name, value in self._parameters().items():
            before = self._begun_with[name]
            if not np.array_equal(value, before):
                raise ValueError(
                    f"{name} was changed from {before!r} to {value!r} after learning began; call fit to start afresh."
                )

    def _learn(self, samples: NDArray[np.float64]) -> Self:
        self.__dict__.pop("labels_", None)  # they belong to other rows
        self._system.learn(samples)
        if self.compute_labels:
            self.labels_ = self._system.assign(samples)
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return "_system" in self.__dict__ and self._system.n_seen > 0
