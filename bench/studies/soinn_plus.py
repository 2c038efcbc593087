"""Find why SOINN+ differs from its published values when classes come one after the other.

``python studies/soinn_plus.py [data set ...]`` prints, for each data set and each reading of the method, the published
mean beside the mean of ours and beside its spread over draws of what the paper fixes once per data set: the order of
the rows inside each class. A second spread is that of relative noise of 1e-12 in the features, which changes nothing
but how close calls are decided. Data sets are looked for in the folder PHIDA_DATA.
"""

from __future__ import annotations

import sys

import numpy as np

from phida._agreement import adjusted_mutual_information, adjusted_rand, contingency
from phida_bench import _systems
from phida_bench.datasets import entry, load
from phida_bench.protocol import stages
from phida_bench.published import published

DRAWS = 12
METRICS = ("ari", "ami", "n_nodes", "n_clusters")
#: Variants: how deleted nodes are counted, and which edges set the usual thresholds.
READINGS = {
    "released": {"count_indices": True, "usual_of_renewed": True},
    "equations": {"count_indices": False, "usual_of_renewed": False},
    "count alone": {"count_indices": True, "usual_of_renewed": False},
    "edges alone": {"count_indices": False, "usual_of_renewed": True},
}


def trial(X: np.ndarray, y: np.ndarray, order: list[np.ndarray], passes: int = 1, **reading: bool) -> list[float]:
    """Return the final scores and counts of one stream."""
    system = _systems.SOINNPlus(X.shape[1], **reading)
    for stage in order:
        for _ in range(passes):
            system.learn(np.ascontiguousarray(X[stage]))
    rows = np.concatenate(order)
    table = contingency(y[rows], system.assign(np.ascontiguousarray(X[rows])))
    return [adjusted_rand(table), adjusted_mutual_information(table), system.n_nodes, system.n_clusters]


def streams(y: np.ndarray, spelling: str) -> list[tuple[int, list[np.ndarray]]]:
    """The distinct streams of the 30 trials, and how often each occurs; at most ten of them."""
    found: dict[tuple[int, ...], tuple[int, list[np.ndarray]]] = {}
    for seed in range(30):
        order = stages("nonstationary", y, spelling, seed)
        key = tuple(int(y[stage[0]]) for stage in order)
        found[key] = (found.get(key, (0,))[0] + 1, order)
    return list(found.values())[:10]


def mean(X: np.ndarray, y: np.ndarray, spelling: str, **more: object) -> np.ndarray:
    trials = [(count, trial(X, y, order, **more)) for count, order in streams(y, spelling)]  # type: ignore[arg-type]
    return np.average([values for _, values in trials], axis=0, weights=[count for count, _ in trials])


def main(*names: str) -> None:
    facts = published()
    facts = facts[(facts["setting"] == "nonstationary") & (facts["method"] == "SOINN+")]
    for name in names or ("pima", "rice", "tuandromd", "phoneme"):
        data, spelling = load(entry(name)), entry(name).spelling
        there = facts[facts["dataset"] == name].set_index("metric")["mean"].reindex(METRICS).to_numpy()
        print(f"{name}: published {show(there)}; {len(streams(data.y, spelling))} streams", flush=True)
        for reading, flags in READINGS.items():
            ours = mean(data.X, data.y, spelling, **flags)
            drawn = np.array([mean(data.X, data.y, f"{spelling} {draw}", **flags) for draw in range(DRAWS)])
            away = (there - drawn.mean(axis=0)) / drawn.std(axis=0, ddof=1)
            print(
                f"  {reading}: ours {show(ours)}; over orders inside classes {show(drawn.mean(axis=0))} ± "
                f"{show(drawn.std(axis=0, ddof=1))}; published lies at {show(away)} deviations",
                flush=True,
            )
        noisy = []
        for draw in range(DRAWS):
            noise = 1 + 1e-12 * np.random.RandomState(draw).standard_normal(data.X.shape)
            noisy.append(mean(data.X * noise, data.y, spelling, **READINGS["released"]))
        spread = np.std(noisy, axis=0, ddof=1)
        print(f"  released, with noise of 1e-12: {show(np.mean(noisy, axis=0))} ± {show(spread)}")
        twice = mean(data.X, data.y, spelling, passes=2, **READINGS["released"])
        print(f"  released, two passes a stage: {show(twice)}", flush=True)


def show(values: np.ndarray) -> str:
    return " ".join(f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}" for value in values)


if __name__ == "__main__":
    main(*sys.argv[1:])
