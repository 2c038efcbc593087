"""Cost of ``max_nodes`` and ``half_life`` in PHIDA+: tables of docs/endless_streams.md.

``PHIDA_DATA=folder python studies/endless_streams.py`` prints both: mean ARI class by class with fewer nodes, and a
stream that drifts, with nodes, time per row and ARI after every 10,000 rows.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from phida import PHIDAPlus
from phida_bench.datasets import entry, load

NAMES = ["iris", "seeds", "pima", "phoneme", "image_segmentation", "optdigits", "penbased", "texture", "letter"]
LIMITS = (2048, 1024, 512, 256, 128)
SEEDS = 5


def class_by_class(classes: np.ndarray, seed: int) -> np.ndarray:
    """Return positions of the rows class by class, in random order within each."""
    rng = np.random.default_rng(seed)
    where = rng.permutation(len(classes))
    place = rng.permutation(classes.max() + 1)
    return where[np.argsort(place[classes[where]], kind="stable")]


def limits() -> None:
    print("| data | rows | " + " | ".join(f"{limit:,}" for limit in LIMITS) + " |\n" + "|---" * (2 + len(LIMITS)) + "|")
    means = []
    for name in NAMES:
        data = load(entry(name))
        scores: dict[int, list[float]] = {limit: [] for limit in LIMITS}
        for seed in range(SEEDS):
            where = class_by_class(data.y, seed)
            for limit in LIMITS:
                model = PHIDAPlus(compute_labels=False, max_nodes=limit).fit(data.X[where])
                scores[limit].append(adjusted_rand_score(data.y, model.predict(data.X)))
        row = [np.mean(scores[limit]) for limit in LIMITS]
        means.append(row)
        print(f"| {name} | {len(data.y):,} | " + " | ".join(f"{x:.3f}" for x in row) + " |")
    print("| **mean** | | " + " | ".join(f"{x:.3f}" for x in np.mean(means, axis=0)) + " |\n", flush=True)


def drift(rows: int = 100_000, every: int = 10_000) -> None:
    rng = np.random.default_rng(0)
    centers = 8 * np.eye(3, 4)
    groups = rng.integers(3, size=rows)
    X = centers[groups] + rng.normal(size=(rows, 4))
    X[:, 3] += np.arange(rows) / 200
    models = [
        PHIDAPlus(compute_labels=False, **words)
        for words in ({}, {"half_life": 2000}, {"half_life": 2000, "max_nodes": 256})
    ]
    for first in range(0, rows, every):
        cells = [f"{first + every:,}"]
        for model in models:
            began = time.process_time()
            model.partial_fit(X[first : first + every])
            spent = time.process_time() - began
            recent = slice(first + every - 2000, first + every)
            score = adjusted_rand_score(groups[recent], model.predict(X[recent]))
            cells += [str(model.n_nodes_), f"{1e6 * spent / every:.0f}", f"{score:.2f}"]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    limits()
    drift()
