"""Compute every metric of every trial from the records, as one table. Earlier results are reused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phida import __version__
from phida_bench import records
from phida_bench.datasets import Dataset, add_own, entries, entry, load
from phida_bench.metrics import Evaluation, metrics
from phida_bench.protocol import stages
from phida_bench.records import Trial

KEY = ["setting", "dataset", "method", "seed"]
_FACTS = ["status", "reason", "made_with", "labels"]
_CACHE = "metrics.csv"


def evaluate(folder: Path, data: Path | None = None, jobs: int = 1) -> pd.DataFrame:
    """One row per trial with a record: key, status, reason, parameters and versions, digest of its labels, metrics."""
    known = _cached(folder)
    trials = [trial for trial in records.trials(folder) if trial.dataset in entries(None)]
    stamps = {trial: _stamp(trial, folder) for trial in trials}
    fresh = [trial for trial in trials if known.get(_key(trial), {}).get("stamp") != stamps[trial]]
    # Trials of one data set are grouped: each process then loads the data set once.
    blocks = [fresh[i : i + 60] for i in range(0, len(fresh), 60)]
    with _mapping(min(jobs, len(blocks)), data) as map_blocks:
        for rows in map_blocks(partial(_rows, folder=folder, data=data), blocks):
            for row in rows:
                known[tuple(row[name] for name in KEY)] = row
    table = pd.DataFrame(
        [known[_key(trial)] | {"stamp": stamps[trial]} for trial in trials],
        columns=[*KEY, *_FACTS, "stamp", *metrics()],  # one dtype, whether or not a metric applies to these trials
    )
    if fresh:
        _keep(table, folder)
    return table.drop(columns="stamp") if len(table) else table


@contextmanager
def _mapping(jobs: int, data: Path | None) -> Iterator[Callable[..., Iterable[list[dict[str, Any]]]]]:
    """``map``, in several processes if there is more than one job."""
    if jobs < 2:
        yield map
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn"), add_own, (data,)) as pool:
            yield pool.map


def _rows(trials: Iterable[Trial], folder: Path, data: Path | None) -> list[dict[str, Any]]:
    return [_row(trial, folder, data) for trial in trials]


def _row(trial: Trial, folder: Path, data: Path | None) -> dict[str, Any]:
    record = records.read(trial, folder)
    row: dict[str, Any] = dict(zip(KEY, _key(trial), strict=True))
    if record is None:
        return row | {"status": "failed", "reason": "the record cannot be read; run it again", "labels": ""}
    made_with = json.dumps([dict(record.parameters), dict(record.versions)], sort_keys=True)
    row |= {"status": record.status, "reason": record.reason, "made_with": made_with, "labels": ""}
    if record.ok:
        dataset = _dataset(trial.dataset, data)
        if record.digest != dataset.digest:
            return row | {"status": "failed", "reason": f"made with another copy of {trial.dataset}; run it again"}
        order = stages(trial.setting, dataset.y, dataset.entry.spelling, record.order_seed)
        row["labels"] = labels_digest(record.labels)
        evaluation = Evaluation(record, dataset.y[np.concatenate(order)])
        row |= {m.name: m.value(evaluation) for m in metrics().values() if trial.setting in m.settings}
    return row


def labels_digest(stages: Iterable[NDArray[np.integer[Any]]]) -> str:
    """The first 16 digits of the SHA-256 of the labels after every stage, as int64, little-endian."""
    content = b"".join(labels.astype("<i8").tobytes() for labels in stages)
    return hashlib.sha256(content).hexdigest()[:16]


@lru_cache(maxsize=2)
def _dataset(name: str, data: Path | None) -> Dataset:
    return load(entry(name), data)


def _key(trial: Trial) -> tuple[str, str, str, int]:
    return trial.setting, trial.dataset, trial.method, trial.seed


def _stamp(trial: Trial, folder: Path) -> str:
    facts = trial.path(folder).stat()
    return f"{facts.st_mtime_ns}-{facts.st_size}-{__version__}"


def _cached(folder: Path) -> dict[Any, dict[str, Any]]:
    """Rows computed earlier; none if they were computed for other metrics."""
    path = folder / _CACHE
    if not path.is_file():
        return {}
    table = pd.read_csv(path, dtype={"reason": str}, keep_default_na=True)
    if set(table.columns) != {*KEY, *_FACTS, "stamp", *metrics()}:
        return {}
    table[_FACTS] = table[_FACTS].fillna("")
    return {tuple(row[name] for name in KEY): row for row in table.to_dict("records")}


def _keep(table: pd.DataFrame, folder: Path) -> None:
    part = folder / f".{_CACHE}.part"
    table.to_csv(part, index=False)
    part.replace(folder / _CACHE)
