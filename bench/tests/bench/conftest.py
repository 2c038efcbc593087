"""One small run for the tests that read records."""

from pathlib import Path

import pytest

pytest.importorskip("scikit_posthocs", reason="the benchmark needs pip install ./bench")

PLUGIN = Path(__file__).parent / "plugin_methods.py"


@pytest.fixture(scope="session")
def small_run(tmp_path_factory):
    """Records of two methods on two data sets, three seeds, both settings."""
    from phida_bench import plan, runner
    from phida_bench.datasets import entry
    from phida_bench.methods import method
    from phida_bench.protocol import SETTINGS
    from phida_bench.worker import Surroundings

    out = tmp_path_factory.mktemp("records")
    chosen = [method(name) for name in ("PHIDA", "noPH", "IDA+Ward")]
    jobs = plan.jobs(chosen, [entry("iris"), entry("phoneme")], SETTINGS, 3, out)
    runner.run(jobs, Surroundings(out), 2, runner.Limits(), lambda trial, status, reason: None)
    return out
