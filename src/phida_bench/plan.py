"""Which trials a run consists of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from phida_bench.datasets import Entry
from phida_bench.methods import Method
from phida_bench.protocol import ORDERS, SETTINGS, Setting
from phida_bench.records import Trial
from phida_bench.worker import Job


def jobs(
    methods: Sequence[Method], datasets: Sequence[Entry], settings: Sequence[Setting], seeds: int, out: Path
) -> Iterator[Job]:
    """Every trial, with its parameters, small data sets first.

    A method that is deterministic gets one seed.
    """
    for entry in sorted(datasets, key=lambda entry: entry.samples * entry.features):
        meant = SETTINGS if entry.collection == "paper" else ORDERS
        for setting in (setting for setting in settings if setting in meant):
            for method in methods:
                if setting in method.settings:
                    parameters = dict(method.parameters) | tuned(out, method.name, entry.name, setting)
                    for seed in range(1 if method.deterministic else seeds):
                        trial = Trial(setting, entry.name, method.name, seed)
                        yield Job(trial, parameters, shuffled=not method.deterministic)


def tuned(out: Path, method: str, dataset: str, setting: str) -> dict[str, Any]:
    """The parameters that tuning chose, where it was run."""
    path = tuned_path(out, method, dataset, setting)
    return json.loads(path.read_text())["parameters"] if path.is_file() else {}


def is_tuned(out: Path, method: str, dataset: str, setting: str) -> bool:
    """Whether tuning came to its end, which an interrupted one did not."""
    path = tuned_path(out, method, dataset, setting)
    return path.is_file() and bool(json.loads(path.read_text()).get("finished", True))


def all_tuned(out: Path) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Every outcome of tuning: method, data set, setting, and what was written down."""
    for path in sorted((out / "tuned").glob("*/*/*.json")):
        setting, dataset = path.parts[-3:-1]
        yield path.stem, dataset, setting, json.loads(path.read_text())


def tuned_path(out: Path, method: str, dataset: str, setting: str) -> Path:
    """Where the outcome of tuning is kept."""
    return out / "tuned" / setting / dataset / f"{method}.json"
