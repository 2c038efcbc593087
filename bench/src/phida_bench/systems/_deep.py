"""Base class of the methods that cluster an autoencoder's embedding."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from phida_bench.systems._batch import BatchClusterer

if TYPE_CHECKING:
    from phida_bench.systems._autoencoder import Autoencoder, Blocks


class Embedding(NamedTuple):
    """A pre-trained network and its embedding of the rows."""

    network: Autoencoder
    data: Blocks  #: the scaled rows
    points: NDArray[np.float32]  #: embedding of each row


class DeepClusterer(BatchClusterer):
    """A clusterer that is given the number of clusters. It needs JAX, which ``fit`` imports."""

    n_clusters: int
    pretrain_epochs: int
    batch_size: int
    learning_rate: float
    latent_size: int

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "pretrain_epochs": [Interval(Integral, 0, None, closed="left")],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "latent_size": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _count(self) -> int:
        """Return the given number of clusters; some may be empty."""
        return self.n_clusters

    def _embed(
        self, samples: NDArray[np.float64], hidden_sizes: tuple[int, ...], random: np.random.RandomState
    ) -> Embedding:
        """Pre-train an autoencoder and embed the rows."""
        from phida_bench.systems import _autoencoder

        if len(samples) < self.n_clusters:
            raise ValueError(f"n_samples={len(samples)} should be >= n_clusters={self.n_clusters}.")
        network = _autoencoder.pretrained(
            random,
            _autoencoder.autoencoder(random, (samples.shape[1], *hidden_sizes, self.latent_size)),
            samples,
            epochs=self.pretrain_epochs,
            batch_size=self.batch_size,
            rate=self.learning_rate,
        )
        data = _autoencoder.blocks(samples)
        points = _autoencoder.unblocked(_autoencoder.embed(network, data), len(samples))
        require_finite(points)
        return Embedding(network, data, points)


def require_finite(trained: NDArray[np.float32]) -> None:
    """Raise an error if training diverged to values that are not finite."""
    if not np.isfinite(trained).all():
        raise ValueError("Training diverged: what the network makes of X is not finite. Rescale the features.")
