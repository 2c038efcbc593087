"""Losses and gradients against float64 NumPy and finite differences."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason='needs JAX: pip install "./bench[deep]"')

from data import blobs  # noqa: E402
from systems_deep import plain  # noqa: E402

from phida_bench.systems import _autoencoder, _g_ceals_training, _tabledc_training  # noqa: E402

X = blobs(30, d=4, spread=1.0)
SHARPNESS = 40.0


def in_float64(tree):
    return jax.tree.map(lambda x: np.asarray(x, dtype=np.float64), tree)


def random_like(tree, seed):
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda x: rng.normal(size=x.shape), tree)


def dot(first, second):
    return sum(np.vdot(a, b) for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second)))


@pytest.fixture
def network():
    return _autoencoder.autoencoder(np.random.RandomState(0), (4, 6, 5, 3))


@pytest.fixture
def tabledc(network):
    return _tabledc_training.Model(network, jax.numpy.asarray(blobs(5, d=3, spread=0.1, seed=1), dtype="float32"))


@pytest.fixture
def g_ceals(network):
    model, _ = _g_ceals_training.start(
        np.random.RandomState(7), network, blobs(5, d=3, spread=0.1, seed=1).astype(np.float32)
    )
    return model._replace(
        spreads=model.spreads + 0.3 * np.random.default_rng(2).normal(size=model.spreads.shape).astype(np.float32)
    )


def test_affinities(tabledc):
    points = blobs(10, d=3).astype(np.float32)
    q = _tabledc_training.affinities(points, tabledc.centres, SHARPNESS)
    np.testing.assert_allclose(q, plain.cauchy(points, tabledc.centres), rtol=1e-5)


def test_targets_exclude_padding():
    q = np.random.default_rng(0).uniform(0.01, 1, size=(12, 3)).astype(np.float32)
    real = (np.arange(12) < 10).astype(np.float32)
    p = _tabledc_training.targets(q.reshape(2, 6, 3), real.reshape(2, 6)).reshape(12, 3)
    np.testing.assert_allclose(p[:10], plain.sharpened(q[:10].astype(np.float64)), rtol=1e-5)


def test_targets_of_far_rows_are_finite():
    q = np.array([[[1e-25, 2e-25], [0.5, 0.5]]], dtype=np.float32)
    p = _tabledc_training.targets(q, np.ones((1, 2), dtype=np.float32))
    np.testing.assert_allclose(p[0], [[0.2, 0.8], [0.5, 0.5]], rtol=1e-5)


def tabledc_loss(model, rows, p):
    return _tabledc_training.losses(model, rows, p, SHARPNESS, 0.9).mean()


def test_loss_of_tabledc_and_its_gradient(tabledc):
    rows = X.astype(np.float32)
    model = in_float64(tabledc)
    target = plain.sharpened(plain.cauchy(plain.network(model[0][0], X), model[1]))
    loss, gradient = jax.value_and_grad(tabledc_loss)(tabledc, rows, target.astype(np.float32))
    assert loss == pytest.approx(plain.tabledc(model, X, target), rel=1e-4)
    for seed in range(5):
        direction = random_like(model, seed)
        slope = plain.slope(lambda m: plain.tabledc(m, X, target), model, direction, jax.tree.map)
        assert dot(gradient, direction) == pytest.approx(slope, rel=2e-3, abs=2e-3)


def test_loss_of_g_ceals_and_its_gradient(g_ceals):
    rows = X.astype(np.float32)
    model = in_float64(g_ceals)
    weights = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    loss, gradient = jax.value_and_grad(_g_ceals_training.loss)(g_ceals, rows, weights.astype(np.float32), 0.1)
    assert loss == pytest.approx(plain.g_ceals(model, X, weights), rel=1e-4)
    for seed in range(5):
        direction = random_like(model, seed)
        slope = plain.slope(lambda m: plain.g_ceals(m, X, weights), model, direction, jax.tree.map)
        assert dot(gradient, direction) == pytest.approx(slope, rel=2e-3, abs=2e-3)


def test_covariances_start_at_the_identity(network):
    model, _ = _g_ceals_training.start(np.random.RandomState(0), network, np.zeros((4, 3), dtype=np.float32))
    np.testing.assert_allclose(jax.nn.softplus(model.spreads), 1, rtol=1e-6)


def test_assignment_of_all_rows(g_ceals, monkeypatch):
    monkeypatch.setattr(_autoencoder, "BLOCK_ROWS", 8)
    data = _autoencoder.blocks(X)
    labels, shares = _g_ceals_training.assign(g_ceals, data)
    model = in_float64(g_ceals)
    p = plain.gaussian(plain.network(model[0][0], X), model[1], model[2])
    np.testing.assert_array_equal(_autoencoder.unblocked(labels, len(X)), p.argmax(axis=1))
    np.testing.assert_allclose(shares, p.mean(axis=0), rtol=1e-5)


def test_gradients_are_finite_for_a_row_on_a_centre(tabledc, g_ceals):
    rows = X[:5].astype(np.float32)
    points = _autoencoder.forward(tabledc.network.encoder, rows)
    uniform = np.full((5, 5), 0.2, dtype=np.float32)
    for gradient in (
        jax.grad(tabledc_loss)(tabledc._replace(centres=points), rows, uniform),
        jax.grad(_g_ceals_training.loss)(g_ceals._replace(means=points), rows, uniform[0], 0.1),
    ):
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_one_epoch_of_tabledc_is_the_same_in_one_block_and_in_many(tabledc, monkeypatch):
    moments = _autoencoder.adam(tabledc)
    whole, _ = _tabledc_training.epoch(tabledc, moments, _autoencoder.blocks(X), SHARPNESS, 0.9, 0.1)
    monkeypatch.setattr(_autoencoder, "BLOCK_ROWS", 7)
    pieces, _ = _tabledc_training.epoch(tabledc, moments, _autoencoder.blocks(X), SHARPNESS, 0.9, 0.1)
    for first, second in zip(jax.tree.leaves(whole), jax.tree.leaves(pieces)):
        np.testing.assert_allclose(first, second, atol=1e-3)
