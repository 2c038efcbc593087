"""Learning and prediction compared with a lower bound: scikit-learn's batched nearest-node search alone.

The lower bound is ``pairwise_distances_argmin(X, X[:n_nodes_])``: the same rows, the model's final number of nodes, one
thread, the same run. ``python perf/learning.py [workload ...]`` writes the table and the picture into
``docs/performance.md``.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any import starts a thread pool

import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, Birch, MiniBatchKMeans
from sklearn.metrics import pairwise_distances_argmin
from tables import PAGE, put
from timing import interleaved
from workloads import CLASSES, Workload, load

from phida import PHIDA, PHIDAPlus, show_versions
from phida._core import simd_level, use_simd_level

REPEATS = 7
#: Goal of learning time / lower bound with AVX-512.
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
#: Rows for the slow methods; their time is scaled to microseconds per row.
SLOW_ROWS = 2000
SLOW_DIMS = 100
SLOW = ("Birch", "HDBSCAN", "DBSTREAM", "DenStream", "CluStream")


def learn_at(level: str, X: NDArray[np.float64]) -> None:
    """Learn with the kernels of one instruction set, then restore the current one."""
    best = simd_level()
    use_simd_level(level)
    try:
        PHIDA(compute_labels=False).fit(X)
    finally:
        use_simd_level(best)


def fast_calls(work: Workload, model: PHIDA) -> dict[str, Callable[[], object]]:
    X = work.rows
    return {
        "floor": partial(pairwise_distances_argmin, X, X[: model.n_nodes_]),
        "learn": partial(PHIDA(compute_labels=False).fit, X),
        "plus": partial(PHIDAPlus(compute_labels=False).fit, X),
        "baseline": partial(learn_at, "baseline", X),
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

    return calls | {name: partial(stream, getattr(cluster, name)) for name in SLOW[2:]}


def measure(work: Workload) -> dict[str, float]:
    """Return microseconds per row of every method, and the sizes."""
    n, d = work.rows.shape
    model = PHIDA(compute_labels=False).fit(work.rows)
    fast = interleaved(fast_calls(work, model), REPEATS, process_time)
    row: dict[str, float] = {"n": n, "d": d, "nodes": model.n_nodes_}
    row |= {name: 1e6 * value / n for name, value in fast.items()}
    if d <= SLOW_DIMS:
        slow = interleaved(slow_calls(work), 1, process_time)
        row |= {name: 1e6 * value / min(n, SLOW_ROWS) for name, value in slow.items()}
    return row


def goal(name: str) -> float:
    """Return the goal at this instruction set: with AVX2 2.2 times as much, or 3 times for short intervals."""
    if simd_level().startswith("avx512"):
        return TARGET[name]
    return TARGET[name] * (3.0 if name in ("skin", "shuttle") else 2.2)


def table(rows: dict[str, dict[str, float]]) -> str:
    """Format Markdown: ratios to the lower bound first, then microseconds per row."""
    head = ["", "n x d", "nodes", "learn / floor", f"goal, {simd_level()}", "baseline / floor", "predict / floor"]
    lines = [[*head, "PHIDA+ / PHIDA", "floor µs", "learn µs", "PHIDA+ µs", "MiniBatchKMeans µs", *SLOW]]
    for name, row in rows.items():
        slow = [f"{row[key]:.0f}" if key in row else "-" for key in SLOW]
        lines.append(
            [
                name,
                f"{row['n']} x {row['d']}",
                f"{row['nodes']}",
                f"**{row['learn'] / row['floor']:.2f}**",
                f"{goal(name):.1f}" if name in TARGET else "-",
                f"{row['baseline'] / row['floor']:.2f}",
                f"{row['predict'] / row['floor']:.2f}",
                f"{row['plus'] / row['learn']:.2f}",
                f"{row['floor']:.2f}",
                f"{row['learn']:.2f}",
                f"{row['plus']:.2f}",
                f"{row['MiniBatchKMeans']:.2f}",
                *slow,
            ]
        )
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def plot(rows: dict[str, dict[str, float]], path: Path) -> None:
    """Plot the time per row as a multiple of the lower bound."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(10, 5), layout="constrained")
    for key, marker in (
        ("learn", "o"),
        ("plus", "s"),
        ("predict", "^"),
        ("MiniBatchKMeans", "x"),
        *((key, ".") for key in SLOW),
    ):
        known = [name for name in rows if key in rows[name]]
        label = {"learn": "PHIDA, learning", "plus": "PHIDA+, learning", "predict": "PHIDA, prediction"}.get(key, key)
        axis.plot(known, [rows[name][key] / rows[name]["floor"] for name in known], marker, label=label, ms=8)
    axis.axhline(1.0, color="gray", lw=1)
    axis.set(yscale="log", ylabel="time / nearest-node search alone", title="Lower is faster; 1 is the matching alone")
    axis.tick_params(axis="x", rotation=30)
    axis.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=4, fontsize="small")
    figure.savefig(path, dpi=110)


def main(names: list[str]) -> None:
    warnings.simplefilter("ignore")
    show_versions()
    rows = {}
    for name in names:
        try:
            rows[name] = measure(load(name))
        except FileNotFoundError:
            print(f"{name}: its data are not at hand")
            continue
        print(f"{name}: learning takes {rows[name]['learn'] / rows[name]['floor']:.2f} times the floor", flush=True)
    put("phida", table(rows))
    plot(rows, PAGE.parent / "performance" / "learning.png")


if __name__ == "__main__":
    main(sys.argv[1:] or list(CLASSES))
