"""Two streams, each learned by PHIDA+ and by PHIDA, the published method.

Run it with ``make demo``, or ``python examples/demo.py [labels.csv]`` if phida is installed. The models never see a
class label. Labels only order the first stream and score the clusters.
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

BAR = 24  # length of a bar in characters
GROUPS = 50  # groups of the second stream


def bold(text: str) -> str:
    """Format a heading for a terminal."""
    return f"\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else text


def bar(part: float) -> str:
    """Format a partly filled bar; a value above 1 ends in an arrow."""
    filled = round(BAR * min(part, 1))
    return "█" * (filled - (part > 1)) + "▶" * (part > 1) + "·" * (BAR - filled)


def digits_one_after_the_other(path: Path) -> None:
    """First part: a nonstationary stream; the labels of PHIDA+ are written to a file."""
    X, y = load_digits(return_X_y=True)
    print(bold("1. Handwritten digits, one class after the other"))
    print(f"   {len(X)} images of {X.shape[1]} pixels. No model is told the classes or how many there are.")
    print(f"\n   {'':14}{'PHIDA+':^26}{'PHIDA (published)':^26}")
    print("   digit  rows" + "   nodes  clusters    ARI" * 2)
    models = PHIDAPlus(compute_labels=False), PHIDA(compute_labels=False)
    seconds = [0.0, 0.0]
    fed = np.empty(0, dtype=int)
    for digit in np.random.RandomState(0).permutation(10):
        rows = np.flatnonzero(y == digit)
        fed = np.concatenate([fed, rows])
        line = f"   {digit:5d}  {len(fed):4d}"
        for i, model in enumerate(models):
            start = time.perf_counter()
            model.partial_fit(X[rows]).refresh()
            seconds[i] += time.perf_counter() - start
            # The ARI of a single class is undefined.
            ari = f"{adjusted_rand_score(y[fed], model.predict(X[fed])):.3f}" if len(fed) > len(rows) else "-"
            line += f"   {model.n_nodes_:5d}  {model.n_clusters_:8d}  {ari:>5}"
        print(line)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "class", "cluster"])
        writer.writerows(zip(fed.tolist(), y[fed].tolist(), models[0].predict(X[fed]).tolist(), strict=True))
    rates = [f"{len(X) / taken:,.0f}" for taken in seconds]
    print(f"\n   PHIDA+ learned {rates[0]} rows per second, PHIDA {rates[1]}. The labels of PHIDA+ are in {path}")


def many_groups() -> None:
    """Second part: number of groups found by each model as rows arrive."""
    X, y = make_blobs(5000, n_features=10, centers=GROUPS, random_state=0)
    print(bold(f"\n2. {GROUPS} groups in 10 dimensions, shuffled"))
    print("   How many clusters each model has found as rows arrive.\n")
    print(f"   {'rows':>5}   {'PHIDA+':<{BAR + 4}}   PHIDA (published)")
    models = PHIDAPlus(compute_labels=False), PHIDA(compute_labels=False)
    done = 0
    for end in (100, 200, 300, 500, 1000, 2000, 3000, 5000):
        found = [model.partial_fit(X[done:end]).n_clusters_ for model in models]
        done = end
        print(f"   {end:5d}   " + "   ".join(f"{bar(count / GROUPS)} {count:3d}" for count in found))
    scores = [adjusted_rand_score(y, model.predict(X)) for model in models]
    print(f"   {'ARI':>5}   {scores[0]:<{BAR + 4}.3f}   {scores[1]:.3f}")


def main(path: Path) -> None:
    """Show both parts, and the next commands to try."""
    digits_one_after_the_other(path)
    many_groups()
    print(
        """
Try next, in .venv/bin/python:

  from phida import PHIDAPlus
  from sklearn.datasets import load_iris
  X = load_iris().data
  model = PHIDAPlus().fit(X)
  model.labels_, model.n_clusters_
  print(model.explain(X[0], X[100]))   # why two rows are in one cluster, or are not
"""
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("demo/labels.csv"))
