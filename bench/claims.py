"""Fills numbers into texts from the tables of the benchmark, which keeps both equal.

``python bench/claims.py`` fills them in; ``--check`` lists the texts with other numbers. In a text a claim stands
between ``<!-- claim: WORDS -->`` and ``<!-- end -->``. The words:

    shapes count                             how many data sets have visible groups
    shapes ari shuffled PHIDA+               mean over these data sets, of the metric, in the order, of the system
    shapes solved grouped PHIDA+             share of them with an ARI of at least .95
    shapes lost shuffled                     on how many of them another system is better than PHIDA+ by .05
    shapes on r15 shuffled PHIDA+            ARI on one of them
    shapes finished shuffled HDBSCAN-*       how many of them a system finished
    shapes beside shuffled PHIDA+ HDBSCAN-*  mean ARI of the first on those that the second finished
    shapes table                             the systems of SHOWN, as a table
    public count                             the same words for the public files alone
    generated ari shuffled PHIDA+            the same words for the generated data sets alone
    paper ari nonstationary PHIDA+           mean over the paper's data sets
    paper better ari stationary PHIDA+ PHIDA on how many the first is better, "17 of 22"
    near ARI raw mixed PHIDA+                mean over the ten data sets of bench/results/neighbours.csv
"""

from __future__ import annotations

import re
import shlex
import sys
from functools import cache
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).parents[1]
TEXTS = ("README.md", "docs/why.md")
CLAIM = re.compile(r"(<!-- claim: ([^>]+?) -->)(.*?)(<!-- end -->)", re.DOTALL)
SOLVED, WORTH = 0.95, 0.05
OURS = "PHIDA+"

#: Name of each system in the texts' table, and in the report. A star means the best setting.
SHOWN = {
    "**PHIDA+**": "PHIDA+",
    "PHIDA, the published method": "PHIDA-equations",
    "KMeans, given K; all rows at once": "KMeans",
    "Birch, given K": "Birch",
    "MiniBatchKMeans, given K": "MiniBatchKMeans",
    "HDBSCAN; all rows at once": "HDBSCAN-*",
    "DBSTREAM": "DBSTREAM-*",
    "DenStream": "DenStream-*",
    "CluStream, given K": "CluStream",
    "IncDBSCAN": "IncDBSCAN-*",
    "MCMSTStream": "MCMSTStream-*",
    "CAEA": "CAEA",
    "DDVFA": "DDVFA",
    "SOINN+": "SOINN+",
    "CAE": "CAE",
    "IDAT": "IDAT",
    "GNG": "GNG",
}


@cache
def shapes(kind: str = "shapes") -> pd.DataFrame:
    """Means on the data sets with visible groups: all ("shapes"), or only the public or the generated ones."""
    cells = pd.read_csv(ROOT / "bench/results/shapes/cells.csv")
    if kind != "shapes":
        files = pd.read_csv(ROOT / "bench/src/phida_bench/datasets/shapes.csv")["name"]
        cells = cells[cells["dataset"].isin(files) == (kind == "public")]
    return cells.set_index(["setting", "method", "dataset"]).sort_index()


@cache
def paper() -> pd.DataFrame:
    """Means on the paper's data sets."""
    cells = pd.read_csv(ROOT / "bench/results/cells.csv", keep_default_na=False, na_values=[""])
    return cells[cells["status"] == "ok"].set_index(["setting", "metric", "method", "dataset"])["mean"].sort_index()


@cache
def near() -> pd.DataFrame:
    """Trials of PHIDA, PHIDA+ and common methods on real data."""
    return pd.read_csv(ROOT / "bench/results/neighbours.csv")


def of_shapes(kind: str, words: list[str]) -> str:
    """Fill in a claim about visible groups."""
    match words:
        case ["count"]:
            return str(shapes(kind).index.get_level_values("dataset").nunique())
        case ["table"]:
            return table()
        case ["solved", order, system]:
            return f"{(scores(order, system, kind=kind) >= SOLVED).mean():.0%}".replace("%", " %")
        case ["lost", order]:
            wide = shapes(kind).loc[order]["ari"].unstack("method")
            others = wide.drop(columns=[name for name in wide if name.startswith("PHIDA")]).max(axis=1)
            return str(int((others > wide[OURS] + WORTH).sum()))
        case ["finished", order, system]:
            return str(len(scores(order, system, kind=kind)))
        case ["beside", order, system, other]:
            return f"{beside(order, system, other, kind):.2f}"
        case ["on", dataset, order, system]:
            return f"{shapes(kind).loc[(order, system, dataset), 'ari']:.2f}"
        case [metric, order, system]:
            return f"{scores(order, system, metric, kind).mean():.2f}"
    raise KeyError(words)


