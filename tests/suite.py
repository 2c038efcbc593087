"""Settings of all tests, also in bench/tests: Hypothesis profile, failures shown at once, SIMD level restored."""

import signal

import pytest
from hypothesis import HealthCheck, settings

from phida import _core

# Derandomised: a failure is the same on every machine and in every run. No deadline, since machines differ.
settings.register_profile(
    "phida",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("phida")


class FailuresAtOnce:
    """Show each failure when it happens: a run that is killed before its summary still names its failed tests."""

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


@pytest.hookimpl(trylast=True)  # the terminal reporter is created in the same hook
def pytest_configure(config):
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    # xdist workers send their reports to the main process; one run may be of both suites
    if terminal is not None and not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin("at once"):
        config.pluginmanager.register(FailuresAtOnce(terminal), "at once")


@pytest.fixture
def use_simd_level():
    """Return a function that switches the instruction set; the earlier one is restored after the test."""
    before = _core.simd_level()
    yield _core.use_simd_level
    _core.use_simd_level(before)


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_counts():
    """Make Ctrl-C work: a job started by a shell in the background ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
