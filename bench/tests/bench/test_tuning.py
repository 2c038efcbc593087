"""Tuning: its choice, its files, and its end."""

import json

import pytest

from phida_bench import plan, tuning
from phida_bench.datasets import entry
from phida_bench.methods import method
from phida_bench.tuning import FIRST_SEED, Budget, Cell
from phida_bench.worker import Surroundings

pytest.importorskip("optuna", reason="tuning needs optuna")

CELL = Cell("GNG", "iris", "stationary")


def test_best_parameters_are_saved_and_used_by_runs(tmp_path):
    tuning.tune(CELL, Surroundings(tmp_path), Budget(trials=6, seeds=2))
    facts = json.loads(plan.tuned_path(tmp_path, "GNG", "iris", "stationary").read_text())
    assert facts["ari"] > 0.4 and facts["budget"] == {"trials": 6, "seeds": 2, "seconds": 600.0}
    assert facts["tried"] == 6 and facts["trial"] < 6
    jobs = list(plan.jobs([method("GNG")], [entry("iris")], ("stationary", "nonstationary"), 2, tmp_path))
    other = plan.packaged()["GNG", "iris", "nonstationary"]["parameters"]
    assert [job.parameters for job in jobs] == [facts["parameters"]] * 2 + [other] * 2
    outcomes = {(method, dataset, setting): outcome for method, dataset, setting, outcome in plan.all_tuned(tmp_path)}
    assert outcomes == plan.packaged() | {("GNG", "iris", "stationary"): facts}


def test_package_contains_tuned_parameters():
    for (name, dataset, setting), outcome in plan.packaged().items():
        assert method(name).space is not None and setting in method(name).settings and entry(dataset)
        assert set(outcome["parameters"]) == set(next(iter(method(name).starts)))
        assert outcome["budget"]["seeds"] == 3 and -1 <= outcome["ari"] <= 1


def test_the_same_budget_gives_the_same_parameters(tmp_path):
    for place in ("a", "b"):
        tuning.tune(CELL, Surroundings(tmp_path / place), Budget(trials=5, seeds=1))
    a, b = (plan.tuned(tmp_path / place, "GNG", "iris", "stationary") for place in ("a", "b"))
    assert a == b


def test_tuning_never_sees_the_reported_seeds(tmp_path, monkeypatch):
    seeds = set()
    run = tuning.execution.run

    def watched(trial, *rest, **more):
        seeds.add(trial.seed)
        return run(trial, *rest, **more)

    monkeypatch.setattr(tuning.execution, "run", watched)
    tuning.tune(CELL, Surroundings(tmp_path), Budget(trials=2, seeds=3))
    assert seeds == {FIRST_SEED, FIRST_SEED + 1, FIRST_SEED + 2}


def test_tuning_ends_at_its_time_limit(tmp_path):
    told = []
    endless = Budget(trials=10**9, seeds=3, seconds=8.0)
    tuning.run([CELL], Surroundings(tmp_path), 1, endless, lambda *news: told.append(news))
    ((cell, news),) = told
    assert cell == CELL
    # On a busy machine the time may be up before the first trial is done.
    assert plan.is_tuned(tmp_path, "GNG", "iris", "stationary") or "no trial gave a result in time" in news


def test_interrupted_tuning_is_marked_unfinished(tmp_path, monkeypatch):
    run, trials = tuning.execution.run, []

    def interrupted(*given, **more):
        trials.append(given)
        if len(trials) > 2:
            raise KeyboardInterrupt
        return run(*given, **more)

    monkeypatch.setattr(tuning.execution, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuning.tune(CELL, Surroundings(tmp_path), Budget(trials=40, seeds=1))
    facts = json.loads(plan.tuned_path(tmp_path, "GNG", "iris", "stationary").read_text())
    assert facts["tried"] == 2
    assert not plan.is_tuned(tmp_path, "GNG", "iris", "stationary")


def test_tuning_a_method_without_parameters_is_refused(tmp_path):
    with pytest.raises(ValueError, match="IDAT has nothing to tune"):
        tuning.tune(Cell("IDAT", "iris", "stationary"), Surroundings(tmp_path), Budget())
