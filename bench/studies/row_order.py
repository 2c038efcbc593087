"""Find copies and names of data sets that give PHIDA's published values, as ours do not: Anuran Calls and Letter.

``python studies/row_order.py anuran_calls`` learns the nonstationary streams of many spellings of the name and of all
numberings of the four classes, and prints the nearest to the published means, and the spread over all of them.
``python studies/row_order.py letter`` does so for orders of the rows. Data sets are looked for in PHIDA_DATA.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from phida._agreement import adjusted_mutual_information, adjusted_rand, contingency
from phida_bench.datasets import entry, load
from phida_bench.protocol import stages
from phida_bench.published import published
from phida_bench.released import ReleasedPHIDA

METRICS = ("ari", "ami", "n_nodes", "n_clusters")
SPELLINGS = (
    *("AnuranCalls", "Anuran Calls", "Anuran", "anuran_calls", "anuran", "Anuran_Calls", "AnuranCall", "ANURAN"),
    *("AnuranCallsMFCCs", "AnuranCalls(MFCCs)", "Anuran Calls (MFCCs)", "Anuran_Calls_MFCCs", "anurancalls", "Frogs"),
    *("Frogs_MFCCs", "FrogsMFCCs", "frogs", "MFCC", "MFCCs", "Anuran-Calls", "ANURANCALLS", "AnuranFamily"),
    *("AnuranCallsFamily", "AnuranCalls_Family", "anuran-calls", "Frog", "Anurans", "Anuran calls", "AnuranMFCC"),
)


def means(X: np.ndarray, y: np.ndarray, spelling: str, setting: str, scores: bool = True) -> np.ndarray:
    """Return means over the 30 seeds; without scores, only those of the counts, which is faster."""
    found = []
    for seed in range(30):
        order = stages(setting, y, spelling, seed)  # type: ignore[arg-type]
        model = ReleasedPHIDA(compute_labels=False)
        for stage in order:
            model.partial_fit(X[stage]).refresh()
        counts = [model.n_active_nodes_, model.n_clusters_]
        if scores:
            rows = np.concatenate(order)
            table = contingency(y[rows], model.predict(X[rows]))
            counts = [adjusted_rand(table), adjusted_mutual_information(table), *counts]
        found.append(counts)
    return np.mean(found, axis=0)


def anuran_calls() -> Iterator[tuple[str, np.ndarray]]:
    data = load(entry("anuran_calls"))
    for spelling in SPELLINGS:
        for numbers in permutations(range(4)):
            yield f"{spelling} {numbers}", means(data.X, np.array(numbers)[data.y], spelling, "nonstationary", False)


def letter() -> Iterator[tuple[str, np.ndarray]]:
    data = load(entry("letter"))
    rows = np.lexsort(data.X.T[::-1])
    orders = {
        "as it is": np.arange(len(data.y)),
        "reversed": np.arange(len(data.y))[::-1],
        "by class": np.argsort(data.y, kind="stable"),
        "by class, quicksort": np.argsort(data.y),
        "by value": rows,
        "by class, then value": rows[np.argsort(data.y[rows], kind="stable")],
        "last 4,000 first": np.r_[16000:20000, :16000],
    }
    for name, order in orders.items():
        for setting in ("stationary", "nonstationary"):
            yield f"{setting}, {name}", means(data.X[order], data.y[order], "Letter", setting)


def main(name: str) -> None:
    facts = published()
    facts = facts[(facts["dataset"] == name) & (facts["method"] == "PHIDA")].set_index(["setting", "metric"])["mean"]
    for setting in ("stationary", "nonstationary"):
        print(f"published, {setting}:", *(f"{metric} {facts[setting, metric]}" for metric in METRICS))
    tried = {}
    for what, found in {"anuran_calls": anuran_calls, "letter": letter}[name]():
        tried[what] = found
        if name == "letter":
            print(what, found.round(3), flush=True)
    if name == "anuran_calls":
        there = np.array([facts["nonstationary", metric] for metric in METRICS[2:]])
        values = np.array(list(tried.values()))
        print(f"{len(values)} tried: mean {values.mean(axis=0).round(2)}, deviation {values.std(axis=0).round(2)}")
        gaps = np.abs(values - there).sum(axis=1)
        for place in np.argsort(gaps)[:8]:
            print(list(tried)[place], values[place].round(2))


if __name__ == "__main__":
    main(sys.argv[1])
