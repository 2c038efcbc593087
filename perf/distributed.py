"""How much clustering suffers from partitions: ARI and AMI of 4 and 16 beside one machine, by the benchmark's protocol.

Each stage of a trial is cut into as many contiguous partitions and learned by phida.distributed. The share of rows that
the driver learned one by one is told too. Run: python perf/distributed.py FOLDER [SEEDS] [NAME ...] > table.csv
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDA
from phida.benchmark.datasets import entries, load
from phida.benchmark.protocol import SETTINGS, stages
from phida.distributed import partial_fit_partitions

PARTITIONS = (1, 4, 16)


class Counted(PHIDA):
    """Counts the rows that it learned one by one."""

    in_order = 0

    def partial_fit(self, X, y=None):
        self.in_order += len(X)
        return super().partial_fit(X)

    def apply(self, updates):
        updates = list(updates)
        self.in_order += sum(update.n_rest for update in updates)
        return super().apply(updates)


def trial(dataset, setting, seed, n_partitions):
    """ARI, AMI, nodes, clusters, and the share learned in order."""
    model = Counted(compute_labels=False)
    for rows in stages(setting, dataset.y, dataset.entry.spelling, seed):
        if n_partitions == 1:
            model.partial_fit(dataset.X[rows])
        else:
            partial_fit_partitions(model, np.array_split(dataset.X[rows], n_partitions))
        model.refresh()
    labels = model.predict(dataset.X)
    scores = (score(dataset.y, labels) for score in (adjusted_rand_score, adjusted_mutual_info_score))
    return [*scores, model.n_nodes_, model.n_clusters_, model.in_order / len(dataset.y)]


def main(folder, seeds=5, *names):
    print("setting,data,seeds,partitions,ari,ami,nodes,clusters,in_order")
    for setting in SETTINGS:
        for name, entry in entries().items():
            if (names and name not in names) or not (Path(folder) / f"{name}.npz").is_file():
                continue
            dataset = load(entry, Path(folder))
            for n_partitions in PARTITIONS:
                found = np.mean([trial(dataset, setting, seed, n_partitions) for seed in range(int(seeds))], axis=0)
                print(setting, name, seeds, n_partitions, *np.round(found, 4), sep=",", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
