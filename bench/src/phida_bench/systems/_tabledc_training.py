"""The clustering stage of TableDC: Cauchy affinities to centres, sharpened together with the embedding."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from phida_bench.systems._autoencoder import (
    Adam,
    Autoencoder,
    Blocks,
    adam,
    descend,
    embed,
    forward,
    reconstruction_errors,
)
from phida_bench.systems._jax import jax, jnp

#: Keeps the root's gradient finite if a row equals a centre.
TINY = 1e-12


class Model(NamedTuple):
    """The parameters that the clustering stage trains."""

    network: Autoencoder
    centres: jax.Array


def start(network: Autoencoder, centres: NDArray[np.float32]) -> tuple[Model, Adam]:
    """Return the parameters before the first step."""
    model = Model(network, centres)
    return model, adam(model)


def affinities(embedded: jax.Array, centres: jax.Array, sharpness: float) -> jax.Array:
    """Cauchy affinity of each row to each centre (q), from the distance and not from its square."""
    squares = ((embedded[:, None, :] - centres) ** 2).sum(axis=2)
    return 1 / (1 + sharpness * jnp.sqrt(squares + TINY))


def targets(q: jax.Array, real: jax.Array) -> jax.Array:
    """Affinities squared and divided by their sums over all rows, normalised for each row (p)."""
    # Division by a row's largest keeps squares from underflow.
    weights = (q / q.max(axis=-1, keepdims=True)) ** 2 / (q * real[..., None]).sum(axis=(0, 1))
    return weights / weights.sum(axis=-1, keepdims=True)


def losses(model: Model, rows: jax.Array, p: jax.Array, sharpness: float, clustering_weight: float) -> jax.Array:
    """Loss of each row: the divergence of p from the softmax of q, and the reconstruction error."""
    q = affinities(forward(model.network.encoder, rows), model.centres, sharpness)
    divergence = (jax.scipy.special.xlogy(p, p) - p * jax.nn.log_softmax(q)).sum(axis=1)
    return clustering_weight * divergence + reconstruction_errors(model.network, rows)


@jax.jit
def all_affinities(model: Model, data: Blocks, sharpness: float) -> jax.Array:
    """Return the affinities of all rows, computed block by block."""
    return jax.lax.map(lambda embedded: affinities(embedded, model.centres, sharpness), embed(model.network, data))


@jax.jit
def epoch(
    model: Model, moments: Adam, data: Blocks, sharpness: float, clustering_weight: float, rate: float
) -> tuple[Model, Adam]:
    """Take one step on the mean loss of all rows, with the gradient summed over blocks."""
    p = targets(all_affinities(model, data, sharpness), data.real)

    def add(total: Model, block: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[Model, None]:
        rows, real, p = block
        gradient = jax.grad(lambda model: (real * losses(model, rows, p, sharpness, clustering_weight)).sum())(model)
        return jax.tree.map(jnp.add, total, gradient), None

    start = jax.tree.map(jnp.zeros_like, model)
    total, _ = jax.lax.scan(add, start, (data.rows, data.real, p))
    gradient = jax.tree.map(lambda g: g / data.real.sum(), total)
    moved: tuple[Model, Adam] = descend(model, gradient, moments, rate)
    return moved
