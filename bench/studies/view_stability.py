"""Change of PHIDA's PH component view by one more row, on the paper's data sets.

``python studies/view_stability.py [data set ...]`` learns each data set in a shuffled order. At POINTS places it renews
the view without and with the next row, and prints: how often the number of PH components, that of clusters, and the
labels of up to ROWS learned rows stay, and the lowest and mean ARI between both labellings. Data sets are looked for in
the folder PHIDA_DATA.
"""

from __future__ import annotations

import copy
import sys

import numpy as np

from phida import PHIDA
from phida._agreement import adjusted_rand, contingency
from phida_bench.datasets import entries, entry, find, load

POINTS = 40
ROWS = 1000


def study(name: str) -> list[float]:
    data = load(entry(name))
    rows = data.X[np.random.RandomState(0).permutation(len(data.X))]
    points = np.linspace(len(rows) // 10, len(rows) - 2, POINTS).astype(int)
    model, learned = PHIDA(compute_labels=False), 0
    same = []
    for point in points:
        model.partial_fit(rows[learned:point])
        learned = point
        before, after = copy.deepcopy(model), copy.deepcopy(model)
        before.refresh()
        after.partial_fit(rows[point : point + 1]).refresh()
        some = rows[max(0, point - ROWS) : point]
        ari = adjusted_rand(contingency(before.predict(some), after.predict(some)))
        same.append(
            [before.n_components_ == after.n_components_, before.n_clusters_ == after.n_clusters_, ari == 1, ari]
        )
    found = np.array(same, dtype=float)
    return [*found[:, :3].mean(axis=0), found[:, 3].min(), found[:, 3].mean()]


def main(*names: str) -> None:
    print("data set: share with the same number of components, of clusters, same labels; lowest ARI, mean ARI")
    found = []
    for name in names or [e.name for e in entries().values() if find(e)]:
        found.append(study(name))
        print(f"{name}: " + " ".join(f"{value:.3f}" for value in found[-1]), flush=True)
    print("mean: " + " ".join(f"{value:.3f}" for value in np.mean(found, axis=0)))


if __name__ == "__main__":
    main(*sys.argv[1:])
