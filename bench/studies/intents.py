"""Sentence embeddings with known intents, and generated unit vectors: PHIDA+ beside the usual methods.

    python studies/intents.py out.csv [name of a data set or a method ...]

Reads CLINC150 and Banking77 from ../shared/datasets/embeddings; without that folder, only the generated sets are run.
Needs umap-learn and evoc. Each trial runs in a process of its own, which reports processor time and memory. A
trial that the output has is not run again. One process, some hours.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDAPlus
from phida.embeddings import Reducer

DATA = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "embeddings"
SEEDS = 3
FIRST = 5000  # rows that a frozen reduction is fitted on
BATCH = 1000

Rows = np.ndarray
Labels = np.ndarray


def unit(rows: Rows) -> Rows:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def generated(cosine: float, seed: int) -> tuple[Rows, Labels]:
    """20,000 unit vectors around 50 directions in 768 dimensions; ``cosine`` of two rows of one group."""
    rng = np.random.default_rng((seed, round(100 * cosine)))
    centers = unit(rng.normal(size=(50, 768)))
    y = rng.integers(50, size=20_000)
    noise = rng.normal(size=(len(y), 768)) / np.sqrt(768)
    return unit(centers[y] + np.sqrt(1 / cosine - 1) * noise), y


def embedded(name: str, seed: int) -> tuple[Rows, Labels]:
    with np.load(DATA / f"{name}.npz") as file:
        X, y = file["X"].astype(np.float64), file["y"].astype(int)
    order = np.random.default_rng(seed).permutation(len(y))
    return unit(X[order]), y[order]


SETS: dict[str, Callable[[int], tuple[Rows, Labels]]] = {
    **{name: lambda seed, name=name: embedded(name, seed) for name in ("clinc150", "banking77")},
    **{f"cosine {c}": lambda seed, c=c: generated(c, seed) for c in (0.70, 0.49, 0.34)},
}


def online(X: Rows) -> Labels:
    """PHIDA+ in batches; all rows are labelled at the end."""
    model = PHIDAPlus(compute_labels=False)
    for at in range(0, len(X), BATCH):
        model.partial_fit(X[at : at + BATCH])
    return model.refresh().predict(X)


def mini_batch(X: Rows, k: int, seed: int) -> Labels:
    model = MiniBatchKMeans(k, random_state=seed, n_init=1)
    for at in range(0, len(X), BATCH):
        model.partial_fit(X[at : at + BATCH])
    return model.predict(X)


def frozen(reducer: Reducer, X: Rows) -> Rows:
    """Reduction that is fitted on the first rows; all rows then pass in batches."""
    reducer.fit(X[:FIRST])
    return np.concatenate([reducer.transform(X[at : at + BATCH]) for at in range(0, len(X), BATCH)])


def neighbours(X: Rows, seed: int) -> Rows:
    """Reduction of all rows at once, as BERTopic does it by default."""
    from umap import UMAP

    return UMAP(n_components=5, n_neighbors=15, min_dist=0.0, metric="cosine", random_state=seed).fit_transform(X).astype(float)


def evoc(X: Rows, seed: int) -> Labels:
    from evoc import EVoC

    return EVoC(random_state=seed).fit_predict(X.astype(np.float32))


def hdbscan(X: Rows, size: int = 10) -> Labels:
    return HDBSCAN(min_cluster_size=size, copy=True).fit_predict(X)


REDUCTIONS = [
    ("pca", 16),
    ("pca", 32),
    ("pca", 64),
    ("pca", 128),
    ("random", 128),
    ("umap", 5),
    ("umap", 10),
    ("umap", 30),
]

METHODS: dict[str, Callable[[Rows, int, int], Labels]] = {
    "PHIDA+": lambda X, k, seed: online(X),
    **{
        f"{method} {d}, PHIDA+": lambda X, k, seed, m=method, d=d: online(frozen(Reducer(m, d, seed), X))
        for method, d in REDUCTIONS
    },
    "k-means, given K": lambda X, k, seed: KMeans(k, n_init=1, random_state=seed).fit_predict(X),
    "MiniBatchKMeans, given K": mini_batch,
    "EVoC": lambda X, k, seed: evoc(X, seed),
    "PCA 15, HDBSCAN": lambda X, k, seed: hdbscan(PCA(15, random_state=seed).fit_transform(X)),
    "UMAP 5, HDBSCAN (BERTopic)": lambda X, k, seed: hdbscan(neighbours(X, seed)),
    "UMAP 5, HDBSCAN 50": lambda X, k, seed: hdbscan(neighbours(X, seed), 50),
}


def trial(data: str, method: str, seed: int) -> dict[str, object]:
    X, y = SETS[data](seed)
    k = len(np.unique(y))
    METHODS[method](X[:600], k, seed)  # compiles, imports
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    labels = METHODS[method](X, k, seed)
    seconds = time.process_time() - began
    return {
        "data": data,
        "method": method,
        "seed": seed,
        "ari": round(adjusted_rand_score(y, labels), 4),
        "ami": round(adjusted_mutual_info_score(y, labels), 4),
        "clusters": len(set(labels[labels >= 0].tolist())),
        "unlabelled": round(float((labels < 0).mean()), 3),
        "seconds": round(seconds, 1),
        "MB": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024),
    }


def main() -> None:
    if sys.argv[1] == "--trial":
        print(json.dumps(trial(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    path, wanted = Path(sys.argv[1]), sys.argv[2:]
    done = list(csv.DictReader(path.open())) if path.exists() else []
    known = {(record["data"], record["method"], int(record["seed"])) for record in done}
    for seed in range(SEEDS):
        for method in METHODS:
            for data in SETS:
                if wanted and not {data, method} & set(wanted):
                    continue
                if (data, method, seed) in known or (data in ("clinc150", "banking77") and not DATA.exists()):
                    continue
                command = [sys.executable, __file__, "--trial", data, method, str(seed)]
                answer = subprocess.run(command, capture_output=True, text=True)
                if answer.returncode:
                    print(data, method, seed, "failed:", answer.stderr[-500:], flush=True)
                    continue
                record = json.loads(answer.stdout.splitlines()[-1])
                print(record, flush=True)
                with path.open("a", newline="") as file:
                    writer = csv.DictWriter(file, list(record))
                    if file.tell() == 0:
                        writer.writeheader()
                    writer.writerow(record)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
