"""Two streams, learned by PHIDA+ and by PHIDA, the published method, side by side.

Run it with ``make demo``, or ``python examples/demo.py [labels.csv]`` where phida is installed.
The models never see a class label. Labels serve to order the first stream and to score the clusters afterwards.
"""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA, PHIDAPlus

CHUNK = 16  # rows per partial_fit; any other number gives the same result
BAR = 24  # characters of a bar
GROUPS = 50  # of the second stream
COLOUR = sys.stdout.isatty()


def bold(text: str) -> str:
    """A heading, on a terminal."""
    return f"\x1b[1m{text}\x1b[0m" if COLOUR else text


def bar(part: float) -> str:
    """A bar that is filled in part; more than all of it ends in an arrow."""
    filled = round(BAR * min(part, 1))
    return "█" * (filled - (part > 1)) + "▶" * (part > 1) + "·" * (BAR - filled)


class Timed:
    """A model, and the seconds that learning took."""

    def __init__(self, model: PHIDA | PHIDAPlus) -> None:
        self.model = model
        self.seconds = 0.0

    def learn(self, rows: np.ndarray) -> None:
        """Learn rows in small chunks, as they would arrive, and end the stage."""
        start = time.perf_counter()
        for first in range(0, len(rows), CHUNK):
            self.model.partial_fit(rows[first : first + CHUNK])
        self.model.refresh()
        self.seconds += time.perf_counter() - start


def class_by_class(y: np.ndarray, seed: int = 0) -> list[np.ndarray]:
    """Rows of each class in source order; the classes in random order."""
    classes = np.unique(y)
    order = np.random.RandomState(seed).permutation(len(classes))
    return [np.flatnonzero(y == c) for c in classes[order]]


def digits_one_after_the_other(path: Path) -> None:
    """The first act: a nonstationary stream; the labels of PHIDA+ go into a file."""
    digits = load_digits()
    stages = class_by_class(digits.target)
    total = len(digits.data)
    print(bold("1. Handwritten digits, one class after the other"))
    print(f"   {total} images of {digits.data.shape[1]} pixels. No model is told the classes or how many there are.")
    print(f"\n   {'':16}{'PHIDA+':^33}   {'PHIDA (published)':^25}")
    print("   digit  samples   nodes  groups  parts  ARI of parts   nodes  clusters    ARI")
    plus, published = (Timed(model(compute_labels=False)) for model in (PHIDAPlus, PHIDA))
    fed = np.empty(0, dtype=int)
    for rows in stages:
        fed = np.concatenate([fed, rows])
        for timed in (plus, published):
            timed.learn(digits.data[rows])
        a, b = plus.model, published.model
        parts = a.predict(digits.data[fed], level="parts")
        # With a single class so far there is nothing to agree about.
        ari = [
            f"{adjusted_rand_score(digits.target[fed], labels):.3f}" if len(fed) > len(rows) else "-"
            for labels in (parts, b.predict(digits.data[fed]))
        ]
        print(
            f"   {digits.target[rows[0]]:5d}  {len(fed):7d}"
            f"   {a.n_nodes_:5d}  {a.n_groups_:6d}  {a.n_parts_:5d}  {ari[0]:>12}"
            f"   {b.n_nodes_:5d}  {b.n_clusters_:8d}  {ari[1]:>5}"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "class", "group", "part"])
        columns = (fed, digits.target[fed], a.predict(digits.data[fed]), parts)
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
    rates = [f"{total / timed.seconds:,.0f}" for timed in (plus, published)]
    print(f"\n   PHIDA+ learned {rates[0]} rows per second, PHIDA {rates[1]}. The labels of PHIDA+ are in {path}")


def many_groups() -> None:
    """The second act: how many groups each model has found as rows arrive."""
    X, y = make_blobs(5000, n_features=10, centers=GROUPS, random_state=0)
    print(bold(f"\n2. {GROUPS} groups in 10 dimensions, shuffled"))
    print("   How many each model has found as rows arrive.\n")
    print(f"   {'rows':>5}   {'PHIDA+':<{BAR + 4}}   PHIDA (published)")
    plus, published = PHIDAPlus(compute_labels=False), PHIDA(compute_labels=False)
    done = 0
    for end in (100, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000):
        for model in (plus, published):
            model.partial_fit(X[done:end])
        done = end
        found = plus.n_groups_, published.n_clusters_
        print(f"   {end:5d}   {bar(found[0] / GROUPS)} {found[0]:3d}   {bar(found[1] / GROUPS)} {found[1]:3d}")
    scores = [adjusted_rand_score(y, model.predict(X)) for model in (plus, published)]
    print(f"   {'ARI':>5}   {scores[0]:<{BAR + 4}.3f}   {scores[1]:.3f}")


def main(path: Path) -> None:
    """Show both acts, and what to try next."""
    digits_one_after_the_other(path)
    many_groups()
    print(
        """
Try next, in .venv/bin/python:

  from phida import PHIDAPlus
  from sklearn.datasets import load_iris
  X = load_iris().data
  model = PHIDAPlus().fit(X)
  model.labels_, model.n_groups_, model.n_parts_
  print(model.explain(X[0], X[100]))   # why two rows are in one cluster, or are not
"""
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo/labels.csv"))
