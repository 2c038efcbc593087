"""Training on a Spark table: one model per partition and a tree of merges, or one task for all rows in order."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from sklearn.base import clone

from phida import distributed
from phida.errors import InputError
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, Order, check_names, chosen, in_order, matrix

E = TypeVar("E", bound=Estimator)

#: Number of models that one task merges, and that the driver collects at most; a power of 2, as for the tree of
#: :mod:`phida.distributed`.
FAN_IN = 16

#: Number of a part, and its model as the content of a model file, or an error. Invalid rows are returned as an error,
#: not raised: after an exception, Spark would retry the same rows. Both are null if the part has no rows.
RESULT = "part int, model binary, error string"


def fit(
    df: DataFrame, features: Features = None, *, order: Order = None, estimator: type[E] = PHIDAPlus, **parameters: Any
) -> E:
    """Train a new model on a table, and refresh it.

    PHIDA+ learns one model per partition, in parallel, and merges them. Each task holds one Arrow batch at a time. The
    model is bit-identical to the same merges on one machine: :func:`phida.distributed.merge_tree` of models of
    :func:`phida.distributed.learn_part`.

    PHIDA, and PHIDA+ with ``half_life``, depend on the order of all rows, so one task learns the whole table. The model
    is bit-identical to ``fit`` on one machine.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    features : str or sequence of str, default=None
        An array or vector column, or several numeric columns. None: all numeric columns except those of ``order``.
    order : str or sequence of str, default=None
        Columns that the rows of each partition are sorted by; all rows, if one task learns them. Use enough columns to
        make rows distinct, because Spark does not fix the order of ties. Without them, rows are learned in the order of
        ``df.collect()``. For files, that order follows their sizes, not their names. After a shuffle, it may differ
        from run to run. If only some partitions of the table are cached, the first cached one comes first.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    **parameters
        Parameters of the estimator, except ``compute_labels``.

    Returns
    -------
    model : phida.PHIDA or phida.PHIDAPlus
    """
    model = learned(distributed.unfitted(estimator, parameters), df, features, order, follow=False)
    if not model.__sklearn_is_fitted__():
        raise InputError("the table has no rows to learn from.")
    return model.refresh()


def learned(model: E, df: DataFrame, features: Features = None, order: Order = None, *, follow: bool = True) -> E:
    """Return the model after learning the rows of a table; the given model does not change.

    Without ``follow``, ``refresh`` maps the nodes to clusters.
    """
    rows, names = chosen(df, features, order)
    check_names(model, names)
    ordered, begun = model._settings().needs_order, model.__sklearn_is_fitted__()
    if ordered:
        # Sorted after the coalesce, which may reorder partitions.
        parts = in_order(rows.coalesce(1), order).mapInArrow(
            partial(_learn, model=model._with_names(None), follow=follow), RESULT
        )
        found = _models(parts.collect(), model)[0]
    else:
        parts = in_order(rows, order).mapInArrow(partial(_learn, model=clone(model), follow=False), RESULT)
        found = _merged(parts, model)
    if not found.__sklearn_is_fitted__():
        return model
    found = found._with_names(getattr(model, "feature_names_in_", None) if begun else names)
    if ordered:
        return found
    if begun:
        return distributed.merge_two(copy.deepcopy(model), found)
    return found.refresh() if follow else found


def _learn(batches: Iterator[pa.RecordBatch], model: Estimator, follow: bool) -> Iterator[pa.RecordBatch]:
    """Learn the rows of a partition, on a worker."""
    part = TaskContext.get().partitionId()
    for batch in batches:
        if not batch.num_rows:
            continue
        try:
            model._partial_fit(matrix(batch.column(0)), follow=follow)
        except ValueError as error:
            yield _result(part, error=str(error))
            return
    yield _result(part, model)


def _merged(parts: DataFrame, model: E) -> E:
    """Merge the models of all partitions: many on workers, the last few on the driver."""
    kept = parts.persist()  # prevents learning partitions twice
    try:
        facts = kept.select("part", "error").collect()
        _raise_error(facts, "partition {}: ")
        n_parts = 1 + max((fact["part"] for fact in facts), default=0)
        while n_parts > FAN_IN:
            n_parts = -(-n_parts // FAN_IN)
            groups = parts.withColumn("group", F.expr(f"int(part div {FAN_IN})")).repartition(n_parts, "group")
            parts = groups.groupBy("group").applyInArrow(_merging(clone(model)), RESULT)
        merged: E = distributed.merge_tree(_models(parts.collect(), model), distributed.merge_parts)
        return merged
    finally:
        kept.unpersist()


def _merging(unfitted: Estimator) -> Any:
    """Return the function that merges the models of a group on a worker."""

    def merge(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        part = rows[0]["group"]
        try:
            made = _result(part, distributed.merge_tree(_models(rows, unfitted), distributed.merge_parts))
        except ValueError as error:
            made = _result(part, error=str(error))
        return pa.Table.from_batches([made])

    return merge


def _result(part: int, model: Estimator | None = None, error: str | None = None) -> pa.RecordBatch:
    content = None if model is None or not model.__sklearn_is_fitted__() else model.to_bytes()
    columns = [pa.array([part], pa.int32()), pa.array([content], pa.binary()), pa.array([error], pa.string())]
    return pa.RecordBatch.from_arrays(columns, names=["part", "model", "error"])


def _models(rows: Iterable[Any], unfitted: E) -> list[E]:
    """Return the models of results by part; those of empty parts are not fitted."""
    rows = list(rows)
    _raise_error(rows)
    contents = {row["part"]: row["model"] for row in rows}
    first = min(contents, default=0) // FAN_IN * FAN_IN
    found = (contents.get(part) for part in range(first, max(contents, default=0) + 1))
    return [clone(unfitted) if content is None else type(unfitted).from_bytes(bytes(content)) for content in found]


def _raise_error(rows: Iterable[Any], where: str = "") -> None:
    """Raise the error of the first part that has one."""
    if errors := {row["part"]: row["error"] for row in rows if row["error"] is not None}:
        first = min(errors)
        raise InputError(f"{where.format(first)}{errors[first]}")
