"""Recalculation of interval and vigilance."""

import numpy as np
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.transform import adaptive_transform
from oracle.vigilance import recalculate
from phida import _core


def both(samples, transform, interval, threshold, ratio, count, n_nodes, max_scale):
    oracle = recalculate(samples, transform, interval, threshold, ratio, count, n_nodes, max_scale)
    inverse = None if transform.gamma == 0 else 1.0 / transform.denominator
    alpha = 1.0 / max(max_scale, 1e-12)
    native = _core.recalculate_vigilance(samples, inverse, interval, threshold, ratio, count / n_nodes, alpha)
    return native, oracle


def assert_vigilance(native, oracle):
    assert native[0] == oracle.interval
    np.testing.assert_allclose(native[1:], [oracle.vigilance, oracle.ratio], rtol=1e-9, atol=1e-12)


cases = st.tuples(
    st.integers(2, 40),  # interval
    st.floats(0, 1),  # vigilance
    st.floats(0, 1),  # ratio
    st.integers(1, 10),  # clusters
    st.integers(10, 30),  # nodes
    st.sampled_from([0.0, 1e-3, 0.1, 1.0, 30.0]),  # largest scale
)


@settings(max_examples=120)
@given(strategies.rows(strategies.continuous_kinds | strategies.exact_kinds, n=(2, 90)), cases)
def test_vigilance_equals_oracle(samples, case):
    assert_vigilance(*both(samples, adaptive_transform(samples), *case))


def outcome(samples, interval, max_scale=1.0):
    transform = adaptive_transform(samples)
    native, oracle = both(samples, transform, interval, 0.5, 0.3, 2, 10, max_scale)
    assert_vigilance(native, oracle)
    return native


def test_stable_windows_double_the_interval():
    samples = 1e6 * np.random.default_rng(0).normal(size=(40, 3))
    assert outcome(samples, 20)[0] == 40


def test_unstable_window_shrinks_the_interval():
    samples = 1e6 * np.random.default_rng(0).normal(size=(40, 3))
    samples[-6] = samples[-1]
    assert outcome(samples, 20)[0] == 5


def test_unstable_window_stops_the_growth():
    samples = 1e6 * np.random.default_rng(0).normal(size=(40, 3))
    samples[-30] = samples[-1]
    # Lengths 21, 22, 24 and 28 are tested and stable; the next, 36, is not stable.
    assert outcome(samples, 20)[0] == 28


def test_equal_samples_change_nothing():
    assert outcome(np.ones((40, 2)), 20) == (20, 0.5, 0.3)


def test_too_few_samples_to_grow_change_nothing():
    assert outcome(1e6 * np.random.default_rng(0).normal(size=(10, 3)), 10) == (10, 0.5, 0.3)
