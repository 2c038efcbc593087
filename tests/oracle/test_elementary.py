"""Portable log, exp and pow, compared with fifty digits."""

from decimal import Decimal, getcontext
from math import ulp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracle.hierarchy import minimum_clusters
from phida import _core

getcontext().prec = 50

positive = st.floats(2.3e-308, 1.7e308) | st.floats(0.5, 2.0) | st.integers(1, 10**6).map(float)


def error_in_ulps(found, exact):
    return abs(Decimal(found) - exact) / Decimal(ulp(float(exact)))


@given(positive)
def test_log_is_within_its_error_bound(x):
    assert error_in_ulps(_core.log(x), Decimal(x).ln()) < Decimal("0.53")


@given(st.floats(-699, 699))
def test_exp_is_within_its_error_bound(x):
    assert error_in_ulps(_core.exp(x), Decimal(x).exp()) < Decimal("1.0")


@given(st.floats(1e-9, 1e9), st.floats(0, 1))
def test_pow_is_within_its_error_bound(base, exponent):
    log = Decimal(base).ln() * Decimal(exponent)
    exact = log.exp()
    # The rounded logarithm is multiplied by the exponent, so the error grows with it.
    assert abs(Decimal(_core.pow(base, exponent)) - exact) <= Decimal("4e-16") * (5 + abs(log)) * exact


@pytest.mark.parametrize("k", [-1000, -52, -1, 0, 1, 2, 10, 1000])
def test_logs_of_powers_of_two_are_exact_multiples(k):
    """Ties between persistence gaps need this: log 4 - log 2 equals log 2 to the bit."""
    assert _core.log(2.0**k) == k * _core.log(2.0) or abs(k) > 2
    assert error_in_ulps(_core.log(2.0**k), Decimal(2).ln() * k) <= Decimal("0.5")


def test_special_values_are_exact():
    assert (_core.log(1.0), _core.exp(0.0), _core.pow(7.0, 0.0), _core.pow(1.0, 0.37)) == (0.0, 1.0, 1.0, 1.0)


def test_pow_of_extremes_is_finite_and_positive():
    for base in (5e-324, 1e-300, 1e300):
        assert 0 < _core.pow(base, 1.0) < np.inf


@given(st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=40))
def test_entropy_count_equals_oracle(masses):
    masses = np.array(masses)
    p = masses / masses.sum()
    found = _core.entropy_count(masses)
    np.testing.assert_allclose(found, np.exp(-np.sum(p * np.log(p))), rtol=1e-12)
    assert min(max(int(np.ceil(found)), 1), len(masses)) == minimum_clusters(masses)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100])
def test_entropy_count_of_equal_masses_is_their_number(n):
    np.testing.assert_allclose(_core.entropy_count(np.full(n, 3.7)), n, rtol=1e-13)
