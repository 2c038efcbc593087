"""Prediction of a Spark table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from phida.estimators import Estimator
from phida.spark.columns import Features, features_of, matrix


def predict(df: DataFrame, model: Estimator, features: Features = None, *, output: str = "prediction") -> DataFrame:
    """Add a column with the predicted cluster of each row.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    model : phida.PHIDA or phida.PHIDAPlus
        Fitted model; it is sent to each worker once.
    features : str or sequence of str, default=None
        An array or vector column, or several numeric columns. None: the columns that the model was trained on or, if
        it has no feature names, all numeric columns. A model with an encoder takes the columns of the encoder.
    output : str, default="prediction"
        Name of the new column, of type int.

    Returns
    -------
    labelled : pyspark.sql.DataFrame
    """
    encoding = model._fitted.preparation.encoding
    if features is None and encoding is not None:
        return df.withColumn(output, _table_labeller(model)(F.struct(*(F.col(f"`{name}`") for name in encoding.names))))
    if features is None and hasattr(model, "feature_names_in_"):
        features = [str(name) for name in model.feature_names_in_]
    column, _ = features_of(df, features)
    return df.withColumn(output, _labeller(model)(column))


def _table_labeller(model: Estimator) -> Any:
    nameless = model._with_names(None)

    def labels(tables: Iterator[pd.DataFrame]) -> Iterator[pd.Series]:
        for table in tables:
            yield pd.Series(nameless.predict(table) if len(table) else [], dtype="int32")

    return F.pandas_udf(labels, "int")


def _labeller(model: Estimator) -> Any:
    nameless = model._with_names(None)  # workers have matrices

    def labels(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
        for arrays in batches:
            yield pa.array(nameless.predict(matrix(arrays)) if len(arrays) else [], pa.int32())

    if hasattr(F, "arrow_udf"):  # since Spark 4.1
        return F.arrow_udf(labels, "int")

    def labels_of_series(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
        arrays = (pa.array(series, pa.list_(pa.float64())) for series in batches)
        return (found.to_pandas() for found in labels(arrays))

    return F.pandas_udf(labels_of_series, "int")
