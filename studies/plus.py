"""PHIDA and PHIDA+ where the groups are known: blobs, one cloud, moons and circles; HDBSCAN and k-means beside them.

``python studies/plus.py`` prints the table of docs/phida_plus.md: mean ARI and the mean number of clusters over ten
seeds, 5,000 rows each, one pass in the order that the generator gives. HDBSCAN and k-means see all rows at once, and
k-means is given the number of groups.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA, PHIDAPlus

ROWS = 5000
SEEDS = 10


def blobs(centers: int, features: int) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    return lambda seed: make_blobs(ROWS, features, centers=centers, random_state=seed)


DATA = {
    "5 blobs, 2 features": blobs(5, 2),
    "20 blobs, 10 features": blobs(20, 10),
    "50 blobs, 10 features": blobs(50, 10),
    "100 blobs, 20 features": blobs(100, 20),
    "one Gaussian cloud, 2 features": blobs(1, 2),
    "one Gaussian cloud, 10 features": blobs(1, 10),
    "moons, noise 0.05": lambda seed: make_moons(ROWS, noise=0.05, random_state=seed),
    "circles, noise 0.05": lambda seed: make_circles(ROWS, noise=0.05, factor=0.5, random_state=seed),
}


METHODS = {
    "PHIDA": lambda X, k: PHIDA().fit_predict(X),
    "PHIDA+, groups": lambda X, k: PHIDAPlus().fit_predict(X),
    "PHIDA+, parts": lambda X, k: PHIDAPlus(level="parts").fit_predict(X),
    "HDBSCAN": lambda X, k: HDBSCAN(copy=True).fit_predict(X),
    "k-means, given k": lambda X, k: KMeans(k, n_init=10, random_state=0).fit_predict(X),
}


def main() -> None:
    warnings.filterwarnings("ignore")
    print("| data | " + " | ".join(METHODS) + " |\n|---|" + "---|" * len(METHODS))
    for name, make in DATA.items():
        cells = []
        for method in METHODS.values():
            scores, counts = [], []
            for seed in range(SEEDS):
                rows, classes = make(seed)
                labels = method(rows, len(set(classes)))
                scores.append(adjusted_rand_score(classes, labels))
                counts.append(len(set(labels.tolist()) - {-1}))
            one = len(set(classes)) == 1
            score = f"{np.mean(np.array(counts) == 1):.0%} one" if one else f"{np.mean(scores):.2f}"
            cells.append(f"{score} ({np.mean(counts):.1f})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
