"""A nonstationary stream: handwritten digits that arrive class by class.

Run it with ``make demo``, or ``python examples/demo.py [labels.csv]`` where phida is installed.
The model never sees a class label. Labels serve to order the stream and to score the clusters afterwards.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA

CHUNK = 16  # rows per partial_fit; any other number gives the same result
WIDTH = 24  # of the progress bar


def class_by_class(y: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """Rows of each class in source order; the classes in random order."""
    classes = np.unique(y)
    order = np.random.RandomState(seed).permutation(len(classes))
    return [np.flatnonzero(y == c) for c in classes[order]]


def show_progress(done: int, total: int, note: str) -> None:
    """Redraw the bar, on a terminal only."""
    if sys.stdout.isatty():
        filled = WIDTH * done // total
        bar = "#" * filled + "." * (WIDTH - filled)
        print(f"\r  [{bar}] {100 * done // total:3d} %  {note}\x1b[K", end="", flush=True)


def hide_progress() -> None:
    """Make room for a line of results."""
    if sys.stdout.isatty():
        print("\r\x1b[K", end="")


def main(path: Path) -> None:
    """Learn the stream stage by stage, say what happened, and write the labels."""
    digits = load_digits()
    stages = class_by_class(digits.target)
    total = len(digits.data)
    print(f"{total} images of digits, {digits.data.shape[1]} pixels each, arrive one class after the other.")
    print("The model is told neither the classes nor how many there are.\n")
    print("  stage  digit  samples  nodes  components  clusters  ARI so far  rows/s")

    model = PHIDA(compute_labels=False)
    fed = np.empty(0, dtype=int)
    seconds = 0.0
    for number, rows in enumerate(stages, start=1):
        digit = digits.target[rows[0]]
        started = seconds
        for first in range(0, len(rows), CHUNK):
            chunk = digits.data[rows[first : first + CHUNK]]
            start = time.perf_counter()
            model.partial_fit(chunk)
            seconds += time.perf_counter() - start
            show_progress(len(fed) + first + len(chunk), total, f"learning the {digit}s")
        start = time.perf_counter()
        model.refresh()  # the stage ends here
        seconds += time.perf_counter() - start
        fed = np.concatenate([fed, rows])
        labels = model.predict(digits.data[fed])
        # With a single class so far there is nothing to agree about.
        ari = f"{adjusted_rand_score(digits.target[fed], labels):.3f}" if number > 1 else "-"
        hide_progress()
        print(
            f"  {number:5d}  {digit:5d}  {len(fed):7d}  {model.n_nodes_:5d}  {model.n_components_:10d}"
            f"  {model.n_clusters_:8d}  {ari:>10}  {len(rows) / (seconds - started):6.0f}"
        )

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "class", "cluster"])
        writer.writerows(zip(fed.tolist(), digits.target[fed].tolist(), labels.tolist(), strict=True))

    print(f"\nLearned {total} rows in {seconds:.2f} s, {total / seconds:.0f} rows per second.")
    print(f"The label of every row is in {path}")
    print(
        """
Try next, in .venv/bin/python:

  from phida import PHIDA
  from sklearn.datasets import load_wine
  model = PHIDA().fit(load_wine().data)
  model.labels_, model.n_clusters_      # clusters
  model.nodes_, model.hierarchy_        # what was learned, and why it was merged
"""
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo/labels.csv"))
