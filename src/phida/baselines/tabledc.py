"""TableDC: deep clustering of tables, with Birch for a start and Cauchy affinities."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import Birch
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida import border


class TableDC(ClusterMixin, BaseEstimator):
    """Deep clustering of tables with Cauchy affinities in an autoencoder's embedding.

    An autoencoder learns to reconstruct the rows. Birch clusters their embedding, and the means of its clusters are the
    first centres. Then embedding and centres are trained together, so that each row comes to belong to one centre more
    clearly.

    It needs JAX: ``pip install "phida[deep]"``.

    Parameters
    ----------
    n_clusters : int, default=8
        How many clusters to make (K).
    pretrain_epochs : int, default=30
        Epochs of reconstruction before the centres are placed.
    epochs : int, default=200
        Epochs of clustering, each one step on all rows. The last only labels the rows.
    batch_size : int, default=256
        Rows of a mini-batch in pre-training.
    learning_rate : float, default=1e-3
        Step of Adam in both stages.
    hidden_size : int, default=1000
        Width of the hidden layer on either side of the embedding.
    latent_size : int, default=100
        Width of the embedding.
    covariance_scale : float, default=0.01
        Variance in every direction of the embedding, by which distances are measured.
    gamma : float, default=0.5
        Scale of the Cauchy affinity.
    clustering_weight : float, default=0.9
        Weight of the clustering loss against the reconstruction error.
    random_state : int, RandomState instance or None, default=None
        Draws the first weights and the mini-batches.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_clusters_ : int
        How many clusters were asked for; some may be empty.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    Features are taken as they are. Where Birch finds fewer clusters than asked for, the other centres start at rows
    drawn at random. Computation is in float32; the same ``random_state`` gives the same labels on the same machine.

    References
    ----------
    H. T. Rauf, A. Freitas, N. W. Paton. TableDC: deep clustering for tabular data. 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida.baselines.tabledc import TableDC
    >>> model = TableDC(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape, model.n_clusters_
    ((150,), 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pretrain_epochs": [Interval(Integral, 0, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "hidden_size": [Interval(Integral, 1, None, closed="left")],
        "latent_size": [Interval(Integral, 1, None, closed="left")],
        "covariance_scale": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "clustering_weight": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        pretrain_epochs: int = 30,
        epochs: int = 200,
        batch_size: int = 256,
        learning_rate: float = 1e-3,
        hidden_size: int = 1000,
        latent_size: int = 100,
        covariance_scale: float = 0.01,
        gamma: float = 0.5,
        clustering_weight: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.pretrain_epochs = pretrain_epochs
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.hidden_size = hidden_size
        self.latent_size = latent_size
        self.covariance_scale = covariance_scale
        self.gamma = gamma
        self.clustering_weight = clustering_weight
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
        self.labels_ = self._train(rows, check_random_state(self.random_state))
        self.n_clusters_ = self.n_clusters
        return self

    def _train(self, rows: NDArray[np.float64], random: np.random.RandomState) -> NDArray[np.int64]:
        """Pre-train, place the centres, train both together and label the rows."""
        # JAX is loaded when a model is trained, not when the package is imported.
        from phida.baselines import _autoencoder, _tabledc_training
        from phida.baselines._jax import jax

        weights_key, batches_key = jax.random.split(jax.random.key(random.randint(2**31)))
        sizes = (rows.shape[1], self.hidden_size, self.latent_size)
        network = _autoencoder.pretrained(
            batches_key,
            _autoencoder.autoencoder(weights_key, sizes),
            rows,
            epochs=self.pretrain_epochs,
            batch_size=self.batch_size,
            rate=self.learning_rate,
        )
        data = _autoencoder.blocks(rows)
        embedded = _autoencoder.unblocked(_autoencoder.embed(network, data), len(rows))
        if not np.isfinite(embedded).all():
            raise ValueError("Training diverged: the embedding of X is not finite. Rescale the features.")

        model = _tabledc_training.Model(network, first_centres(embedded, self.n_clusters, random))
        moments = _autoencoder.adam(model)
        sharpness = self.covariance_scale**-0.5 / self.gamma**2
        for _ in range(self.epochs - 1):
            model, moments = _tabledc_training.epoch(
                model, moments, data, sharpness, self.clustering_weight, self.learning_rate
            )
        q = _autoencoder.unblocked(_tabledc_training.all_affinities(model, data, sharpness), len(rows))
        return q.argmax(axis=1)


def first_centres(embedded: NDArray[np.float32], count: int, random: np.random.RandomState) -> NDArray[np.float32]:
    """Means of Birch's clusters, and rows drawn at random in place of those that it did not find."""
    with warnings.catch_warnings():
        # It warns of too few clusters; they are filled up below.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = Birch(n_clusters=count).fit_predict(embedded)
    means = [embedded[labels == label].mean(axis=0) for label in np.unique(labels)]
    drawn = random.choice(len(embedded), size=count - len(means), replace=False)
    return np.concatenate([means, embedded[drawn]])
