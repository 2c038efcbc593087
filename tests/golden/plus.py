"""Golden runs of PHIDA+: rows, settings, and the results of the oracle.

``python -m golden.plus``, from ``tests``, writes all files again with the oracle; see the README before.
"""

import json
from typing import NamedTuple

import numpy as np
from golden.files import BUNDLED, load, stages
from oracle.fine_nodes import learned
from oracle.readout import read

from phida import PHIDAPlus

FOLDER = BUNDLED / "plus"


class Part(NamedTuple):
    """Rows of one model; the models of all parts are merged."""

    rows: np.ndarray
    weights: np.ndarray | None = None


class Run(NamedTuple):
    name: str
    parts: list[Part]
    settings: dict
    slow: bool = False  # for the oracle


def bundled(dataset, setting, seed, **settings):
    X, y = load(f"sklearn_{dataset}")
    rows = np.concatenate(stages(X, y, setting, seed))
    suffix = "".join(f".{name}_{value}" for name, value in settings.items())
    return Run(f"{dataset}.{setting}.{seed}{suffix}", [Part(rows)], settings, slow=dataset == "digits")


def dyadic(rng, shape):
    """Return nearly normal numbers, of standard deviation 1, equal to the bit on every platform."""
    return rng.randint(-16, 17, size=(12, *shape)).sum(axis=0) / 32


def groups(n, seed):
    """Return nine groups of unequal weight and spread in three features of unequal scale."""
    rng = np.random.RandomState(seed)
    centers = rng.randint(-40, 41, size=(9, 3)) / 4
    group = np.minimum(rng.randint(0, 12, size=n), 8)
    return (centers[group] + dyadic(rng, (n, 3)) * (1 + group % 2)[:, None] / 2) * [1 / 64, 1, 32]


def corners(n, seed):
    """Return two nested right angles: clusters that are not convex."""
    rng = np.random.RandomState(seed)
    along, which = rng.randint(-1024, 1025, size=n) / 128, rng.randint(0, 2, size=n)
    line = np.column_stack([np.maximum(along, 0), np.maximum(-along, 0)]) + 3 * which[:, None]
    return line + dyadic(rng, (n, 2)) / 8


def generated():
    drift = groups(4000, 3) + np.arange(4000)[:, None] / [65536, 1024, 32]
    places = np.random.RandomState(4).permutation(np.repeat(np.arange(20.0) ** 2, 200))[:, None]
    grid = np.stack(np.meshgrid(np.arange(24.0), np.arange(24.0)), axis=-1).reshape(-1, 2)
    weights = np.random.RandomState(5).randint(1, 9, size=2000) / 2
    return [
        Run("groups", [Part(groups(4000, 1))], {"max_nodes": 256}),
        Run("groups.standard", [Part(groups(4000, 1))], {"max_nodes": 256, "scale": "standard"}),
        Run("groups.weighted", [Part(groups(2000, 2), weights)], {"max_nodes": 128}),
        Run("groups.merged", [Part(part) for part in np.split(groups(3000, 6), [500, 1800])], {"max_nodes": 200}),
        Run("corners", [Part(corners(3000, 1))], {"max_nodes": 512}),
        Run("corners.few", [Part(corners(300, 2))], {}),
        Run("drift", [Part(drift)], {"max_nodes": 128, "half_life": 500.0}),
        Run("places", [Part(places)], {"max_nodes": 64}),
        Run("grid", [Part(grid)], {}),
    ]


RUNS = [
    *(
        bundled(dataset, setting, 0, **settings)
        for dataset, budget in (("iris", 64), ("wine", 64), ("breast_cancer", 128), ("digits", 256))
        for setting in ("stationary", "nonstationary")
        for settings in ({}, {"max_nodes": budget})
    ),
    *generated(),
]


class Result(NamedTuple):
    n_clusters: int
    allowance: float
    weight: np.ndarray  # per node
    labels: np.ndarray  # per row, in the order fed

    @property
    def record(self):
        return {"n_nodes": len(self.weight), "n_clusters": self.n_clusters, "allowance": self.allowance}


def oracle_result(run):
    models = [learned(rows, weights, **run.settings) for rows, weights in run.parts]
    if models[1:]:
        models[0].merge(models[1:])
    reading = read(models[0])
    labels = reading.predict(np.concatenate([part.rows for part in run.parts]))
    return Result(reading.n_clusters, models[0].allowance / models[0].unit, models[0].to_read().row_weight, labels)


def estimator_result(run):
    models = [
        PHIDAPlus(compute_labels=False, **run.settings).fit(rows, sample_weight=weights) for rows, weights in run.parts
    ]
    model = models[0].merge(*models[1:]) if models[1:] else models[0]
    labels = model.predict(np.concatenate([part.rows for part in run.parts]))
    return Result(model.n_clusters_, model.allowance_, model.nodes_.support, labels)


def golden_result(run):
    record = json.loads((FOLDER / "runs.json").read_text())[run.name]
    with np.load(FOLDER / "arrays.npz") as arrays:
        weight, labels = arrays[f"{run.name}.weight"], arrays[f"{run.name}.labels"]
    assert len(weight) == record["n_nodes"]
    return Result(record["n_clusters"], record["allowance"], weight, labels)


def write():
    FOLDER.mkdir(exist_ok=True)
    records, arrays = {}, {}
    for run in RUNS:
        result = oracle_result(run)
        records[run.name] = result.record
        arrays |= {f"{run.name}.weight": result.weight, f"{run.name}.labels": result.labels.astype(np.int16)}
        print(run.name, result.record, flush=True)
    (FOLDER / "runs.json").write_text(json.dumps(records, indent=1) + "\n")
    np.savez_compressed(FOLDER / "arrays.npz", **arrays)


if __name__ == "__main__":
    write()
