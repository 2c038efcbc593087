"""Sentence embeddings with known intents, and generated unit vectors: PHIDA+ against the usual methods.

    python bench/studies/intents.py out.csv [name of a data set or a method ...]
    python bench/studies/intents.py --page bench/results/intents.md
    python bench/studies/intents.py --hubs

Reads CLINC150 and Banking77 from ../shared/datasets/embeddings; without that folder, only the generated sets are run.
Needs umap-learn and evoc. Each trial runs in a process of its own, which reports processor time and memory (Linux). A
trial that the output has is not run again. One process, some hours.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, MiniBatchKMeans
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from phida import PHIDAPlus
from phida.embeddings import Reducer

DATA = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "embeddings"
SEEDS = 3
FIRST = 5000  # rows to fit a frozen reduction
BATCH = 1000

Rows = np.ndarray
Labels = np.ndarray


def unit(rows: Rows) -> Rows:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def generated(cosine: float, seed: int) -> tuple[Rows, Labels]:
    """Draw 20,000 unit vectors around 50 directions in 768 dimensions; ``cosine``: that of two rows of one group."""
    rng = np.random.default_rng((seed, round(100 * cosine)))
    centers = unit(rng.normal(size=(50, 768)))
    y = rng.integers(50, size=20_000)
    noise = rng.normal(size=(len(y), 768)) / np.sqrt(768)
    return unit(centers[y] + np.sqrt(1 / cosine - 1) * noise), y


def embedded(name: str, seed: int | None = None) -> tuple[Rows, Labels]:
    """Return rows and their intents, in an order drawn by the seed."""
    with np.load(DATA / f"{name}.npz") as file:
        X, y = unit(file["X"].astype(np.float64)), file["y"].astype(int)
    order = slice(None) if seed is None else np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


def questions(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return texts and names of their intents, in the order of the file."""
    if name == "clinc150":
        parts = json.loads((DATA / f"{name}.json").read_text())
        pairs = np.array([pair for part in ("train", "val", "test") for pair in parts[part]], object)
    else:
        with (DATA / f"{name}.csv").open(newline="") as file:
            pairs = np.array(list(csv.reader(file))[1:], object)
    texts, intents = pairs[np.random.default_rng(0).permutation(len(pairs))].T
    return texts, intents.astype(str)


def weighted_words(name: str, seed: int) -> tuple[Any, Labels]:
    """Return sparse TF-IDF of the same questions, with the words of the first rows."""
    texts, intents = questions(name)
    order = np.random.default_rng(seed).permutation(len(texts))
    words = TfidfVectorizer(stop_words="english").fit(texts[order[:FIRST]])
    return words.transform(texts[order]), np.unique(intents[order], return_inverse=True)[1]


SETS: dict[str, Callable[[int], tuple[Rows, Labels]]] = {
    **{name: lambda seed, name=name: embedded(name, seed) for name in ("clinc150", "banking77")},
    **{f"cosine {c}": lambda seed, c=c: generated(c, seed) for c in (0.70, 0.49, 0.34)},
    **{f"{name} TF-IDF": lambda seed, name=name: weighted_words(name, seed) for name in ("clinc150", "banking77")},
}


def online(X: Rows) -> Labels:
    """Run PHIDA+ in batches, and label all rows at the end."""
    model = PHIDAPlus(compute_labels=False)
    for at in range(0, X.shape[0], BATCH):
        model.partial_fit(X[at : at + BATCH])
    return model.refresh().predict(X)


def mini_batch(X: Rows, k: int, seed: int) -> Labels:
    model = MiniBatchKMeans(k, random_state=seed, n_init=1)
    for at in range(0, X.shape[0], BATCH):
        model.partial_fit(X[at : at + BATCH])
    return model.predict(X)


def frozen(reducer: Reducer, X: Rows) -> Rows:
    """Fit a reduction on the first rows, and pass all rows through it in batches."""
    reducer.fit(X[:FIRST])
    return np.concatenate([reducer.transform(X[at : at + BATCH]) for at in range(0, X.shape[0], BATCH)])


def neighbours(X: Rows, seed: int) -> Rows:
    """Reduce all rows at once, as BERTopic does by default."""
    from umap import UMAP

    reduction = UMAP(n_components=5, n_neighbors=15, min_dist=0.0, metric="cosine", random_state=seed)
    return reduction.fit_transform(X).astype(float)


def evoc(X: Rows, seed: int) -> Labels:
    from evoc import EVoC

    return EVoC(random_state=seed).fit_predict(X.astype(np.float32))


