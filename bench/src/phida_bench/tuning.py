"""Tune the systems that the paper tuned, by Bayesian optimisation of ARI on seeds that are not reported."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna

from phida._agreement import adjusted_rand, contingency
from phida_bench import execution, methods
from phida_bench.datasets import add_own, entry, load
from phida_bench.plan import tuned_path
from phida_bench.protocol import Setting, stages
from phida_bench.records import Trial
from phida_bench.worker import ONE_THREAD, Surroundings, environment

#: First seed of the trials for tuning; reported trials begin at 0.
FIRST_SEED = 100


@dataclass(frozen=True)
class Cell:
    """A method on a data set in a setting, which is tuned as one."""

    method: str
    dataset: str
    setting: Setting


@dataclass(frozen=True)
class Budget:
    """Limits of tuning."""

    trials: int = 40
    seeds: int = 3
    seconds: float = 600.0
    """Seconds per cell."""


def run(
    cells: Iterable[Cell],
    surroundings: Surroundings,
    workers: int,
    budget: Budget,
    progress: Callable[[Cell, str], None],
) -> None:
    """Tune cells in parallel, each in a process that is killed when its time is up; the best result so far is kept."""
    context = multiprocessing.get_context("spawn")
    pending = deque(cells)
    busy: list[tuple[Cell, Any, float]] = []
    try:
        while pending or busy:
            while pending and len(busy) < workers:
                cell = pending.popleft()
                process = context.Process(target=tune, args=(cell, surroundings, budget), daemon=True)
                with environment(ONE_THREAD):
                    process.start()
                busy.append((cell, process, time.monotonic()))
            time.sleep(0.05)
            for item in list(busy):
                cell, process, since = item
                if process.is_alive() and time.monotonic() - since < budget.seconds:
                    continue
                crashed = not process.is_alive() and process.exitcode != 0
                process.kill()
                process.join()
                busy.remove(item)
                if crashed:
                    progress(cell, f"the process ended with code {process.exitcode}")
                else:
                    progress(cell, _finish(tuned_path(surroundings.out, cell.method, cell.dataset, cell.setting)))
    finally:
        for _, process, _ in busy:
            process.kill()


def tune(cell: Cell, surroundings: Surroundings, budget: Budget) -> None:
    """Tune one cell; after each trial, save the best parameters so far and the number of trials."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for plugin in surroundings.plugins:
        methods.add(plugin)
    add_own(surroundings.data)
    method, dataset = methods.method(cell.method), load(entry(cell.dataset), surroundings.data)
    space = method.space
    if space is None:
        raise ValueError(f"{cell.method} has nothing to tune.")
    path = tuned_path(surroundings.out, cell.method, cell.dataset, cell.setting)
    began = time.monotonic()
    facts: dict[str, Any] = {"budget": asdict(budget), "finished": False}

    def objective(trial: optuna.Trial) -> float:
        parameters = dict(method.parameters) | space(trial)
        scores = []
        for seed in range(FIRST_SEED, FIRST_SEED + budget.seeds):
            which = Trial(cell.setting, cell.dataset, cell.method, seed)
            record = execution.run(which, dataset, method, parameters, surroundings.memory, every_stage=False)
            if not record.ok:
                return -1.0
            order = np.concatenate(stages(cell.setting, dataset.y, dataset.entry.spelling, record.order_seed))
            scores.append(adjusted_rand(contingency(dataset.y[order], record.labels[-1].astype(np.int64))))
        score = float(np.mean(scores))
        if score > facts.get("ari", -np.inf):
            seconds = time.monotonic() - began
            facts.update(parameters=parameters, ari=score, trial=trial.number, seconds=seconds)
        return score

    def note(study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
        if "parameters" in facts:
            _write(path, facts | {"tried": trial.number + 1})

    sampler = optuna.samplers.TPESampler(seed=0, n_startup_trials=15)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for start in method.starts:
        study.enqueue_trial(dict(start))
    study.optimize(objective, n_trials=budget.trials, timeout=budget.seconds, callbacks=[note])


def _write(path: Path, facts: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(facts, indent=1))
    part.replace(path)


def _finish(path: Path) -> str:
    """Mark a cell as tuned; return the chosen parameters as text."""
    if not path.is_file():
        return "no trial gave a result in time; the defaults stay"
    facts = json.loads(path.read_text()) | {"finished": True}
    _write(path, facts)
    chosen = ", ".join(f"{name} {value:.4g}" for name, value in facts["parameters"].items())
    return f"ARI {facts['ari']:.3f} with {chosen}"
