"""Streams of dicts and frames, and models, for the tests of river."""

from typing import NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data import drifting

import phida
import phida.river


class Kind(NamedTuple):
    clusterer: type  # for river
    estimator: type  # for scikit-learn, with the same learner


KINDS = {name: Kind(getattr(phida.river, name), getattr(phida, name)) for name in ("PHIDA", "PHIDAPlus")}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)

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