def hdbscan(X: Rows) -> Labels:
    return HDBSCAN(min_cluster_size=10, copy=True).fit_predict(X)


REDUCTIONS = [("pca", 64), ("pca", 100), ("random", 128), ("umap", 5), ("umap", 10), ("umap", 30)]

#: Methods for sparse rows.
SPARSE = ("pca 100, PHIDA+", "MiniBatchKMeans, given K")

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
}


def memory(name: str) -> float:
    """Memory of this process in MB, as Linux counts it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def trial(data: str, method: str, seed: int) -> dict[str, object]:
    X, y = SETS[data](seed)
    k = len(np.unique(y))
    METHODS[method](X[:600], k, seed)  # compiles, imports
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = memory("VmRSS")
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
        "MB": round(memory("VmHWM") - before),
    }


PAGE = """\
# Clusters of 22,500 questions

This page is for readers who want to judge clusters themselves. It shows all clusters that PHIDA+ finds in the questions
of [CLINC150](https://github.com/clinc/oos-eval) (CC BY 3.0; 150 intents), with three examples each. The recipe is
`Reducer("umap", 5)`, fitted on the first 5,000 questions, then `PHIDAPlus`
([Sentence embeddings and cosine](../../docs/guide/sentences.md)).

{n} clusters were found. In {pure} of them, at least half of the questions have one intent. Intents were not used for
learning. Keywords are by c-TF-IDF. `python bench/studies/intents.py --page bench/results/intents.md` writes the page.

| questions | keywords | largest intent | examples |
|---|---|---|---|
"""


def page(path: Path) -> None:
    """Write all clusters of CLINC150 with three examples each."""
    texts, intents = questions("clinc150")
    X = frozen(Reducer("umap", 5), embedded("clinc150")[0])
    model = PHIDAPlus(compute_labels=False)
    for at in range(0, len(X), BATCH):
        model.partial_fit(X[at : at + BATCH])
    labels = model.refresh().predict(X)
    examples = model.examples_.to_pandas(ids=texts).groupby("cluster")["id"].apply(list)
    counter = CountVectorizer(stop_words="english", min_df=5, token_pattern="[a-z]{3,}")
    counts = counter.fit_transform(texts)
    words = np.array([np.asarray(counts[labels == c].sum(axis=0)).ravel() for c in range(model.n_clusters_)])
    telling = words / np.maximum(words.sum(axis=1, keepdims=True), 1)
    telling = telling * np.log(1 + words.sum(axis=1).mean() / words.sum(axis=0))
    names = counter.get_feature_names_out()
    lines, pure = [], 0
    for c in np.argsort(-np.bincount(labels), kind="stable"):
        found, count = np.unique(intents[labels == c], return_counts=True)
        share = count.max() / count.sum()
        pure += share >= 0.5
        best = ", ".join(names[np.argsort(-telling[c], kind="stable")[:3]])
        largest = f"{found[count.argmax()].replace('_', ' ')}, {100 * share:.0f} %"
        lines.append(f"| {count.sum()} | {best} | {largest} | {'; '.join(examples[c])} |")
    path.write_text(PAGE.format(n=len(lines), pure=pure) + "\n".join(lines) + "\n")


def hubs(name: str) -> None:
    """Print how many nodes have one node among their nearest, and how many of these edges leave the node's intent."""
    X, y = embedded(name, 0)
    nodes = PHIDAPlus(compute_labels=False).fit(X).nodes_.representatives
    tree = NearestNeighbors().fit(nodes)
    intents = np.zeros((len(nodes), y.max() + 1))
    np.add.at(intents, (tree.kneighbors(X, 1, return_distance=False)[:, 0], y), 1)
    intent = intents.argmax(axis=1)
    for k in (1, 5, 10):
        near = tree.kneighbors(n_neighbors=k, return_distance=False)
        most = np.bincount(near.ravel()).max()
        print(f"{name}, {k} nearest: a node is in {most} lists; {np.mean(intent[near] != intent[:, None]):.0%} leave")


def main() -> None:
    if sys.argv[1] == "--hubs":
        for name in ("clinc150", "banking77"):
            hubs(name)
        return
    if sys.argv[1] == "--page":
        page(Path(sys.argv[2]))
        return
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
                if (data, method, seed) in known or not (data.startswith("cosine") or DATA.exists()):
                    continue
                if data.endswith("TF-IDF") and method not in SPARSE:
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
