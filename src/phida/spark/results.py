"""Results of learning tasks: a model as bytes, or an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import pyarrow as pa

from phida.estimators import Estimator

RESULT = "model binary, error string"

E = TypeVar("E", bound=Estimator)

Batches = Iterator[pa.RecordBatch]


def result(model: Estimator | None = None, error: Exception | None = None) -> pa.RecordBatch:
    """On a worker: return the result of a job, a single row.

    Invalid rows are returned as an error, not raised: after an exception, Spark would retry the same rows.
    """
    content = None if model is None or not model.__sklearn_is_fitted__() else model.to_bytes()
    columns = [pa.array([content], pa.binary()), pa.array([None if error is None else str(error)], pa.string())]
    return pa.RecordBatch.from_arrays(columns, names=["model", "error"])


def model_of(rows: Sequence[Any], before: E, names: list[str] | None) -> E:
    """On the driver: return the model of a job's result, or the model before it if there were no rows."""
    for row in rows:
        if row["error"] is not None:
            raise ValueError(row["error"])
        if row["model"] is not None:
            model = type(before).from_bytes(bytes(row["model"]))
            model._name_features(getattr(before, "feature_names_in_", names))
            return model
    return before
