"""How much clustering suffers from partitions: ARI and AMI of 4 and 16 beside one machine, by the benchmark's protocol.

Each stage of a trial is cut into as many contiguous partitions and learned by phida.distributed. The share of rows that
the driver learned one by one is printed too. Run: python studies/distributed.py FOLDER [SEEDS] [NAME ...] > trials.csv
and then: python studies/distributed.py table trials.csv
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDA
from phida.distributed import partial_fit_partitions
from phida_bench.datasets import entries, load
from phida_bench.protocol import SETTINGS, stages

PARTITIONS = (1, 4, 16)


class Counted(PHIDA):
    """Counts the rows that it learned one by one."""

    in_order = 0

    def partial_fit(self, X, y=None):
        self.in_order += len(X)
        return super().partial_fit(X)

    def apply_updates(self, updates):
        updates = list(updates)
        self.in_order += sum(update.n_rest for update in updates)
        return super().apply_updates(updates)


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
    print("setting,data,seed,partitions,ari,ami,nodes,clusters,in_order")
    for name, entry in entries().items():
        if (names and name not in names) or not (Path(folder) / f"{name}.npz").is_file():
            continue
        dataset = load(entry, Path(folder))
        for setting in SETTINGS:
            for seed in range(int(seeds)):
                for n_partitions in PARTITIONS:
                    found = trial(dataset, setting, seed, n_partitions)
                    print(setting, name, seed, n_partitions, *np.round(found, 5), sep=",", flush=True)


def table(path):
    """Markdown: means over the seeds, and differences to one machine."""
    import pandas as pd

    trials = pd.read_csv(path)
    for setting, of in trials.groupby("setting", sort=False):
        print(f"\n**{setting.capitalize()}**\n")
        print("| data | seeds | one machine: AMI | ARI | 4: AMI | ARI | in order | 16: AMI | ARI | in order |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        lost = []
        for name, rows in of.groupby("data"):
            mean = rows.groupby("partitions")[["ami", "ari", "in_order"]].mean()
            apart = [mean.loc[p, ["ami", "ari"]] - mean.loc[1, ["ami", "ari"]] for p in PARTITIONS[1:]]
            cells = [f"{mean.loc[1, 'ami']:.3f}", f"{mean.loc[1, 'ari']:.3f}"]
            for p, d in zip(PARTITIONS[1:], apart, strict=True):
                cells += [f"{d['ami']:+.3f}", f"{d['ari']:+.3f}", f"{mean.loc[p, 'in_order']:.0%}".replace("%", " %")]
            print("|", " | ".join([name, str(rows["seed"].nunique()), *cells]), "|")
            lost.append([*(d[m] for d in apart for m in ("ami", "ari")), *mean.loc[list(PARTITIONS[1:]), "in_order"]])
        a, b, c, d, e, f = np.mean(lost, axis=0)
        print(f"| **mean of {len(lost)}** | | | | {a:+.3f} | {b:+.3f} | {e:.0%} | {c:+.3f} | {d:+.3f} | {f:.0%} |")


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        main(*sys.argv[1:])
