"""The clustering stage of G-CEALS: Gaussian clusters in the embedding teach a head that classifies it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phida_bench.systems._autoencoder import (
    Adam,
    Autoencoder,
    Blocks,
    Layer,
    adam,
    descend,
    embed,
    forward,
    stack,
)
from phida_bench.systems._jax import jax, jnp

#: Keeps the root's gradient finite if a row equals a mean.
TINY = 1e-12


class Model(NamedTuple):
    """The parameters that the clustering stage trains."""

    network: Autoencoder
    means: jax.Array  #: μ, one row for each cluster
    spreads: jax.Array  #: v, whose softplus is the diagonal of the covariance Σ
    head: list[Layer]


def start(random: np.random.RandomState, network: Autoencoder, means: NDArray[np.float32]) -> tuple[Model, Adam]:
    """Return clusters with the given means and the identity as covariance, before the first step."""
    count, width = means.shape
    spreads = np.full(means.shape, np.log(np.expm1(1.0)), dtype=np.float32)
    model = Model(network, means, spreads, stack(random, (width, width, count)))
    return model, adam(model)


def responsibilities(model: Model, embedded: jax.Array) -> jax.Array:
    """Share of each cluster in each row (p): softmax of minus the Mahalanobis distance, not its square."""
    squares = ((embedded[:, None, :] - model.means) ** 2 / jax.nn.softplus(model.spreads)).sum(axis=2)
    return jax.nn.softmax(-jnp.sqrt(squares + TINY))


def loss(model: Model, rows: jax.Array, cluster_weights: jax.Array, gamma: float) -> jax.Array:
    """Reconstruction error, and cross-entropy of the head against p·ω; the gradient flows through both sides."""
    embedded = forward(model.network.encoder, rows)
    target = responsibilities(model, embedded) * cluster_weights
    cross_entropy = -(target * jax.nn.log_softmax(forward(model.head, embedded))).sum(axis=1).mean()
    return ((forward(model.network.decoder, embedded) - rows) ** 2).mean() + gamma * cross_entropy


@jax.jit
def assign(model: Model, data: Blocks) -> tuple[jax.Array, jax.Array]:
    """Return the cluster of every row, computed block by block, and the mean share of every cluster (ω)."""
    p = jax.lax.map(lambda embedded: responsibilities(model, embedded), embed(model.network, data))
    return p.argmax(axis=2), (p * data.real[..., None]).sum(axis=(0, 1)) / data.real.sum()


@jax.jit
def step(
    model: Model, moments: Adam, rows: jax.Array, cluster_weights: jax.Array, gamma: float, rate: float
) -> tuple[Model, Adam]:
    """Take one step of Adam on a balanced batch."""
    moved: tuple[Model, Adam] = descend(model, jax.grad(loss)(model, rows, cluster_weights, gamma), moments, rate)
    return moved
