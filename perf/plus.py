"""PHIDA+ by processor time: learning compared with MiniBatchKMeans, one map, and growth along a stream.

``python perf/plus.py [learning] [maps] [merges] [growth]`` measures these parts, or all, and writes each table into
``docs/performance.md`` between the comments with its name, with the date and the processor.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any import starts a thread pool

import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans
from tables import markdown, put
from workloads import load

from phida import PHIDAPlus
from phida.distributed import learn_part, merge_parts, merge_two

REPEATS = 3
#: Goals of learning in microseconds per row.
GOAL = {
    "letter": 2.5,
    "penbased": 2.5,
    "optdigits": 4.5,
    "skin": 1.3,
    "shuttle": 1.8,
    "isolet": 30.0,
    "50 groups, 768 features": 40.0,
}
MAP_GOAL = {16: 25.0, 768: 100.0}


def groups(n: int, dims: int, spread: float) -> NDArray[np.float64]:
    """Return rows of 50 round groups of standard deviation 1, whose centres have standard deviation ``spread``."""
    rng = np.random.default_rng(0)
    centers = spread * rng.normal(size=(50, dims))
    rows = rng.normal(size=(n, dims))
    rows += centers[rng.integers(0, 50, n)]
    return rows


def processor_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def workloads() -> Iterator[tuple[str, NDArray[np.float64]]]:
    for name in GOAL:
        if "," in name:
            yield name, groups(20_000, 768, 0.3)
            continue
        try:
            yield name, load(name).rows
        except FileNotFoundError:
            print(f"{name}: its data are not at hand")


def learning() -> str:
    """Measure both in turn on shuffled rows; return the minimum of each."""
    lines = [
        ["", "rows x features", "nodes", "fit, µs a row", "goal", "of it the map", "partial_fit", "MiniBatchKMeans"]
    ]
    for name, X in workloads():
        times: dict[str, list[float]] = {"plus": [], "unmapped": [], "followed": [], "kmeans": []}
        for _ in range(REPEATS):
            calls = {
                "plus": partial(PHIDAPlus(compute_labels=False).fit, X),
                "unmapped": partial(learn_part, PHIDAPlus(compute_labels=False), X),
                "followed": partial(PHIDAPlus(compute_labels=False).partial_fit, X),
                "kmeans": partial(MiniBatchKMeans(50, n_init=1, random_state=0).fit, X),
            }
            for key, call in calls.items():
                times[key].append(1e6 * processor_seconds(call) / len(X))
        least = {key: min(values) for key, values in times.items()}
        nodes = PHIDAPlus(compute_labels=False).fit(X).n_nodes_
        lines.append(
            [
                name,
                f"{len(X):,} x {X.shape[1]}",
                str(nodes),
                f"**{least['plus']:.1f}**",
                f"{GOAL[name]:.1f}",
                f"{max(least['plus'] - least['unmapped'], 0.0):.1f}",
                f"{least['followed']:.1f}",
                f"{least['kmeans']:.2f}",
            ]
        )
        print(f"{name}: {least['plus']:.1f} us a row", flush=True)
    return markdown(lines)


def maps() -> str:
    """Measure one map of nearly 2,048 nodes: each row is a node, without compaction."""
    lines = [["features", "nodes", "ms for a map", "goal"]]
    for dims, goal in MAP_GOAL.items():
        X = groups(2_047, dims, 4.0 if dims < 100 else 0.3)
        taken = []
        for _ in range(REPEATS):
            model = PHIDAPlus(compute_labels=False).partial_fit(X)
            taken.append(1e3 * processor_seconds(model.refresh))
        lines.append([str(dims), f"{model.n_nodes_:,}", f"**{min(taken):.0f}**", f"{goal:.0f}"])
        print(f"{dims} features: {min(taken):.0f} ms for a map", flush=True)
    return markdown(lines)


def growth() -> str:
    """Return microseconds per row in consecutive parts of one stream of 8 features, with and without maps."""
    part = 100_000
    X = groups(part, 8, 4.0)
    rng = np.random.default_rng(1)
    stream, nodes = (PHIDAPlus(compute_labels=False) for _ in range(2))
    lines = [["rows learned before", "partial_fit, µs a row", "nodes alone, as in fit"]]
    known = 0
    for end in (100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000):
        taken = []
        while known < end:
            rows = X[rng.permutation(part)] + rng.normal(scale=0.1, size=X.shape)
            calls = (partial(stream.partial_fit, rows), partial(learn_part, nodes, rows))
            taken.append([1e6 * processor_seconds(call) / part for call in calls])
            known += part
        means = [f"{statistics.mean(values):.2f}" for values in zip(*taken, strict=True)]
        lines.append([f"{end - part * len(taken):,} to {end:,}", *means])
        print(f"up to {end:,} rows: {means} us a row", flush=True)
    return markdown(lines)


def merges() -> str:
    """Measure the merge of two full models: the nodes alone, as in a tree of parts, and with its map."""
    lines = [["features", "ms for the nodes", "ms with the map", "goal"]]
    for dims in MAP_GOAL:
        X = groups(10_000, dims, 4.0 if dims < 100 else 0.3)
        taken = []
        for _ in range(REPEATS):
            calls = []
            for merge in (merge_parts, merge_two):
                models = [learn_part(PHIDAPlus(compute_labels=False), rows) for rows in np.split(X, 2)]
                calls.append(1e3 * processor_seconds(partial(merge, *models)))
            taken.append(calls)
        alone, mapped = np.min(taken, axis=0)
        lines.append([str(dims), f"**{alone:.0f}**", f"{mapped:.0f}", "20" if dims == 16 else "-"])
        print(f"{dims} features: {alone:.0f} ms for a merge, {mapped:.0f} with its map", flush=True)
    return markdown(lines)


PARTS = {"learning": learning, "maps": maps, "merges": merges, "growth": growth}


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    for name in names:
        put(f"plus {name}", PARTS[name]())


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
