"""A dense autoencoder, Adam, and pre-training by reconstruction: what the deep methods share. Float32 throughout."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from phida.baselines._jax import jax, jnp

#: Rows that pass through a network at once, whatever the number of rows.
BLOCK = 4096

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
    """Running moments of the gradient, and how many steps they have seen."""

    first: Parameters
    second: Parameters
    steps: jax.Array


class Blocks(NamedTuple):
    """Rows in pieces of one shape, so that one compilation serves them all; the last is padded with zeros."""

    rows: jax.Array  #: (number of blocks, rows of a block, features)
    real: jax.Array  #: 1 for a row, 0 for padding


def stack(key: jax.Array, sizes: Sequence[int]) -> list[Layer]:
    """Layers between the given sizes, uniform within one over the root of their inputs."""
    layers = []
    for layer_key, inputs, outputs in zip(jax.random.split(key, len(sizes) - 1), sizes, sizes[1:], strict=False):
        weights_key, bias_key = jax.random.split(layer_key)
        uniform = partial(jax.random.uniform, dtype=jnp.float32, minval=-(inputs**-0.5), maxval=inputs**-0.5)
        layers.append(Layer(uniform(weights_key, (inputs, outputs)), uniform(bias_key, (outputs,))))
    return layers


def autoencoder(key: jax.Array, sizes: Sequence[int]) -> Autoencoder:
    """An encoder through the given sizes, and a decoder through the same ones backwards."""
    encoder_key, decoder_key = jax.random.split(key)
    return Autoencoder(stack(encoder_key, sizes), stack(decoder_key, sizes[::-1]))


def forward(layers: list[Layer], rows: jax.Array) -> jax.Array:
    """Pass through a stack, rectified between its layers and linear at its end."""
    for layer in layers[:-1]:
        rows = jax.nn.relu(rows @ layer.weights + layer.bias)
    return rows @ layers[-1].weights + layers[-1].bias


def adam(parameters: Parameters) -> Adam:
    """Before the first step."""
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return Adam(zeros, zeros, jnp.zeros((), jnp.float32))


def descend(parameters: Parameters, gradient: Parameters, moments: Adam, rate: float) -> tuple[Parameters, Adam]:
    """One step of Adam, with its usual constants (0.9, 0.999, 1e-8)."""
    steps = moments.steps + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, moments.second, gradient)
    grown, spread = 1 - 0.9**steps, 1 - 0.999**steps
    moved = jax.tree.map(
        lambda x, m, v: x - rate * (m / grown) / (jnp.sqrt(v / spread) + 1e-8), parameters, first, second
    )
    return moved, Adam(first, second, steps)


def blocks(X: NDArray[np.float64]) -> Blocks:
    """The rows in as few blocks as ``BLOCK`` allows."""
    count = ceil(len(X) / BLOCK)
    size = ceil(len(X) / count)
    padded = np.zeros((count * size, X.shape[1]), dtype=np.float32)
    padded[: len(X)] = X
    real = (np.arange(count * size) < len(X)).astype(np.float32)
    return Blocks(jnp.asarray(padded.reshape(count, size, -1)), jnp.asarray(real.reshape(count, size)))


@jax.jit
def embed(network: Autoencoder, data: Blocks) -> jax.Array:
    """The embedding of the rows, block by block."""
    return jax.lax.map(lambda rows: forward(network.encoder, rows), data.rows)


def unblocked(values: jax.Array, n_rows: int) -> NDArray[Any]:
    """What was worked out for each row of the blocks, without the padding."""
    return np.asarray(values).reshape(-1, *values.shape[2:])[:n_rows]


def pretrained(
    key: jax.Array, network: Autoencoder, X: NDArray[np.float64], *, epochs: int, batch_size: int, rate: float
) -> Autoencoder:
    """Train an autoencoder to reconstruct the rows, in shuffled mini-batches."""
    rows = jnp.asarray(X, dtype=jnp.float32)
    moments = adam(network)
    for epoch_key in jax.random.split(key, epochs):
        network, moments = _epoch(epoch_key, network, moments, rows, min(batch_size, len(rows)), rate)
    return network


def reconstruction_errors(network: Autoencoder, rows: jax.Array) -> jax.Array:
    """Mean squared error of each row."""
    return ((forward(network.decoder, forward(network.encoder, rows)) - rows) ** 2).mean(axis=1)


@partial(jax.jit, static_argnums=4)
def _epoch(
    key: jax.Array, network: Autoencoder, moments: Adam, rows: jax.Array, batch_size: int, rate: float
) -> tuple[Autoencoder, Adam]:
    """One pass over the rows in random order. The last batch is filled up with row 0, which does not count there."""
    count = ceil(len(rows) / batch_size)
    padding = count * batch_size - len(rows)
    order = jnp.pad(jax.random.permutation(key, len(rows)), (0, padding)).reshape(count, batch_size)
    real = (jnp.arange(count * batch_size) < len(rows)).reshape(count, batch_size)

    def step(state: tuple[Autoencoder, Adam], batch: tuple[jax.Array, jax.Array]) -> tuple[Any, None]:
        network, moments = state
        indices, counts = batch

        def loss(network: Autoencoder) -> jax.Array:
            return jnp.mean(reconstruction_errors(network, rows[indices]), where=counts)

        return descend(network, jax.grad(loss)(network), moments, rate), None

    return jax.lax.scan(step, (network, moments), (order, real))[0]
