"""Overhead of calls: one row at a time, import, memory, threads."""

from __future__ import annotations

import pickle
import statistics
import subprocess
import sys
import time

import numpy as np
from timing import interleaved, seconds
from workloads import load

from phida import PHIDA


def one_row(name: str, rows: int = 5000) -> None:
    """Print microseconds per row: one native call, one row per call, and the river loop (learn one, predict one)."""
    X = load(name).rows
    half = len(X) // 2
    chunk = X[half : half + rows]
    singles = [chunk[i : i + 1] for i in range(len(chunk))]
    base = pickle.dumps(PHIDA(compute_labels=False).partial_fit(X[:half]))

    def bulk() -> float:
        model = pickle.loads(base)
        return seconds(lambda: model.partial_fit(chunk))

    def row_by_row() -> float:
        model = pickle.loads(base)
        return seconds(lambda: [model.partial_fit(row) for row in singles])

    def river_loop() -> float:
        model = pickle.loads(base)
        return seconds(lambda: [(model.partial_fit(row), model.predict(row)) for row in singles])

    times = {call.__name__: [call() for _ in range(5)] for call in (bulk, row_by_row, river_loop)}
    micro = {key: 1e6 * statistics.median(values) / len(chunk) for key, values in times.items()}
    print(
        f"{name}: {micro['bulk']:.2f} µs per row in one call; one row a call costs "
        f"{micro['row_by_row'] - micro['bulk']:.2f} µs more; learn one, predict one: {micro['river_loop']:.1f} µs"
    )


def import_time() -> None:
    def run(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    own = "import sklearn.cluster, sklearn.utils.validation"
    times = interleaved({"sklearn": lambda: run(own), "phida": lambda: run(own + "; import phida")}, 7)
    print(f"import: {1000 * (times['phida'] - times['sklearn']):.0f} ms beyond scikit-learn's own")


def memory(name: str) -> None:
    model = PHIDA(compute_labels=False).fit(load(name).rows)
    print(f"{name}: a pickled model takes {len(pickle.dumps(model)) / 1000:.0f} kB ({model.n_nodes_} nodes)")


def threads(name: str, rows: int = 1_000_000) -> None:
    X = load(name).rows
    model = PHIDA(compute_labels=False).fit(X)
    many = np.ascontiguousarray(np.resize(X, (rows, X.shape[1])))
    reading = model._reading
    times = interleaved({str(n): lambda n=n: reading.assign(many, n) for n in (1, 2)}, 5)  # type: ignore[misc]
    gain = times["1"] / times["2"]
    print(f"{name}: {rows} rows predicted in {times['1']:.2f} s by one thread, {gain:.2f} times as fast by two")


if __name__ == "__main__":
    start = time.perf_counter()
    workload = sys.argv[1] if len(sys.argv) > 1 else "letter"
    one_row(workload)
    import_time()
    memory(workload)
    threads(workload)
    print(f"({time.perf_counter() - start:.0f} s)")
