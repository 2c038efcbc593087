"""Streams of dicts and frames for the tests of the river model."""

import pandas as pd
import polars as pl
import pyarrow as pa
from data import drifting

NAMES = ("height", "width", "depth")
X = drifting(300)

FRAMES = {
    "pandas": lambda rows, names=NAMES: pd.DataFrame(rows, columns=list(names)),
    "polars": lambda rows, names=NAMES: pl.DataFrame(rows, schema=list(names), orient="row"),
    "pyarrow": lambda rows, names=NAMES: pa.table({name: rows[:, i] for i, name in enumerate(names)}),
}


def dicts(rows, names=NAMES):
    return [dict(zip(names, row, strict=True)) for row in rows.tolist()]


def learned(model, rows, names=NAMES):
    for x in dicts(rows, names):
        model.learn_one(x)
    return model
