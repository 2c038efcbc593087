"""What every test shares: one Hypothesis profile, and the SIMD level put back after a test changes it."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from phida import _core

# Derandomised, so that a failure is the same on every machine and in every run; no deadline, since machines differ.
settings.register_profile(
    "phida",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("phida")


@pytest.fixture
def use_simd_level():
    """A function that switches the instruction set; the one in use before comes back afterwards."""
    before = _core.simd_level()
    yield _core.use_simd_level
    _core.use_simd_level(before)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts():
    """A job that a shell started in the background ignores Ctrl-C; the tests that press it need it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
