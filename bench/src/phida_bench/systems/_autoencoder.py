"""A dense autoencoder, Adam, and pre-training by reconstruction, for the deep methods. Everything is float32."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phida_bench.systems._jax import jax, jnp

#: Maximum number of rows that pass through a network at once.
BLOCK_ROWS = 4096

Parameters = Any  # any tree of arrays


class Layer(NamedTuple):
    """An affine map."""

    weights: jax.Array
    bias: jax.Array


class Autoencoder(NamedTuple):
    """Two stacks of layers, from the rows to their embedding and back."""

    encoder: list[Layer]
    decoder: list[Layer]


class Adam(NamedTuple):
    """Running moments of the gradient, and their number of steps."""

    first: Parameters
    second: Parameters
    steps: jax.Array


class Blocks(NamedTuple):
    """Rows in blocks of one shape, which need one compilation; the last block is padded with zeros."""

    rows: jax.Array  #: (number of blocks, rows of a block, features)
    real: jax.Array  #: 1 for a row, 0 for padding


def stack(random: np.random.RandomState, sizes: Sequence[int]) -> list[Layer]:
    """Draw layers of the given sizes, with uniform weights up to one over the root of their number of inputs."""
    layers = []
    for inputs, outputs in pairwise(sizes):
        weights = random.uniform(-(inputs**-0.5), inputs**-0.5, size=(inputs + 1, outputs)).astype(np.float32)
        layers.append(Layer(weights[:-1], weights[-1]))
    return layers


def autoencoder(random: np.random.RandomState, sizes: Sequence[int]) -> Autoencoder:
    """Draw an encoder of the given sizes, and a decoder of the same sizes in reverse order."""
    return Autoencoder(stack(random, sizes), stack(random, sizes[::-1]))


def forward(layers: list[Layer], rows: jax.Array) -> jax.Array:
    """Pass through a stack, rectified between its layers and linear at its end."""
    for layer in layers[:-1]:
        rows = jax.nn.relu(rows @ layer.weights + layer.bias)
    return rows @ layers[-1].weights + layers[-1].bias


def adam(parameters: Parameters) -> Adam:
    """Return the moments before the first step."""
    zeros = jax.tree.map(np.zeros_like, parameters)
    return Adam(zeros, zeros, np.zeros((), np.float32))


def descend(parameters: Parameters, gradient: Parameters, moments: Adam, rate: float) -> tuple[Parameters, Adam]:
    """Take one step of Adam, with its usual constants (0.9, 0.999, 1e-8)."""
    steps = moments.steps + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments.second, gradient)
    grown, spread = 1 - 0.9**steps, 1 - 0.999**steps
    moved = jax.tree.map(
        lambda x, m, v: x - rate * (m / grown) / (jnp.sqrt(v / spread) + 1e-8), parameters, first, second
    )
    return moved, Adam(first, second, steps)


def blocks(X: NDArray[np.float64]) -> Blocks:
    """Divide rows into as few blocks as ``BLOCK_ROWS`` allows."""
    count = ceil(len(X) / BLOCK_ROWS)
    size = ceil(len(X) / count)
    padded = np.zeros((count * size, X.shape[1]), dtype=np.float32)
    padded[: len(X)] = X
    real = (np.arange(count * size) < len(X)).astype(np.float32)
    return Blocks(jnp.asarray(padded.reshape(count, size, -1)), jnp.asarray(real.reshape(count, size)))


@jax.jit
def embed(network: Autoencoder, data: Blocks) -> jax.Array:
    """Return the embedding of the rows, computed block by block."""
    return jax.lax.map(lambda rows: forward(network.encoder, rows), data.rows)


def unblocked(values: jax.Array, n_rows: int) -> NDArray[Any]:
    """Return the values of the blocks' rows, without the padding."""
    return np.asarray(values).reshape(-1, *values.shape[2:])[:n_rows]


def pretrained(
    random: np.random.RandomState,
    network: Autoencoder,
    X: NDArray[np.float64],
    *,
    epochs: int,
    batch_size: int,
    rate: float,
) -> Autoencoder:
    """Train an autoencoder to reconstruct the rows, in shuffled mini-batches."""
    rows = jnp.asarray(X, dtype=jnp.float32)
    moments = adam(network)
    size = min(batch_size, len(rows))
    count = ceil(len(rows) / size)
    # The last batch is padded with row 0, which does not count there.
    order = np.zeros(count * size, dtype=np.int32)
    real = (np.arange(count * size) < len(rows)).reshape(count, size)
    for _ in range(epochs):
        order[: len(rows)] = random.permutation(len(rows))
        network, moments = _epoch(network, moments, rows, order.reshape(count, size), real, rate)
    return network


def reconstruction_errors(network: Autoencoder, rows: jax.Array) -> jax.Array:
    """Mean squared error of each row."""
    return ((forward(network.decoder, forward(network.encoder, rows)) - rows) ** 2).mean(axis=1)


@jax.jit
def _epoch(
    network: Autoencoder, moments: Adam, rows: jax.Array, order: jax.Array, real: jax.Array, rate: float
) -> tuple[Autoencoder, Adam]:
    """Take one step on each batch, given as indices of rows and a mask of those that count."""

    def step(state: tuple[Autoencoder, Adam], batch: tuple[jax.Array, jax.Array]) -> tuple[Any, None]:
        network, moments = state
        indices, counts = batch

        def loss(network: Autoencoder) -> jax.Array:
            return jnp.mean(reconstruction_errors(network, rows[indices]), where=counts)

        return descend(network, jax.grad(loss)(network), moments, rate), None

    (network, moments), _ = jax.lax.scan(step, (network, moments), (order, real))
    return network, moments
