"""G-CEALS: Gaussian clusters in an autoencoder's embedding."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida_bench.systems._deep import DeepClusterer


class GCEALS(DeepClusterer):
    """Gaussian cluster embedding in an autoencoder's latent space.

    An autoencoder learns to reconstruct the rows, and k-means places clusters in their embedding. Then
    embedding, means and covariances are trained together with a head that learns to tell the clusters apart. Training
    ends early when a cluster is about to vanish.

    It needs JAX: ``pip install "./bench[deep]"``.

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
    standardise : bool, default=True
        Whether features are brought to mean 0 and variance 1 first, as the method is published.
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
        Epochs of clustering that were begun. Fewer than asked for where a cluster was about to vanish or training
        diverged; labels are then the last ones.
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
    >>> from phida_bench.systems import GCEALS
    >>> model = GCEALS(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape, model.n_clusters_
    ((150,), 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DeepClusterer._parameter_constraints,
        "hidden_sizes": [tuple, list],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "standardise": ["boolean"],
        "stop_factor": [Interval(Real, 0, 1, closed="left")],
    }

    n_iter_: int

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
        standardise: bool = True,
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
        self.standardise = standardise
        self.stop_factor = stop_factor
        self.random_state = random_state

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        from phida_bench.systems import _autoencoder
        from phida_bench.systems import _g_ceals_training as training

        if not all(isinstance(size, Integral) and size > 0 for size in self.hidden_sizes):
            raise ValueError(f"hidden_sizes must be positive integers, got {self.hidden_sizes!r}.")
        random = check_random_state(self.random_state)
        if self.standardise:
            samples = StandardScaler().fit_transform(samples)
        embedding = self._embed(samples, tuple(self.hidden_sizes), random)
        first = KMeans(self.n_clusters, random_state=random).fit(embedding.points)
        batches = BalancedBatches(first.labels_, self.batch_size, random)
        model, moments = training.start(random, embedding.network, first.cluster_centers_)
        cluster_weights = np.full(self.n_clusters, 1 / self.n_clusters, dtype=np.float32)
        labels: NDArray[np.int64] = first.labels_.astype(np.int64)
        for epoch in range(self.epochs):
            assigned, shares = training.assign(model, embedding.data)
            if not np.isfinite(shares).all():  # training diverged: the labels before that count
                break
            labels = _autoencoder.unblocked(assigned, len(samples)).astype(np.int64)
            if epoch > 0:
                cluster_weights = np.asarray(shares)
            if epoch == self.epochs - 1 or cluster_weights.min() <= self.stop_factor / self.n_clusters:
                break
            batch = samples[batches.draw()].astype(np.float32)
            model, moments = training.step(model, moments, batch, cluster_weights, self.gamma, self.learning_rate)
        self.n_iter_ = epoch + 1
        return labels


class BalancedBatches:
    """Batches with equally many rows of every cluster: at most as many as the smallest cluster has."""

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
