"""Run one trial, from data set, method and seed to a record."""

from __future__ import annotations

import platform
import time
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida_bench import peak_memory
from phida_bench.datasets import Dataset
from phida_bench.methods import ClassCounted, Declined, Method, Task
from phida_bench.protocol import stages
from phida_bench.records import Record, Trial

#: Processor time: a trial runs on one thread, and other load on the machine must not count.
clock = time.process_time


def run(
    trial: Trial,
    dataset: Dataset,
    method: Method,
    parameters: dict[str, object],
    memory: int | None = None,
    *,
    every_stage: bool = True,
) -> Record:
    """Run a trial; if a method fails or declines, the record has the reason.

    Without ``every_stage``, rows are labelled after the last stage alone.
    """
    begun = Record(
        trial,
        "ok",
        parameters=parameters,
        versions={name: version(name) for name in ("phida", "numpy", "scikit-learn", *method.requires)},
        machine=machine(),
        digest=dataset.digest,
        fixed=method.fixed,
        shuffled=not method.deterministic,
    )
    task = Task(
        n_features=dataset.X.shape[1],
        seed=trial.seed,
        setting=trial.setting,
        feature_range=(dataset.X.min(axis=0), dataset.X.max(axis=0)),
        n_classes=dataset.entry.classes if method.needs_class_count else None,
        parameters=parameters,
        memory=memory,
    )
    try:
        return _measured(begun, dataset, method, task, every_stage)
    except Declined as reason:
        return replace(begun, status="declined", reason=str(reason))
    except MemoryError as error:
        return replace(begun, status="memory", reason=str(error) or "out of memory")
    except Exception as error:
        return replace(begun, status="failed", reason=f"{type(error).__name__}: {error}")


def _measured(begun: Record, dataset: Dataset, method: Method, task: Task, every_stage: bool) -> Record:
    order = stages(task.setting, dataset.y, dataset.entry.spelling, begun.order_seed)
    fed = dataset.X[np.concatenate(order)]
    ends = np.cumsum([len(rows) for rows in order])
    before = peak_memory.restart()
    system = method.make(task)
    labels, learn_seconds, label_seconds = [], [], []
    begin = 0
    for stage, end in enumerate(ends):
        started = clock()
        system.learn(fed[begin:end])
        begin, learned = end, clock()
        learn_seconds.append(learned - started)
        if every_stage or end == len(fed):
            if isinstance(system, ClassCounted):
                # In streams class by class, the number of classes grows with the stage; otherwise all classes are
                # present from the start.
                system.tell_classes(stage + 1 if task.setting == "nonstationary" else dataset.entry.classes)
            labels.append(_checked(system.labels(fed[:end]), end))
            label_seconds.append(clock() - learned)
    return replace(
        begun,
        labels=tuple(labels),
        n_nodes=None if system.n_nodes is None else int(system.n_nodes),
        n_clusters=int(system.n_clusters),
        learn_seconds=tuple(learn_seconds),
        label_seconds=tuple(label_seconds),
        peak_memory=peak_memory.since(before),
    )


def _checked(labels: object, rows: int) -> NDArray[np.integer[Any]]:
    """Check a method's labels, and convert them to one integer per row: a method may come from a plugin."""
    array = np.asarray(labels)
    if array.shape != (rows,) or array.dtype.kind not in "iu":
        raise TypeError(f"labels must be {rows} integers, got {array.dtype} of shape {array.shape}")
    return array


def machine() -> dict[str, str]:
    """Describe the machine of a record."""
    return {"system": platform.system(), "processor": processor(), "python": platform.python_version()}


def processor() -> str:
    """The processor's name, if the system reports it."""
    try:
        with open("/proc/cpuinfo") as file:
            names = (line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
            return next(names, platform.machine())
    except OSError:
        return platform.processor() or platform.machine()
