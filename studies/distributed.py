"""Merged models beside one stream: ARI and AMI of 8 and 64 parts, random and by class, on the benchmark's data sets.

"Random" parts are contiguous in shuffled rows. "By class" parts are contiguous in rows sorted by class.
Run: python studies/distributed.py FOLDER [SEEDS] [NAME ...] > trials.csv
and then: python studies/distributed.py table trials.csv
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDAPlus
from phida.distributed import merge_tree
from phida_bench.datasets import entries, find, load

PARTS = (1, 8, 64)
ORDERS = ("random", "by class")


def trial(dataset, order, seed, n_parts):
    """Return ARI, AMI, and the numbers of nodes and clusters."""
    rows = np.random.default_rng(seed).permutation(len(dataset.y))
    if order == "by class":
        rows = rows[np.argsort(dataset.y[rows], kind="stable")]
    parts = np.array_split(rows, min(n_parts, len(rows)))
    model = merge_tree([PHIDAPlus(compute_labels=False).partial_fit(dataset.X[part]) for part in parts]).refresh()
    scored = dataset.y >= 0  # other rows belong to no class
    labels = model.predict(dataset.X[scored])
    scores = (score(dataset.y[scored], labels) for score in (adjusted_rand_score, adjusted_mutual_info_score))
    return [*scores, model.n_nodes_, model.n_clusters_]


def main(folder, seeds=5, *names):
    print("order,data,seed,parts,ari,ami,nodes,clusters")
    for name, entry in entries(None).items():
        if (names and name not in names) or find(entry, Path(folder)) is None:
            continue
        dataset = load(entry, Path(folder))
        for order in ORDERS:
            for seed in range(int(seeds)):
                for n_parts in PARTS:
                    found = trial(dataset, order, seed, n_parts)
                    print(order, name, seed, n_parts, *np.round(found, 5), sep=",", flush=True)


def table(path):
    """Print means over the seeds, and differences to one stream, in Markdown."""
    import pandas as pd

    trials = pd.read_csv(path)
    print("| order | data | ARI | AMI | 8 parts: ARI | AMI | 64 parts: ARI | AMI |")
    print("|---|---|---|---|---|---|---|---|")
    for order, of in trials.groupby("order", sort=False):
        means = of.groupby(["data", "parts"])[["ari", "ami"]].mean().unstack("parts")
        means.loc["**mean**"] = means.mean()
        for name, row in means.iterrows():
            one = {metric: row[metric, 1] for metric in ("ari", "ami")}
            apart = (f"{row[metric, p] - one[metric]:+.3f}" for p in PARTS[1:] for metric in one)
            print("|", " | ".join([order, name, *(f"{value:.3f}" for value in one.values()), *apart]), "|")


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        main(*sys.argv[1:])
