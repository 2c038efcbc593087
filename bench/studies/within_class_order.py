"""Find how much of the gap to the published nonstationary values comes from the order of rows within classes.

``python studies/within_class_order.py IDAT|CAE [data set ...]`` draws that order anew, DRAWS times. Each draw gives
means over the streams of the 30 trials. For each data set it prints the published means, ours, the mean and standard
deviation of these means over the draws, and the distance of the published means in these standard deviations. For CAE
it does so for three readings of the counter that starts the removal of isolated nodes. Data sets are looked for in
PHIDA_DATA.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._agreement import adjusted_mutual_information, adjusted_rand, contingency
from phida_bench.datasets import entry, load
from phida_bench.protocol import stages
from phida_bench.published import published
from phida_bench.systems import CAE, IDAT

DRAWS = 10
MOST_STREAMS = 10
METRICS = ("ari", "ami", "n_nodes", "n_clusters")
#: Data sets with at most 7,000 rows and more than two nonstationary cells beyond two standard errors.
DATASETS = ("seeds", "mice_protein", "image_segmentation", "rice", "phoneme", "texture", "optdigits")

Rows = NDArray[np.int64]
Cut = Callable[[list[Rows]], list[Rows]]


def per_call(order: list[Rows]) -> list[Rows]:
    """Reset the counter with every stage."""
    return order


def never_reset(order: list[Rows]) -> list[Rows]:
    """Count through all stages."""
    return [np.concatenate(order)]


def at_size_of_call(order: list[Rows]) -> list[Rows]:
    """Reset the counter before a row at which it equals the number of rows in the current stage."""
    calls: list[list[int]] = [[]]
    for stage in order:
        for row in stage:
            if len(calls[-1]) == len(stage):
                calls.append([])
            calls[-1].append(int(row))
    return [np.array(call) for call in calls]


def streams(y: Rows, spelling: str) -> list[tuple[int, list[Rows]]]:
    """The distinct streams of the 30 trials, with the number of trials of each; at most MOST_STREAMS."""
    found: dict[tuple[int, ...], tuple[int, list[Rows]]] = {}
    for seed in range(30):
        order = stages("nonstationary", y, spelling, seed)
        key = tuple(int(y[stage[0]]) for stage in order)
        found[key] = (found.get(key, (0,))[0] + 1, order)
    return list(found.values())[:MOST_STREAMS]


def trial(system: type, X: NDArray[np.float64], y: Rows, calls: list[Rows]) -> list[float]:
    """Final scores and counts of one stream."""
    model: Any = system(compute_labels=False)
    for rows in calls:
        model.partial_fit(X[rows])
    rows = np.concatenate(calls)
    nodes = model.n_active_nodes_ if hasattr(model, "n_active_nodes_") else model.n_nodes_
    if nodes == 0:
        return [0.0, 0.0, 0.0, 0.0]
    table = contingency(y[rows], model.predict(X[rows]))
    return [adjusted_rand(table), adjusted_mutual_information(table), nodes, model.n_clusters_]


def mean(system: type, X: NDArray[np.float64], y: Rows, cut: Cut, spelling: str) -> NDArray[np.float64]:
    found = streams(y, spelling)
    trials = [trial(system, X, y, cut(order)) for _, order in found]
    return np.average(trials, axis=0, weights=[count for count, _ in found])


def readings(name: str) -> Iterator[tuple[str, Callable[..., NDArray[np.float64]]]]:
    if name == "IDAT":
        yield "IDAT", partial(mean, IDAT, cut=per_call)
        return
    yield "CAE, counter per stage", partial(mean, CAE, cut=per_call)
    yield "CAE, counter never reset", partial(mean, CAE, cut=never_reset)
    yield "CAE, counter reset at the size of the stage", partial(mean, CAE, cut=at_size_of_call)


def main(system: str, *names: str) -> None:
    facts = published()
    facts = facts[(facts["setting"] == "nonstationary") & (facts["method"] == system)]
    for name in names or DATASETS:
        data, spelling = load(entry(name)), entry(name).spelling
        there = facts[facts["dataset"] == name].set_index("metric")["mean"].reindex(METRICS).to_numpy()
        for reading, means in readings(system):
            ours = means(X=data.X, y=data.y, spelling=spelling)
            drawn = np.array([means(X=data.X, y=data.y, spelling=f"{spelling} {draw}") for draw in range(DRAWS)])
            spread = drawn.std(axis=0, ddof=1)
            away = np.divide(there - drawn.mean(axis=0), spread, out=np.full(len(METRICS), np.nan), where=spread > 1e-9)
            print(
                f"{name}, {reading}: published {show(there)}; ours {show(ours)}; over the draws "
                f"{show(drawn.mean(axis=0))} ± {show(spread)}; published lies at {show(away)} deviations",
                flush=True,
            )


def show(values: NDArray[np.float64]) -> str:
    return " ".join(f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main(*sys.argv[1:])
