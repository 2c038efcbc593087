"""A cluster model for BERTopic, with topic numbers that last across batches, and probabilities.

Nothing here imports BERTopic; ``pip install "phida[bertopic]"`` installs it.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from phida._estimator import Estimator
from phida.estimators import PHIDAPlus

__all__ = ["ClusterModel"]


class ClusterModel(ClusterMixin, BaseEstimator):
    """An online cluster model with lasting cluster ids, for ``BERTopic(hdbscan_model=...)``.

    BERTopic identifies topics by their numbers. Labels of :class:`phida.PHIDAPlus` may be renumbered as learning
    continues, so this class returns cluster ids, which last.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus, default=None
        Unfitted model, which is cloned. None: ``PHIDAPlus()``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster ids of the rows passed last.
    probabilities_ : ndarray of shape (n_samples,)
        Membership of each of these rows in its cluster, from ``membership`` of the model.
    model_ : PHIDA or PHIDAPlus
        The fitted model.

    Notes
    -----
    Each call of ``partial_fit`` ends with a refresh, which updates the ids. A refresh is slow compared with learning a
    row, so pass many rows per call.

    Examples
    --------
    >>> import numpy as np
    >>> from phida.bertopic import ClusterModel
    >>> rng = np.random.default_rng(0)
    >>> subjects = rng.normal(size=(4, 16))
    >>> def batch(known):
    ...     return subjects[np.arange(300) % known] + 0.05 * rng.normal(size=(300, 16))
    >>> model = ClusterModel().partial_fit(batch(2))
    >>> before = model.predict(subjects[:2])
    >>> model = model.partial_fit(batch(3)).partial_fit(batch(4))
    >>> len(set(model.labels_)), bool((model.predict(subjects[:2]) == before).all())
    (4, True)
    >>> float(model.probabilities_.min()) > 0.5
    True
    """

    model_: Estimator
    labels_: NDArray[np.int64]
    probabilities_: NDArray[np.float64]

    def __init__(self, model: Estimator | None = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset the model and learn the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Embeddings, usually reduced.
        y : ignored

        Returns
        -------
        self
        """
        self.model_ = self._unfitted().fit(X)
        return self._label(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn a batch of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        model = self.model_ if hasattr(self, "model_") else self._unfitted()
        self.model_ = model.partial_fit(X).refresh()
        return self._label(X)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Predict the cluster id of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ids : ndarray of shape (n_samples,)
        """
        check_is_fitted(self, "model_")
        return self.model_.predict_id(X)

    def _unfitted(self) -> Estimator:
        given = PHIDAPlus() if self.model is None else clone(self.model)
        return given.set_params(compute_labels=False)  # type: ignore[no-any-return]

    def _label(self, X: Any) -> Self:
        self.labels_ = self.model_.predict_id(X)
        self.probabilities_ = self.model_.membership(X).max(axis=1)
        return self
