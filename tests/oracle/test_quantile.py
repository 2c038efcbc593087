"""Hazen quantiles."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle.quantile import hazen
from phida import _core

finite = st.floats(-1e140, 1e140) | st.integers(-3, 3).map(float)


@given(st.lists(finite, min_size=1, max_size=60), st.floats(0, 1))
def test_quantile_equals_oracle(values, q):
    np.testing.assert_allclose(_core.hazen_quantile(np.array(values), q), hazen(values, q), rtol=1e-12, atol=1e-300)


@given(st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=60), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_quartiles_of_integers_are_exact(values, q):
    assert _core.hazen_quantile(np.array(values), q) == hazen(values, q)
