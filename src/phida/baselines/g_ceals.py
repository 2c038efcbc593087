"""G-CEALS: Gaussian clusters in an autoencoder's embedding."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida import border


class GCEALS(ClusterMixin, BaseEstimator):
    """Gaussian cluster embedding in an autoencoder's latent space.

    An autoencoder learns to reconstruct the standardised rows, and k-means places clusters in their embedding. Then
    embedding, means and covariances are trained together with a head that learns to tell the clusters apart. Training
    ends early when a cluster is about to vanish.

    It needs JAX: ``pip install "phida[deep]"``.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to make (K).
    pretrain_epochs : int, default=100
        Epochs of reconstruction before the clusters are placed.
    epochs : int, default=100
        Epochs of clustering, each one step on a batch that holds as many rows of every first cluster. The last only
        labels the rows.
    batch_size : int, default=256
        Rows of a mini-batch.
    learning_rate : float, default=1e-3
        Step of Adam in both stages.
    hidden_sizes : tuple of int, default=(500, 500, 2000)
        Widths of the layers between rows and embedding.
    latent_size : int, default=10
        Width of the embedding.
    gamma : float, default=0.1
        Weight of the clustering loss against the reconstruction error.
    stop_factor : float, default=0.1
        Training ends when a cluster's share of the rows falls to this part of an equal share.
    random_state : int, RandomState instance or None, default=None
        Draws the first weights, the mini-batches and the start of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_clusters_ : int
        How many clusters were asked for; some may be empty.
    n_iter_ : int
        Epochs of clustering that were begun.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    The published schedules are ten to a hundred times as long; these epochs are nearer to the running times of the
    published comparison. Computation is in float32; the same ``random_state`` gives the same labels on the same
    machine.

    References
    ----------
    S. B. Rabbani, I. V. Medri, M. D. Samad. Deep clustering of tabular data by weighted Gaussian distribution learning.
    Neurocomputing 623, 129359, 2025. https://arxiv.org/abs/2301.00802

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida.baselines.g_ceals import GCEALS
    >>> model = GCEALS(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape, model.n_clusters_
    ((150,), 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pretrain_epochs": [Interval(Integral, 0, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "hidden_sizes": [tuple],
        "latent_size": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "stop_factor": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pretrain_epochs: int = 100,
        epochs: int = 100,
        batch_size: int = 256,
        learning_rate: float = 1e-3,
        hidden_sizes: tuple[int, ...] = (500, 500, 2000),
        latent_size: int = 10,
        gamma: float = 0.1,
        stop_factor: float = 0.1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.pretrain_epochs = pretrain_epochs
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.hidden_sizes = hidden_sizes
        self.latent_size = latent_size
        self.gamma = gamma
        self.stop_factor = stop_factor
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        rows = border.rows(self, X)
        border.record(self, X, reset=True)
        if len(rows) < self.n_clusters:
            raise ValueError(f"n_samples={len(rows)} should be >= n_clusters={self.n_clusters}.")
        self.labels_, self.n_iter_ = self._train(
            StandardScaler().fit_transform(rows), check_random_state(self.random_state)
        )
        self.n_clusters_ = self.n_clusters
        return self

    def _train(self, rows: NDArray[np.float64], random: np.random.RandomState) -> tuple[NDArray[np.int64], int]:
        """Pre-train, place the clusters, train both together; labels of the rows, and epochs begun."""
        # JAX is loaded when a model is trained, not when the package is imported.
        from phida.baselines import _autoencoder, _g_ceals_training
        from phida.baselines._jax import jax

        weights_key, batches_key, head_key = jax.random.split(jax.random.key(random.randint(2**31)), 3)
        network = _autoencoder.pretrained(
            batches_key,
            _autoencoder.autoencoder(weights_key, (rows.shape[1], *self.hidden_sizes, self.latent_size)),
            rows,
            epochs=self.pretrain_epochs,
            batch_size=self.batch_size,
            rate=self.learning_rate,
        )
        data = _autoencoder.blocks(rows)
        embedded = _autoencoder.unblocked(_autoencoder.embed(network, data), len(rows))
        first = KMeans(self.n_clusters, random_state=random).fit(embedded)
        batches = BalancedBatches(first.labels_, self.batch_size, random)

        model = _g_ceals_training.start(head_key, network, first.cluster_centers_)
        moments = _autoencoder.adam(model)
        for epoch in range(self.epochs):
            labels, shares = _g_ceals_training.assign(model, data)
            cluster_weights = np.full_like(shares, 1 / self.n_clusters) if epoch == 0 else np.asarray(shares)
            if epoch == self.epochs - 1 or cluster_weights.min() <= self.stop_factor / self.n_clusters:
                break
            batch = rows[batches.draw()].astype(np.float32)
            model, moments, loss = _g_ceals_training.step(
                model, moments, batch, cluster_weights, self.gamma, self.learning_rate
            )
            if not np.isfinite(loss):
                break
        return _autoencoder.unblocked(labels, len(rows)).astype(np.int64), epoch + 1


class BalancedBatches:
    """Batches with as many rows of every cluster of a partition, few enough for the smallest to fill its part."""

    def __init__(self, labels: NDArray[np.int32], batch_size: int, random: np.random.RandomState) -> None:
        self._members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        smallest = min(len(members) for members in self._members)
        self._rows_of_each = max(1, min(batch_size // len(self._members), smallest))
        self._random = random

    def draw(self) -> NDArray[np.int64]:
        """Indices of a batch, drawn without replacement."""
        return np.concatenate(
            [self._random.choice(members, self._rows_of_each, replace=False) for members in self._members]
        )
