"""Find the set-up of TableDC and G-CEALS that comes nearest to the published ARI: see bench/README.md.

``python studies/deep_setups.py FOLDER`` reads small data sets from a folder of npz files and prints a row for each,
then the mean distance from the published values. About twenty minutes on one core of a busy machine.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from phida_bench.published import published
from phida_bench.systems import GCEALS, TableDC

DATASETS = ("iris", "seeds", "dermatology", "pima", "mice_protein")
SEEDS = 3
SETUPS = {
    "TableDC": {
        "raw": lambda k, seed, X: TableDC(k, random_state=seed).fit_predict(X),
        "raw, not pre-trained": lambda k, seed, X: TableDC(k, pretrain_epochs=0, random_state=seed).fit_predict(X),
        "standardised": lambda k, seed, X: TableDC(k, random_state=seed).fit_predict(StandardScaler().fit_transform(X)),
        "to 0..1": lambda k, seed, X: TableDC(k, random_state=seed).fit_predict(MinMaxScaler().fit_transform(X)),
    },
    "G-CEALS": {
        "raw": lambda k, seed, X: GCEALS(k, standardise=False, random_state=seed).fit_predict(X),
        "standardised": lambda k, seed, X: GCEALS(k, random_state=seed).fit_predict(X),
    },
}


def main(folder: Path) -> None:
    """Run every set-up on every data set."""
    paper = published().query("setting == 'stationary' and metric == 'ari'").set_index(["method", "dataset"])["mean"]
    distances = defaultdict(list)
    for dataset in DATASETS:
        with np.load(folder / f"{dataset}.npz") as data:
            X, y = data["X"].astype(float), data["y"]
        for method, setups in SETUPS.items():
            shown = []
            for name, labels in setups.items():
                scores = [adjusted_rand_score(y, labels(len(np.unique(y)), seed, X)) for seed in range(SEEDS)]
                distances[method, name].append(abs(np.mean(scores) - paper[method, dataset]))
                shown.append(f"{name} {np.mean(scores):.3f} ± {np.std(scores, ddof=1):.3f}")
            print(f"{dataset} {method}: published {paper[method, dataset]:.3f}; {'; '.join(shown)}", flush=True)
    for (method, name), values in distances.items():
        print(f"{method}, {name}: {np.mean(values):.3f} from the published ARI on average")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
