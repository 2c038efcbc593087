"""List the trials of a run."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from phida_bench.datasets import Entry
from phida_bench.methods import Method
from phida_bench.protocol import ORDERS, SETTINGS, Setting
from phida_bench.records import Trial
from phida_bench.worker import Job

#: Number of orders of each data set with visible groups.
SHAPE_SEEDS = 3


def jobs(
    methods: Sequence[Method], datasets: Sequence[Entry], settings: Sequence[Setting], seeds: int, out: Path
) -> Iterator[Job]:
    """Every trial, with its parameters, small data sets first.

    A method that is deterministic gets one seed, and data with visible groups come in three orders.
    """
    for entry in sorted(datasets, key=lambda entry: entry.samples * entry.features):
        meant, most = (SETTINGS, seeds) if entry.collection != "shapes" else (ORDERS, min(seeds, SHAPE_SEEDS))
        for setting in (setting for setting in settings if setting in meant):
            for method in methods:
                if setting in method.settings:
                    parameters = dict(method.parameters) | tuned(out, method.name, entry.name, setting)
                    for seed in range(1 if method.deterministic else most):
                        trial = Trial(setting, entry.name, method.name, seed)
                        yield Job(trial, parameters, shuffled=not method.deterministic)


def tuned(out: Path, method: str, dataset: str, setting: str) -> dict[str, Any]:
    """The tuned parameters: from this folder, or else those in the package."""
    path = tuned_path(out, method, dataset, setting)
    if path.is_file():
        return dict(json.loads(path.read_text())["parameters"])
    found = packaged().get((method, dataset, setting))
    return dict(found["parameters"]) if found else {}


@cache
def packaged() -> dict[tuple[str, str, str], dict[str, Any]]:
    """The outcomes of tuning in the package, by method, data set and setting; parameters have four digits.

    Examples
    --------
    >>> from phida_bench.plan import packaged
    >>> packaged()["CAEA", "iris", "nonstationary"]["parameters"]
    {'lam': 8, 'age_max': 3}
    """
    with files(__package__).joinpath("tuned.csv").open("r", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(row["method"], row["dataset"], row["setting"]): _outcome(row) for row in rows}


def _outcome(row: dict[str, str]) -> dict[str, Any]:
    words = [pair.split(" ") for pair in row["parameters"].split(", ")]
    facts: dict[str, Any] = {
        "budget": {"trials": int(row["trials"]), "seeds": int(row["seeds"]), "seconds": float(row["seconds"])},
        "parameters": {name: json.loads(value) for name, value in words},
        "ari": float(row["ari"]),
    }
    return facts | ({"tried": int(row["tried"])} if row["tried"] else {})


def is_tuned(out: Path, method: str, dataset: str, setting: str) -> bool:
    """Whether tuning was completed, not interrupted."""
    path = tuned_path(out, method, dataset, setting)
    return path.is_file() and bool(json.loads(path.read_text()).get("finished", True))


def all_tuned(out: Path) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Every outcome of tuning: method, data set, setting, and the content of its file."""
    found = dict(packaged())
    for path in (out / "tuned").glob("*/*/*.json"):
        setting, dataset = path.parts[-3:-1]
        found[path.stem, dataset, setting] = json.loads(path.read_text())
    for (method, dataset, setting), facts in sorted(found.items()):
        yield method, dataset, setting, facts


def tuned_path(out: Path, method: str, dataset: str, setting: str) -> Path:
    """Path of an outcome of tuning."""
    return out / "tuned" / setting / dataset / f"{method}.json"