def scores(order: str, system: str, metric: str = "ari", kind: str = "shapes") -> pd.Series:
    """Return a system's values of one metric, by data set."""
    return shapes(kind).loc[(order, chosen(system)), metric].dropna()


def beside(order: str, system: str, other: str, kind: str = "shapes") -> float:
    """Return the mean ARI of a system on the data sets that another system finished."""
    return float(scores(order, system, kind=kind).reindex(scores(order, other, kind=kind).index).mean())


def chosen(system: str) -> str:
    """Find a system by name; a star selects its setting with the best mean ARI on shuffled rows."""
    means = shapes().loc["shuffled"]["ari"].groupby("method").mean()
    found = means[means.index.str.startswith(system[:-1])] if system.endswith("*") else means[[system]]
    if found.empty:
        raise KeyError(system)
    return str(found.idxmax())


def table() -> str:
    """Format the systems of SHOWN as a Markdown table."""
    rows = [
        "",
        "| | shuffled | group by group | early | ARI ≥ .95 | µs a row | data sets | PHIDA+ there |",
        "|---" * 8 + "|",
    ]
    for title, system in SHOWN.items():
        name = chosen(system)
        second = f"{scores('grouped', name).mean():.2f}" if name in shapes().loc["grouped"].index else ""
        setting = f", {name.split('-')[1]}" + ("" if name.startswith("HDBSCAN") else " %") if "*" in system else ""
        speed = shapes().loc[("shuffled", name), "us_per_row"].median()
        rows.append(
            f"| {title.replace(';', setting + ';') if ';' in title else title + setting} "
            f"| {scores('shuffled', name).mean():.2f} | {second} | {scores('shuffled', name, 'early_ari').mean():.2f} "
            f"| {(scores('shuffled', name) >= SOLVED).mean():.0%} | {speed:.1f} | {len(scores('shuffled', name))} "
            f"| {beside('shuffled', OURS, name):.2f} |"
        )
    return "\n".join([*rows, "", ""])


def of_paper(words: list[str]) -> str:
    """Fill in a claim about the paper's data sets."""
    match words:
        case ["better", metric, setting, a, b]:
            pairs = paper().loc[(setting, metric)].unstack("method")[[a, b]].dropna()
            return f"{int((pairs[a] > pairs[b]).sum())} of {len(pairs)}"
        case [metric, setting, system]:
            return f"{paper().loc[(setting, metric, system)].mean():.2f}"
    raise KeyError(words)


def of_near(words: list[str]) -> str:
    """Fill in a claim about ten real data sets."""
    metric, features, order, system = words
    here = near()[(near()["scaled"] == (features != "raw")) & (near()["order"] == order) & (near()["method"] == system)]
    return f"{here.groupby('data')[metric].mean().mean():.2f}"


def filled(text: str) -> str:
    """Return the text with the current value of every claim."""

    def fill(found: re.Match[str]) -> str:
        source, *words = shlex.split(found[2])
        if source in ("shapes", "public", "generated"):
            value = of_shapes(source, words)
        else:
            value = {"paper": of_paper, "near": of_near}[source](words)
        return found[1] + value + found[4]

    return CLAIM.sub(fill, text)


def main(*options: str) -> int:
    """Fill in all texts, or check them."""
    stale = [name for name in TEXTS if filled(text := (ROOT / name).read_text("utf-8")) != text]
    for name in stale:
        if "--check" in options:
            print(f"{name} has numbers that its tables do not; run: python bench/claims.py")
        else:
            (ROOT / name).write_text(filled((ROOT / name).read_text("utf-8")), "utf-8")
    return int(bool(stale) and "--check" in options)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
