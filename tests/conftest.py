"""What every test shares: one Hypothesis profile, failures shown at once, the SIMD level put back after a change."""

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


class FailuresAtOnce:
    """Shows each failure when it happens: a run that is cut off before its summary still names its failed tests."""

    def __init__(self, terminal):
        self._terminal = terminal

    def pytest_runtest_logreport(self, report):
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = report.longreprtext if crash is None else f"{crash.path}:{crash.lineno}: {crash.message}"
            self._terminal.ensure_newline()
            self._terminal.write_line(f"FAILED {report.nodeid} ({report.when}): {reason}", red=True)
            self._terminal.flush()

    pytest_collectreport = pytest_runtest_logreport


@pytest.hookimpl(trylast=True)  # the terminal is made in the same hook
def pytest_configure(config):
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):  # xdist passes the reports of its workers on
        config.pluginmanager.register(FailuresAtOnce(terminal), "failures at once")


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
