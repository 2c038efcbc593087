"""The adaptive feature transformation."""

import numpy as np
import strategies
from hypothesis import given, settings

from oracle.transform import adaptive_transform
from phida import _core


@settings(max_examples=120)
@given(strategies.rows(strategies.continuous_kinds | strategies.exact_kinds, d=(1, 20)))
def test_transform_equals_oracle(rows):
    native, oracle = _core.adaptive_transform(rows), adaptive_transform(rows)
    np.testing.assert_allclose(native["center"], oracle.center, rtol=1e-12)
    np.testing.assert_allclose(native["gamma"], oracle.gamma, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(1.0 / native["inverse"], oracle.denominator, rtol=1e-9)
    if native["gamma"] == 0:
        assert (native["inverse"] == 1).all()


def test_features_of_unequal_scale_are_normalised():
    rows = np.random.default_rng(0).normal(size=(50, 6)) * [1e-9, 1.0, 1.0, 1.0, 1.0, 1e9]
    assert _core.adaptive_transform(rows)["gamma"] > 0.5


def test_features_of_equal_scale_are_not_rescaled():
    rows = np.random.default_rng(0).normal(size=(50, 6))
    assert _core.adaptive_transform(rows)["gamma"] == 0.0
