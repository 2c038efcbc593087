"""The published tables: means and standard deviations over 30 runs."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import pandas as pd

#: Number of runs for each published mean.
RUNS = 30


@cache
def published() -> pd.DataFrame:
    """All cells: setting, dataset, metric, method, mean, std, status (ok, unavailable or not_applicable)."""
    folder = files(__package__).joinpath("published_tables")
    tables = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".csv"):
            with file.open(encoding="utf-8") as text:
                tables.append(pd.read_csv(text))
    return pd.concat(tables, ignore_index=True).rename(columns={"measure": "metric"}).assign(runs=RUNS)
