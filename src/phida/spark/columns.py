"""Features of a Spark table, as one array of doubles per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, NumericType

from phida.errors import InputError
from phida.estimators import Estimator

Features = str | Sequence[str] | None
Order = str | Sequence[str] | None


def features_of(df: DataFrame, features: Features, order: Order = None) -> tuple[Column, list[str] | None]:
    """Return the features as one array column, and their names if each is a column.

    ``features`` names an array or vector column, or several numeric columns. None: all numeric columns except those of
    ``order``.
    """
    if isinstance(features, str):
        kind = df.schema[features].dataType
        if isinstance(kind, VectorUDT):
            return vector_to_array(features), None
        if isinstance(kind, ArrayType):
            return F.col(f"`{features}`").cast("array<double>"), None
        features = [features]
    if features is None:
        left_out = names(order)
        chosen = [f.name for f in df.schema if _is_number(f.dataType) and f.name not in left_out]
    else:
        chosen = list(features)
    if not chosen:
        raise InputError("the table has no numeric columns; name an array or vector column with features=.")
    if other := [name for name in chosen if not _is_number(df.schema[name].dataType)]:
        raise InputError(f"column {other[0]!r} is not numeric; encode it, or leave it out with features=[...].")
    return F.array(*(F.col(f"`{name}`").cast("double") for name in chosen)), chosen


def names(given: str | Sequence[str] | None) -> list[str]:
    """Return column names as a list."""
    return [given] if isinstance(given, str) else list(given or ())


def chosen(df: DataFrame, features: Features, order: Order) -> tuple[DataFrame, list[str] | None]:
    """Return the table as one column of features and the columns of the order, and the features' names."""
    column, feature_names = features_of(df, features, order)
    keys = (F.col(f"`{name}`").alias(key) for name, key in zip(names(order), _keys(order), strict=True))
    return df.select(column.alias("features"), *keys), feature_names


def in_order(rows: DataFrame, order: Order) -> DataFrame:
    """Return the features of a table that :func:`chosen` made, with each partition sorted."""
    return rows.sortWithinPartitions(*_keys(order)).select("features") if order is not None else rows


def _keys(order: Order) -> list[str]:
    return [f"key{k}" for k in range(len(names(order)))]


def check_names(model: Estimator, names: list[str] | None) -> None:
    """Raise an error if the model was trained on other columns, or in another order."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None and names is not None and names != list(known):
        raise InputError(
            f"the model was trained on the columns {list(known)}, in this order, not on {names}; "
            f"pass features={list(known)}, or train a new model."
        )


def matrix(arrays: Any) -> NDArray[np.float64]:
    """Return rows from an Arrow list column; raise an error if their lengths differ."""
    values: NDArray[np.float64] = arrays.flatten().to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    width, left_over = divmod(len(values), max(len(arrays), 1))
    lengths = arrays.value_lengths().to_numpy(zero_copy_only=False)
    if left_over or not (lengths == width).all():
        raise InputError("rows have different numbers of features, or none; every row needs the same number.")
    return values.reshape(-1, width)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, NumericType | BooleanType)
