"""Labels as a column."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from phida import estimator
from phida.spark.columns import Features, features_of


def predict(
    df: DataFrame, model: estimator.PHIDA, features: Features = None, *, output: str = "prediction"
) -> DataFrame:
    """The table with the cluster of each row as one more column.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    model : phida.PHIDA
        It goes to every worker once.
    features : str or sequence of str, default=None
        An array or vector column, or several numeric ones; None stands for the columns that the model was learned from,
        where it knows their names, else for all numeric columns.
    output : str, default="prediction"
        Name of the new column, of type int.

    Returns
    -------
    labelled : pyspark.sql.DataFrame
    """
    if features is None and "feature_names_in_" in vars(model):
        features = [str(name) for name in model.feature_names_in_]
    column, _ = features_of(df, features)
    return df.withColumn(output, _labeller(model)(column))


def _labeller(model: estimator.PHIDA) -> Any:
    nameless = copy.copy(model)  # workers have matrices
    for name in ("feature_names_in_", "labels_"):
        nameless.__dict__.pop(name, None)

    def label(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        for arrays in batches:
            rows = np.concatenate(arrays.to_numpy()).reshape(len(arrays), -1) if len(arrays) else None
            yield pd.Series([] if rows is None else nameless.predict(rows), dtype="int32")

    return F.pandas_udf(label, "int")
