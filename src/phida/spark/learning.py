"""Training on a Spark table: exactly, in one task, or by partitions, in parallel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame

from phida import distributed
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, Order, check_names, chosen, in_order, matrix
from phida.spark.partitions import learned_by_partitions
from phida.spark.results import RESULT, Batches, model_of, result

E = TypeVar("E", bound=Estimator)


def fit(
    df: DataFrame,
    features: Features = None,
    *,
    method: str = "exact",
    order: Order = None,
    estimator: type[E] = PHIDAPlus,
    random_state: int = 0,
    **parameters: Any,
) -> E:
    """Train a new model on a table, and refresh it.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    features : str or sequence of str, default=None
        An array or vector column, or several numeric columns. None: all numeric columns except those of ``order``.
    method : {"exact", "partitions"}, default="exact"
        ``"exact"``: all rows go through one task, which holds one Arrow batch at a time. The model is bit-identical to
        ``fit`` on one machine.

        ``"partitions"``: one task per partition, all in parallel, for tables that are too large for one core. Each task
        keeps its partition in memory. The model is bit-identical to :func:`phida.distributed.fit_partitions`.
    order : str or sequence of str, default=None
        Columns that rows are sorted by: all rows or, with ``method="partitions"``, those of each partition. Use enough
        columns to make rows distinct, because Spark does not fix the order of ties. Without them, rows are learned in
        the order of ``df.collect()``. For files, that order follows their sizes, not their names. After a shuffle, it
        may differ from run to run. If only some partitions of the table are cached, the first cached one comes first.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Random seed of the samples of ``method="partitions"``.
    **parameters
        Parameters of the estimator, except ``compute_labels``.

    Returns
    -------
    model : phida.PHIDA or phida.PHIDAPlus
    """
    model = distributed.unfitted(estimator, parameters)
    if check_method(method) == "exact":
        model = learned_exactly(model, df, features, order)
    else:
        model = learned_by_partitions(model, df, features, order, random_state)
    if not model.__sklearn_is_fitted__():
        raise ValueError("the table has no rows to learn from.")
    return model.refresh()


def check_method(method: str) -> str:
    """The method, if there is such a one."""
    if method not in ("exact", "partitions"):
        raise ValueError(f'method must be "exact" or "partitions", not {method!r}.')
    return method


def learned_exactly(model: E, df: DataFrame, features: Features = None, order: Order = None) -> E:
    """What a model becomes that learns the rows of a table one after another, in one task."""
    rows, names = chosen(df, features, order)
    check_names(model, names)
    # Sorted behind the coalesce, which may take partitions in another order.
    rows = in_order(rows.coalesce(1), order)
    learning = rows.mapInArrow(partial(_learn, model=model._with_names(None)), RESULT)
    return model_of(learning.collect(), model, names)


def _learn(batches: Batches, model: Estimator) -> Iterator[pa.RecordBatch]:
    """On a worker: learn all rows."""
    for batch in batches:
        if not batch.num_rows:
            continue
        try:
            model.partial_fit(matrix(batch.column(0)))
        except ValueError as error:
            yield result(error=error)
            return
    yield result(model)
