"""Rows per second from file to label: readers by processor time, `phida stream` and `phida fit` by wall time too.

Start-up time is measured separately and subtracted. One thread reads, one learns and one writes.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "ARROW_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from phida._streams.opening import Source, opened

ROWS = int(os.environ.get("PERF_ROWS", "500000"))
NAMES = tuple("abcdefgh")

#: Input and output of each run, and the goal in rows per second of wall time on two cores.
RUNS = [
    ("csv", "csv", 400_000),
    ("ndjson", "ndjson", 350_000),
    ("parquet", "csv", None),
    ("parquet", "parquet", 500_000),
    ("arrow", "arrow", None),
]


def table(rows: int) -> np.ndarray:
    """Return rows of twelve clusters in eight dimensions, with four decimals, like measurements."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 10, (12, len(NAMES)))
    return (centers[rng.integers(0, 12, rows)] + rng.normal(size=(rows, len(NAMES)))).round(4)


def write_files(folder: Path, rows: np.ndarray) -> None:
    found = pa.table({name: rows[:, i] for i, name in enumerate(NAMES)})
    parquet.write_table(found, folder / "rows.parquet")
    with pa.ipc.new_file(str(folder / "rows.arrow"), found.schema) as out:
        out.write_table(found)
    write_csv(folder / "rows.csv", rows)
    with (folder / "rows.ndjson").open("w") as out:
        out.writelines(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows.tolist())
    np.save(folder / "rows.npy", rows)


def write_csv(path: Path, rows: np.ndarray) -> None:
    with path.open("w") as out:
        out.write(",".join(NAMES) + "\n")
        out.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def reading_time(path: Path) -> float:
    """Return the processor time to read a file in the batches of `phida stream`."""
    begin = time.process_time()
    with opened(Source(str(path))) as reader:
        for _ in reader.batches(1000):
            pass
    return time.process_time() - begin


def seconds(*words: object) -> np.ndarray:
    """Return processor and wall time of a command, each the minimum of three runs."""
    found = []
    for _ in range(3):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, "-m", "phida", *map(str, words)], check=True, stdout=subprocess.DEVNULL)
        wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append([after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall])
    return np.array(found).min(axis=0)


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows = table(ROWS)
        write_files(folder, rows)
        write_csv(folder / "small.csv", rows[:150])
        print(f"start-up, seconds: --help {seconds('--help')[0]:.2f}", end="")
        print(f", fit of 150 rows {seconds('fit', folder / 'small.csv', '--quiet')[0]:.2f}")
        for suffix in ("csv", "ndjson", "parquet", "arrow", "npy"):
            taken = min(reading_time(folder / f"rows.{suffix}") for _ in range(3))
            print(f"reading {suffix:8} {ROWS / taken:>11,.0f} rows/s")
        for source, target, goal in RUNS:
            head = folder / f"head.{source}"
            words = ("stream", "--quiet", "--output", folder / f"out.{target}", "--output-format", target)
            write_head(head, source, rows[:1000])
            used, wall = (ROWS - 1000) / (seconds(*words, folder / f"rows.{source}") - seconds(*words, head))
            wanted = "" if goal is None else f"  (goal {goal:,})"
            print(f"stream {source} to {target:8} {used:>11,.0f} rows/s, by wall time {wall:,.0f}{wanted}")
        if "--large" in sys.argv:
            large = table(2_000_000)
            write_csv(folder / "large.csv", large)
            size = (folder / "large.csv").stat().st_size / 1e6
            used, wall = seconds("fit", folder / "large.csv", "--quiet", "--out", folder / "m.safetensors")
            print(f"fit of 2,000,000 rows of CSV ({size:.0f} MB): {used:.1f} s, wall {wall:.1f} s  (goal 8)")


def write_head(path: Path, format: str, rows: np.ndarray) -> None:
    """Write the first rows, which measure the fixed cost of a run."""
    if format == "csv":
        write_csv(path, rows)
    elif format == "ndjson":
        path.write_text("".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows.tolist()))
    else:
        found = pa.table({name: rows[:, i] for i, name in enumerate(NAMES)})
        if format == "parquet":
            parquet.write_table(found, path)
        else:
            with pa.ipc.new_file(str(path), found.schema) as out:
                out.write_table(found)


if __name__ == "__main__":
    main()
