"""Golden labels of the co-activation read-out. ``python -m golden.coactivation``, from ``tests``, writes them anew, by
the oracle; when that may be done, the README says."""

import numpy as np
from golden.files import BUNDLED, load, stages

FILE = BUNDLED / "coactivation.npz"
CASES = [
    (f"sklearn_{name}", setting)
    for name in ("iris", "wine", "breast_cancer", "digits")
    for setting in ("stationary", "nonstationary")
]
SEED = 0


def rows_of(dataset, setting):
    """The rows of each stage."""
    return stages(*load(dataset), setting, SEED)


def write():
    from oracle.learner import OracleLearner

    labels = {}
    for dataset, setting in CASES:
        oracle = OracleLearner()
        fed = rows_of(dataset, setting)
        for rows in fed:
            oracle.learn_many(rows)
            oracle.end_learning()
        labels[f"{dataset}.{setting}"] = oracle.predict_by_coactivation(np.concatenate(fed)).astype(np.int16)
        print(dataset, setting, labels[f"{dataset}.{setting}"].max() + 1, "clusters", flush=True)
    np.savez_compressed(FILE, **labels)


if __name__ == "__main__":
    write()
