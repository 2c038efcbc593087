"""TableDC: deep clustering of tables, with Birch for a start and Cauchy affinities."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import Birch
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida_bench.systems import _memory
from phida_bench.systems._deep import DeepClusterer, require_finite


class TableDC(DeepClusterer):
    """Deep clustering of tables with Cauchy affinities in an autoencoder's embedding.

    An autoencoder learns to reconstruct the rows. Birch clusters their embedding, and the means of its clusters are the
    first centres. Then embedding and centres are trained together, so that each row comes to belong to one centre more
    clearly.

    It needs JAX: ``pip install "./bench[deep]"``.

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
    max_memory : int or None, default=None
        Bytes that the distances between Birch's subclusters may take, of which there can be as many as rows; physical
        memory if None.

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
    >>> from phida_bench.systems import TableDC
    >>> model = TableDC(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape, model.n_clusters_
    ((150,), 3)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DeepClusterer._parameter_constraints,
        "hidden_size": [Interval(Integral, 1, None, closed="left")],
        "covariance_scale": [Interval(Real, 0, None, closed="neither")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "clustering_weight": [Interval(Real, 0, None, closed="left")],
        "max_memory": [Interval(Integral, 1, None, closed="left"), None],
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
        max_memory: int | None = None,
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
        self.max_memory = max_memory

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        from phida_bench.systems import _autoencoder
        from phida_bench.systems import _tabledc_training as training

        random = check_random_state(self.random_state)
        embedding = self._embed(samples, (self.hidden_size,), random)
        centres = first_centres(embedding.points, self.n_clusters, random, self.max_memory)
        model, moments = training.start(embedding.network, centres)
        sharpness = self.covariance_scale**-0.5 / self.gamma**2
        for _ in range(self.epochs - 1):
            model, moments = training.epoch(
                model, moments, embedding.data, sharpness, self.clustering_weight, self.learning_rate
            )
        q = _autoencoder.unblocked(training.all_affinities(model, embedding.data, sharpness), len(samples))
        require_finite(q)
        labels: NDArray[np.int64] = q.argmax(axis=1)
        return labels


def first_centres(
    points: NDArray[np.float32], count: int, random: np.random.RandomState, max_memory: int | None
) -> NDArray[np.float32]:
    """Return the means of Birch's clusters; random rows replace missing ones."""
    birch = Birch(n_clusters=None, compute_labels=False).fit(points)
    if len(birch.subcluster_centers_) > count:
        # Ward's method joins them, and needs memory for two copies of their distances.
        _memory.require("TableDC", 8 * len(birch.subcluster_centers_) ** 2, max_memory)
        birch.set_params(n_clusters=count).partial_fit()
    labels = birch.predict(points)
    means = [points[labels == label].mean(axis=0) for label in np.unique(labels)]
    drawn = random.choice(len(points), size=count - len(means), replace=False)
    return np.concatenate([means, points[drawn]])
