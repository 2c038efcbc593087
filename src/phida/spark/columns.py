"""Features of a Spark table: one array of doubles a row, whatever they came as."""

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

Features = str | Sequence[str] | None


def features_of(df: DataFrame, features: Features) -> tuple[Column, list[str] | None]:
    """The features as one array, and their names where each is a column.

    ``features`` names an array or vector column, or several numeric ones; None stands for all numeric columns.
    """
    if isinstance(features, str):
        kind = df.schema[features].dataType
        if isinstance(kind, VectorUDT):
            return vector_to_array(features), None
        if isinstance(kind, ArrayType):
            return F.col(features).cast("array<double>"), None
        features = [features]
    chosen = [field.name for field in df.schema if _is_number(field.dataType)] if features is None else list(features)
    if not chosen:
        raise ValueError("the table has no numeric column; name an array or vector column with features=.")
    if other := [name for name in chosen if not _is_number(df.schema[name].dataType)]:
        raise ValueError(f"column {other[0]!r} is not numeric; encode it, or leave it out with features=[...].")
    return F.array(*(F.col(f"`{name}`").cast("double") for name in chosen)), chosen


def matrix(arrays: Any) -> NDArray[np.float64]:
    """Rows from an Arrow list column, or an error that says which row is not like the others."""
    values: NDArray[np.float64] = arrays.flatten().to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    width, left_over = divmod(len(values), max(len(arrays), 1))
    lengths = arrays.value_lengths().to_numpy(zero_copy_only=False)
    if left_over or not (lengths == width).all():
        raise ValueError("rows have features of different lengths, or none; every row needs the same number.")
    return values.reshape(-1, width)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, NumericType | BooleanType)
