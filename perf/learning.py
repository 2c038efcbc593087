"""Learning and prediction against the floor: scikit-learn's batched nearest-node search alone.

The floor is ``pairwise_distances_argmin(X, X[:n_nodes_])``: the same rows, as many nodes as the model ends with, one
thread, in the same run. Run as ``python perf/learning.py [workload ...]``.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before anything loads a thread pool

import sys
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.cluster import HDBSCAN, Birch, MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin
from timing import interleaved
from workloads import CLASSES, Workload, load

from phida import PHIDA, show_versions

REPEATS = 7
#: Learning / floor to reach with AVX-512; with AVX2 2.2 times as much, 3 times on skin and shuttle.
TARGET = {
    "letter": 1.6,
    "penbased": 1.5,
    "pima": 1.3,
    "texture": 1.7,
    "optdigits": 2.6,
    "image_segmentation": 2.5,
    "skin": 2.0,
    "shuttle": 3.0,
    "isolet": 3.0,
    "mixture": 4.0,
}
#: Rows that the slow ones get; their time is scaled to microseconds per row.
SLOW_ROWS = 2000


def fast_calls(work: Workload, model: PHIDA) -> dict[str, Callable[[], object]]:
    X = work.rows
    return {
        "floor": partial(pairwise_distances_argmin, X, X[: model.n_nodes_]),
        "learn": partial(PHIDA(compute_labels=False).fit, X),
        "predict": partial(model.predict, X),
        "MiniBatchKMeans": partial(MiniBatchKMeans(work.n_classes, n_init=1, random_state=0).fit, X),
    }


def slow_calls(work: Workload) -> dict[str, Callable[[], object]]:
    X = work.rows[:SLOW_ROWS]
    calls: dict[str, Callable[[], object]] = {
        "Birch": partial(Birch(n_clusters=None).fit, X),
        "HDBSCAN": partial(HDBSCAN(copy=False).fit, X),
    }
    try:
        from river import cluster
    except ImportError:
        return calls
    samples = [dict(enumerate(row)) for row in X.tolist()]

    def stream(make: Callable[[], object]) -> None:
        model = make()
        for sample in samples:
            model.learn_one(sample)  # type: ignore[attr-defined]

    return calls | {name: partial(stream, getattr(cluster, name)) for name in ("DBSTREAM", "DenStream", "CluStream")}


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    show_versions()
    print(f"\nmedian of {REPEATS}, interleaved, one thread; µs per row, and ratios to the floor")
    print(f"{'':20}{'n':>8}{'d':>6}{'nodes':>6}{'floor':>8}{'learn':>9}{'ratio':>7}{'target':>7}{'predict':>9}", end="")
    print(f"{'ratio':>7}{'MBK':>8}   {SLOW_ROWS} rows of: Birch, HDBSCAN, river's DBSTREAM, DenStream, CluStream")
    for name in names:
        try:
            work = load(name)
        except FileNotFoundError:
            print(f"{name:20}  its data are not at hand")
            continue
        n, d = work.rows.shape
        model = PHIDA(compute_labels=False).fit(work.rows)
        time = {key: 1e6 * value / n for key, value in interleaved(fast_calls(work, model), REPEATS).items()}
        learn, predict = time["learn"] / time["floor"], time["predict"] / time["floor"]
        print(
            f"{name:20}{n:8}{d:6}{model.n_nodes_:6}{time['floor']:8.2f}{time['learn']:9.2f}{learn:7.2f}"
            f"{TARGET.get(name, np.nan):7.1f}{time['predict']:9.2f}{predict:7.2f}{time['MiniBatchKMeans']:8.2f}   ",
            end="",
            flush=True,
        )
        if d <= 100:
            rows = min(n, SLOW_ROWS)
            slow = interleaved(slow_calls(work), 1)
            print("  ".join(f"{key} {1e6 * value / rows:.0f}" for key, value in slow.items()), flush=True)
        else:
            print("(skipped)", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(CLASSES))
