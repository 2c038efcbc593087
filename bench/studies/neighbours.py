"""PHIDA and PHIDA+ against common methods: k-means, HDBSCAN and DBSTREAM, on streams in two orders.

``python studies/neighbours.py OUT.csv [data set ...]`` writes a line per trial, and ``--tables OUT.csv`` prints the
tables of docs/why.md. Data sets that scikit-learn lacks are looked for in the folder PHIDA_DATA. The others are helped
where they need it: k-means is given the number of classes, the batch methods see all rows at once, and "best" is the
parameter that the true classes would have chosen.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before anything loads a thread pool

import csv
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from river.cluster import DBSTREAM
from sklearn import datasets
from sklearn.cluster import HDBSCAN, KMeans, MiniBatchKMeans
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, pairwise_distances
from sklearn.preprocessing import StandardScaler

from phida import PHIDA, PHIDAPlus
from phida_bench.datasets import entry
from phida_bench.datasets import load as load_dataset

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]

BUNDLED = ("iris", "wine", "breast_cancer", "digits")
OTHERS = ("seeds", "image_segmentation", "phoneme", "texture", "statlog", "penbased")
SEEDS = 5
#: Rows per batch of a stream.
BATCH = 100
#: Candidates for "best": cluster sizes of HDBSCAN; for DBSTREAM, quantiles of the distances between rows.
SIZES = (5, 10, 20, 50, 100)
QUANTILES = (0.005, 0.02, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class Stream:
    rows: Rows
    classes: Labels

    def ordered(self, order: str, seed: int) -> Stream:
        """Return the rows shuffled, or class by class in a random order of the classes."""
        rng = np.random.default_rng(seed)
        where = rng.permutation(len(self.rows))
        if order == "class by class":
            place = rng.permutation(self.classes.max() + 1)
            where = where[np.argsort(place[self.classes[where]], kind="stable")]
        return Stream(self.rows[where], self.classes[where])

    def batches(self) -> Iterator[Rows]:
        for first in range(0, len(self.rows), BATCH):
            yield self.rows[first : first + BATCH]


@cache
def load(name: str) -> Stream:
    if name in BUNDLED:
        rows, classes = getattr(datasets, f"load_{name}")(return_X_y=True)
        return Stream(rows.astype(np.float64), classes.astype(np.int64))
    found = load_dataset(entry(name))
    return Stream(found.X, found.y)


def phida(stream: Stream, k: int, seed: int, estimator: type[PHIDA] | type[PHIDAPlus] = PHIDA) -> Labels:
    model = estimator(compute_labels=False)
    for batch in stream.batches():
        model.partial_fit(batch)
    return model.predict(stream.rows)


def k_means(stream: Stream, k: int, seed: int) -> Labels:
    return KMeans(k, n_init=10, random_state=seed).fit_predict(stream.rows)


def mini_batch_k_means(stream: Stream, k: int, seed: int) -> Labels:
    model = MiniBatchKMeans(k, random_state=seed)
    for batch in stream.batches():
        if len(batch) >= k:
            model.partial_fit(batch)
    return model.predict(stream.rows)


def hdbscan(stream: Stream, k: int, seed: int, size: int = 5) -> Labels:
    return HDBSCAN(min_cluster_size=size, copy=True).fit_predict(stream.rows)


def dbstream(stream: Stream, k: int, seed: int, threshold: float = 1.0) -> Labels:
    model = DBSTREAM(clustering_threshold=threshold)
    rows = [dict(enumerate(row)) for row in stream.rows.tolist()]
    for row in rows:
        model.learn_one(row)
    return np.array([model.predict_one(row) for row in rows])


@cache
def best(name: str, data: str, order: str, scaled: bool) -> dict[str, float]:
    """Return the parameter with the highest ARI on the first stream."""
    stream = made(data, order, scaled, seed=0)
    if name == "HDBSCAN":
        choices = [{"size": size} for size in SIZES if size < len(stream.rows) / 2]
        learn = hdbscan
    else:
        some = stream.rows[np.random.default_rng(0).permutation(len(stream.rows))[:500]]
        away = pairwise_distances(some)[np.triu_indices(len(some), 1)]
        choices = [{"threshold": float(value)} for value in np.quantile(away, QUANTILES) if value > 0]
        learn = dbstream
    return max(choices, key=lambda choice: adjusted_rand_score(stream.classes, learn(stream, 0, 0, **choice)))


def made(data: str, order: str, scaled: bool, seed: int) -> Stream:
    stream = load(data)
    if scaled:
        stream = Stream(StandardScaler().fit_transform(stream.rows), stream.classes)
    return stream.ordered(order, seed)


def trials(names: tuple[str, ...]) -> Iterator[dict[str, object]]:
    for data in names:
        for scaled in (False, True):
            for order in ("mixed", "class by class"):
                yield from on(data, order, scaled)
        print(f"{data} done after {time.process_time():.0f} s", file=sys.stderr)


def on(data: str, order: str, scaled: bool) -> Iterator[dict[str, object]]:
    methods = {
        "PHIDA": phida,
        "PHIDA+": partial(phida, estimator=PHIDAPlus),
        "KMeans, given k": k_means,
        "MiniBatchKMeans, given k": mini_batch_k_means,
        "HDBSCAN": hdbscan,
        "HDBSCAN, best size": partial(hdbscan, **best("HDBSCAN", data, order, scaled)),
        "DBSTREAM": dbstream,
        "DBSTREAM, best threshold": partial(dbstream, **best("DBSTREAM", data, order, scaled)),
    }
    for method, learn in methods.items():
        for seed in range(1 if method.startswith("HDBSCAN") else SEEDS):  # it hardly depends on the order
            stream = made(data, order, scaled, seed)
            began = time.process_time()
            labels = learn(stream, int(stream.classes.max()) + 1, seed)
            seconds = time.process_time() - began
            yield {
                "data": data,
                "scaled": scaled,
                "order": order,
                "method": method,
                "seed": seed,
                "ARI": round(adjusted_rand_score(stream.classes, labels), 4),
                "AMI": round(adjusted_mutual_info_score(stream.classes, labels), 4),
                "clusters": len(set(labels.tolist()) - {-1}),
                "noise": round(float(np.mean(labels == -1)), 4),
                "us_per_row": round(1e6 * seconds / len(labels), 2),
            }


def tables(path: str) -> None:
    """Print means over seeds, as Markdown."""
    results = pd.read_csv(path)
    features = results.scaled.map({False: "raw", True: "standardised"})
    results = results.assign(features=features)
    methods = list(dict.fromkeys(results.method))
    means = results.groupby(["features", "order", "data", "method"])[
        ["ARI", "AMI", "clusters", "noise", "us_per_row"]
    ].mean()
    summary = means.groupby(["features", "order", "method"]).mean()
    for score in ("ARI", "AMI"):
        wide = summary[score].unstack(["order", "features"]).loc[methods]
        show(score, wide, 2)
    show(
        "clusters, noise, µs per row (raw, mixed)",
        summary.loc["raw", "mixed"].loc[methods][["clusters", "noise", "us_per_row"]],
        2,
    )
    for features in ("raw", "standardised"):
        for order in ("mixed", "class by class"):
            wide = means.loc[features, order].ARI.unstack("method")[methods]
            show(f"ARI, {features}, {order}", wide.loc[list(dict.fromkeys(results.data))], 2)


def show(title: str, frame: pd.DataFrame, digits: int) -> None:
    print(f"\n{title}\n")
    names = [", ".join(column) if isinstance(column, tuple) else column for column in frame.columns]
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for name, row in zip(frame.index, frame.to_numpy(), strict=True):
        print(f"| {name} | " + " | ".join(f"{value:.{digits}f}" for value in row) + " |")


def main(out: str, *names: str) -> None:
    warnings.filterwarnings("ignore")  # of k-means, about empty clusters
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = None
        for trial in trials(names or BUNDLED + OTHERS):
            writer = writer or csv.DictWriter(file, list(trial))
            if file.tell() == 0:
                writer.writeheader()
            writer.writerow(trial)
            file.flush()


if __name__ == "__main__":
    if sys.argv[1] == "--tables":
        tables(sys.argv[2])
    else:
        main(*sys.argv[1:])
