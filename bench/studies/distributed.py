"""Merged models against one stream: ARI and AMI of 8 and 64 parts, random and by class, on the families of plus2.py.

Random parts are contiguous in shuffled rows. Parts by class are contiguous in rows sorted by class, so that a model
sees one or few classes. Families of one group have no classes and are left out.

    python studies/distributed.py [SEEDS] [FAMILY ...] > trials.csv
    python studies/distributed.py table trials.csv
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys

import numpy as np
from plus2 import cases, ordered
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDAPlus
from phida.distributed import merge_tree

PARTS = (1, 8, 64)
ORDERS = ("shuffled", "by class")
FAMILIES = ("shape", "cdv", "real", "curve", "blobs", "touch")


def trial(X, y, order, seed, n_parts):
    """Return ARI, AMI, and the numbers of nodes and clusters."""
    parts = np.array_split(ordered(y, X, order, seed), min(n_parts, len(y)))
    model = merge_tree([PHIDAPlus(compute_labels=False).partial_fit(X[part]) for part in parts]).refresh()
    scored = y >= 0  # other rows belong to no class
    labels = model.predict(X[scored])
    scores = (score(y[scored], labels) for score in (adjusted_rand_score, adjusted_mutual_info_score))
    return [*scores, model.n_nodes_, model.n_clusters_]


def main(seeds=2, *families):
    print("family,order,data,seed,parts,ari,ami,nodes,clusters")
    for seed in range(int(seeds)):
        for case in sorted(cases(seed), key=lambda case: case.family):
            if case.family not in (families or FAMILIES):
                continue
            X, y = case.make()
            for order in ORDERS:
                for n_parts in PARTS:
                    found = np.round(trial(X, y, order, seed, n_parts), 5)
                    print(case.family, order, case.name, seed, n_parts, *found, sep=",", flush=True)


def table(path):
    """Print means over data and seeds in Markdown, and the data sets that merging changes most."""
    import pandas as pd

    trials = pd.read_csv(path)
    means = trials.groupby(["family", "order", "data", "parts"])[["ari", "ami"]].mean().unstack("parts")
    print("| family | data sets | rows | 1 part | 8 parts | 64 parts |")
    print("|---|---|---|---|---|---|")
    for (family, order), of in means.groupby(level=[0, 1], sort=False):
        cells = (f"{of['ari', p].mean():.3f} / {of['ami', p].mean():.3f}" for p in PARTS)
        print("|", " | ".join([family, str(len(of)), order, *cells]), "|")
    for p in PARTS[1:]:
        change = (means["ari", p] - means["ari", 1]).sort_values()
        print(f"\n{p} parts, ARI less that of one:\n{pd.concat([change.head(4), change.tail(4)])}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["table"]:
        table(sys.argv[2])
    else:
        main(*sys.argv[1:])
