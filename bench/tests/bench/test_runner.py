"""Runs that are interrupted, crash, hang or grow, with real processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import PATIENCE

from phida_bench import records, runner
from phida_bench.evaluation import evaluate
from phida_bench.records import Trial
from phida_bench.runner import Limits, missing, seeds_for
from phida_bench.worker import Job, Surroundings

PLUGIN = Path(__file__).parent / "plugin_methods.py"


def jobs(*methods, seeds=1):
    return [Job(Trial("stationary", "iris", method, seed), {}) for method in methods for seed in range(seeds)]


def run(todo, out, *, workers=1, memory=None, **limits):
    told = []
    surroundings = Surroundings(out, None, (PLUGIN,), memory)
    runner.run(todo, surroundings, workers, Limits(**limits), lambda *news: told.append(news))
    return told


def test_failed_trial_is_recorded_with_reason_and_others_run(tmp_path):
    todo = jobs("Raises", "Dies", "Declines", "Careless", "Short", "Nearest")
    told = run(todo, tmp_path)
    found = {job.trial.method: records.read(job.trial, tmp_path) for job in todo}
    assert {name: record.status for name, record in found.items()} == {
        "Raises": "failed", "Dies": "failed", "Declines": "declined", "Careless": "ok", "Short": "failed",
        "Nearest": "ok",
    }  # fmt: skip
    assert found["Raises"].reason == "RuntimeError: on purpose"
    assert found["Dies"].reason == "the process ended with code 7"
    assert found["Declines"].reason == "not for this data"
    assert "labels must be 150 integers" in found["Short"].reason
    assert {(trial.method, status) for trial, status, _ in told} == {(n, r.status) for n, r in found.items()}


def test_deterministic_method_gets_rows_in_file_order(tmp_path):
    run(jobs("ByPosition", "ByPositionShuffled"), tmp_path)
    found = evaluate(tmp_path).set_index("method")["ari"]
    assert found["ByPosition"] == 1.0 and found["ByPositionShuffled"] < 0.1
    made = [Job(Trial("stationary", "iris", "ByPosition", 0), {}, shuffled=shuffled) for shuffled in (False, True)]
    assert missing(made, tmp_path) == made[1:]  # a record with another order does not count


def test_hanging_trial_is_ended_and_its_other_seeds_are_not_run(tmp_path):
    run(jobs("Sleeps", seeds=5) + jobs("Nearest"), tmp_path, timeout=3.0)
    for seed in range(5):
        record = records.read(Trial("stationary", "iris", "Sleeps", seed), tmp_path)
        assert record.status == "timeout" and "exceeded 3 s" in record.reason
    assert records.read(Trial("stationary", "iris", "Nearest", 0), tmp_path).ok


def test_trial_over_its_memory_limit_is_ended(tmp_path):
    run(jobs("Grows"), tmp_path, memory=500 * 2**20, timeout=120.0)
    record = records.read(Trial("stationary", "iris", "Grows", 0), tmp_path)
    assert record.status == "memory" and "GiB allowed" in record.reason


def test_only_missing_trials_are_run(tmp_path):
    todo = jobs("Nearest", "Raises", seeds=2)
    run(todo, tmp_path)
    assert missing(todo, tmp_path) == []
    assert {job.trial.method for job in missing(todo, tmp_path, retry=True)} == {"Raises"}
    other = [Job(job.trial, {"lam": 3}) for job in todo]
    assert len(missing(other, tmp_path)) == 4
    digest = records.read(todo[0].trial, tmp_path).digest
    assert missing(todo, tmp_path, {"iris": digest}) == []
    assert {job.trial.method for job in missing(todo, tmp_path, {"iris": "another copy"})} == {"Nearest"}
    path = todo[0].trial.path(tmp_path)
    path.write_bytes(path.read_bytes()[:50])
    assert missing(todo, tmp_path) == [todo[0]]


def test_slow_methods_get_fewer_seeds():
    assert [seeds_for(seconds) for seconds in (0.1, 4.9, 5, 59, 60, 500)] == [30, 30, 10, 10, 3, 3]


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT])
def test_killed_run_is_resumed(tmp_path, signal_number):
    command = [
        sys.executable, "-m", "phida_bench.cli", "run", "--methods", "Slow", "--plugin", str(PLUGIN),
        "--datasets", "iris", "--settings", "stationary", "--seeds", "12", "--out", str(tmp_path),
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    deadline = time.monotonic() + PATIENCE
    while len(list(records.trials(tmp_path))) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal_number)
    _, notes = process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if signal_number == signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in notes
    kept = {trial: trial.path(tmp_path).stat().st_mtime_ns for trial in records.trials(tmp_path)}
    assert 3 <= len(kept) < 12
    assert all(records.read(trial, tmp_path).ok for trial in kept)
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    assert len(list(records.trials(tmp_path))) == 12
    assert all(trial.path(tmp_path).stat().st_mtime_ns == stamp for trial, stamp in kept.items())


def test_only_old_fragments_are_removed(tmp_path):
    folder = tmp_path / "stationary" / "iris" / "Nearest"
    folder.mkdir(parents=True)
    fresh, old = folder / ".a.part", folder / ".b.part"
    fresh.touch()
    old.touch()
    os.utime(old, (0, 0))
    run(jobs("Nearest"), tmp_path)
    assert fresh.exists() and not old.exists()
