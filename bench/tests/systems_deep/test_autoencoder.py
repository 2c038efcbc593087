import numpy as np
import pytest

jax = pytest.importorskip("jax", reason='needs JAX: pip install "./bench[deep]"')

from data import blobs  # noqa: E402
from systems_deep import plain  # noqa: E402

from phida_bench.systems import _autoencoder  # noqa: E402

X = blobs(50, d=4, spread=1.0)


def test_shapes_and_range_of_the_first_weights():
    network = _autoencoder.autoencoder(np.random.RandomState(0), (4, 100, 3))
    assert [layer.weights.shape for layer in network.encoder] == [(4, 100), (100, 3)]
    assert [layer.weights.shape for layer in network.decoder] == [(3, 100), (100, 4)]
    for layer in network.encoder + network.decoder:
        limit = len(layer.weights) ** -0.5
        assert 0.8 * limit < np.abs(layer.weights).max() <= limit
        assert np.abs(layer.bias).max() <= limit
        assert layer.weights.dtype == layer.bias.dtype == np.float32


def test_forward():
    layers = _autoencoder.stack(np.random.RandomState(1), (4, 8, 7, 3))
    np.testing.assert_allclose(_autoencoder.forward(layers, X.astype(np.float32)), plain.network(layers, X), atol=1e-5)


def test_adam_equals_its_formula():
    rng = np.random.default_rng(0)
    x, m, v = rng.normal(size=3), np.zeros(3), np.zeros(3)
    parameters, moments = [x.astype(np.float32)], _autoencoder.adam([x.astype(np.float32)])
    for t in range(1, 6):
        g = rng.normal(size=3)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        x = x - 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        parameters, moments = _autoencoder.descend(parameters, [g.astype(np.float32)], moments, 0.05)
    np.testing.assert_allclose(parameters[0], x, rtol=1e-4)


@pytest.mark.parametrize(("n", "size", "shape"), [(50, 4096, (1, 50)), (50, 20, (3, 17)), (50, 25, (2, 25))])
def test_blocks_have_every_row_once(n, size, shape, monkeypatch):
    monkeypatch.setattr(_autoencoder, "BLOCK_ROWS", size)
    data = _autoencoder.blocks(X)
    assert data.rows.shape == (*shape, 4)
    assert data.real.sum() == n
    np.testing.assert_allclose(_autoencoder.unblocked(data.rows, n), X, rtol=1e-6)


def test_one_batch_of_all_rows_descends_their_mean_error():
    network = _autoencoder.autoencoder(np.random.RandomState(0), (4, 6, 3))
    trained = _autoencoder.pretrained(np.random.RandomState(1), network, X, epochs=1, batch_size=999, rate=0.01)

    def loss(network):
        return _autoencoder.reconstruction_errors(network, X.astype(np.float32)).mean()

    expected, _ = _autoencoder.descend(network, jax.grad(loss)(network), _autoencoder.adam(network), 0.01)
    for first, second in zip(jax.tree.leaves(trained), jax.tree.leaves(expected)):
        np.testing.assert_allclose(first, second, atol=1e-4)


def test_pretraining_lowers_the_error_and_zero_epochs_keep_the_network():
    network = _autoencoder.autoencoder(np.random.RandomState(0), (4, 30, 3))
    rows = X.astype(np.float32)
    errors = [
        _autoencoder.reconstruction_errors(
            _autoencoder.pretrained(np.random.RandomState(1), network, X, epochs=epochs, batch_size=16, rate=0.01), rows
        ).mean()
        for epochs in (0, 30)
    ]
    assert errors[0] == _autoencoder.reconstruction_errors(network, rows).mean()
    assert errors[1] < 0.3 * errors[0]
