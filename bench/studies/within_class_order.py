"""How much of the gap to the published nonstationary values the order of the rows inside the classes explains.

``python studies/within_class_order.py IDAT|CAE [data set ...]`` draws that order anew, DRAWS times. Each draw gives
means over the streams of the 30 trials. For each data set it prints the published means, ours, the mean and standard
deviation of these means over the draws, and the distance of the published means in these standard deviations. Data
sets are looked for in PHIDA_DATA.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._partitions import adjusted_mutual_information, adjusted_rand, contingency
from phida_bench.datasets import entry, load
from phida_bench.protocol import stages
from phida_bench.published import published
from phida_bench.systems import CAE, IDAT

SYSTEMS = {"IDAT": IDAT, "CAE": CAE}
DRAWS = 10
MOST_STREAMS = 10
METRICS = ("ari", "ami", "n_nodes", "n_clusters")
#: Data sets with at most 7,000 rows and more than two nonstationary cells beyond two standard errors.
DATASETS = ("seeds", "mice_protein", "image_segmentation", "rice", "phoneme", "texture", "optdigits")

Rows = NDArray[np.int64]


def streams(y: Rows, spelling: str) -> list[tuple[int, list[Rows]]]:
    """The distinct streams of the 30 trials, with the number of trials of each; at most MOST_STREAMS."""
    found: dict[tuple[int, ...], tuple[int, list[Rows]]] = {}
    for seed in range(30):
        order = stages("nonstationary", y, spelling, seed)
        key = tuple(int(y[stage[0]]) for stage in order)
        found[key] = (found.get(key, (0,))[0] + 1, order)
    return list(found.values())[:MOST_STREAMS]


def trial(system: type, X: NDArray[np.float64], y: Rows, order: list[Rows]) -> list[float]:
    """Final scores and counts of one stream."""
    model: Any = system(compute_labels=False)
    for rows in order:
        model.partial_fit(X[rows])
    rows = np.concatenate(order)
    nodes = model.n_active_nodes_ if hasattr(model, "n_active_nodes_") else model.n_nodes_
    if nodes == 0:
        return [0.0, 0.0, 0.0, 0.0]
    table = contingency(y[rows], model.predict(X[rows]))
    return [adjusted_rand(table), adjusted_mutual_information(table), nodes, model.n_clusters_]


def mean(system: type, X: NDArray[np.float64], y: Rows, spelling: str) -> NDArray[np.float64]:
    """Mean of the trials, with each distinct stream counted as often as it is drawn."""
    found = streams(y, spelling)
    trials = [trial(system, X, y, order) for _, order in found]
    return np.average(trials, axis=0, weights=[count for count, _ in found])


def main(system: str, *names: str) -> None:
    facts = published()
    facts = facts[(facts["setting"] == "nonstationary") & (facts["method"] == system)]
    for name in names or DATASETS:
        data, spelling = load(entry(name)), entry(name).spelling
        there = facts[facts["dataset"] == name].set_index("metric")["mean"].reindex(METRICS).to_numpy()
        ours = mean(SYSTEMS[system], data.X, data.y, spelling)
        drawn = np.array([mean(SYSTEMS[system], data.X, data.y, f"{spelling} {draw}") for draw in range(DRAWS)])
        spread = drawn.std(axis=0, ddof=1)
        away = np.divide(there - drawn.mean(axis=0), spread, out=np.full(len(METRICS), np.nan), where=spread > 1e-9)
        print(
            f"{name}: published {show(there)}; ours {show(ours)}; over the draws "
            f"{show(drawn.mean(axis=0))} ± {show(spread)}; published lies at {show(away)} deviations",
            flush=True,
        )


def show(values: NDArray[np.float64]) -> str:
    return " ".join(f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main(*sys.argv[1:])
