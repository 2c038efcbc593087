"""Means and standard deviations over the seeds, and their comparison with the published ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from phida_bench.metrics import metrics
from phida_bench.published import published

CELL = ["setting", "dataset", "method"]


def summarise(table: pd.DataFrame) -> pd.DataFrame:
    """Return mean, std (n − 1), runs, status and reason per cell and metric; a cell with a failed trial is unavailable.

    The layout is that of :func:`phida_bench.published.published`, with the reason why a cell is unavailable.
    """
    names = [name for name in metrics() if name in table]
    long = table.melt([*CELL, "seed", "status"], names, "metric", "value")
    ok = long.assign(value=long["value"].astype(float)).groupby([*CELL, "metric"], sort=False)
    cells = ok["value"].agg(mean="mean", std=lambda v: v.std(ddof=1), runs="count").reset_index()
    bad = table[table["status"] != "ok"].groupby(CELL)["reason"].first().str.removeprefix("as with seed 0: ")
    index = pd.MultiIndex.from_frame(cells[CELL])
    failed = index.isin(bad.index)
    cells["status"] = np.where(failed, "unavailable", np.where(cells["runs"] > 0, "ok", "not_applicable"))
    cells.loc[cells["status"] != "ok", ["mean", "std"]] = np.nan
    cells["reason"] = bad.reindex(index).fillna("").to_numpy()
    applies = [row.setting in metrics()[row.metric].settings for row in cells.itertuples()]
    return cells[applies].reset_index(drop=True)


def with_earlier(cells: pd.DataFrame, earlier: pd.DataFrame) -> pd.DataFrame:
    """Return cells, replaced by those of an earlier run that have more seeds; the column ``earlier`` marks these.

    The means of an earlier run may exist without its trials. A cell is taken whole from one run or the other.
    """
    seeds = [
        table[table["metric"] == "ari"].assign(ok=lambda t: t["runs"].where(t["status"] == "ok", 0)).set_index(CELL)
        for table in (cells, earlier)
    ]
    ours = seeds[0]["ok"].reindex(seeds[1].index)
    more = seeds[1]["ok"] > ours.fillna(-1)
    chosen = pd.MultiIndex.from_frame(earlier[CELL]).isin(more[more].index)
    replaced = pd.MultiIndex.from_frame(cells[CELL]).isin(more[more].index)
    both = [cells[~replaced].assign(earlier=False), earlier[chosen].assign(earlier=True)]
    return pd.concat([table for table in both if len(table)], ignore_index=True)


def matrix(cells: pd.DataFrame, setting: str, metric: str) -> pd.DataFrame:
    """Return means by data set (rows) and method (columns); NaN if unavailable."""
    chosen = cells[(cells["setting"] == setting) & (cells["metric"] == metric)]
    return chosen.pivot(index="dataset", columns="method", values="mean")


def beside_published(cells: pd.DataFrame, names: Mapping[str, str]) -> pd.DataFrame:
    """Return our cells and the published ones of the same method, with the difference in standard errors.

    ``names`` gives the published name of each of our methods that has one.
    """
    ours = cells[cells["method"].isin(names.keys())].assign(published_method=lambda c: c["method"].map(names))
    theirs = published().rename(columns={"method": "published_method"})
    both = ours.merge(
        theirs, on=["setting", "dataset", "published_method", "metric"], suffixes=("", "_published"), how="left"
    )
    error = np.sqrt(both["std"] ** 2 / both["runs"] + both["std_published"] ** 2 / both["runs_published"])
    error = error.where(error > 1e-9, 0.0)  # equal values have a spread from rounding alone
    difference = both["mean"] - both["mean_published"]
    both["difference"] = difference
    with np.errstate(divide="ignore", invalid="ignore"):
        both["standard_errors"] = np.where(difference == 0, 0.0, difference / error)
    return both
