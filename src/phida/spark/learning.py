"""A table is learned: exactly, by one task, or by all tasks together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame

from phida import distributed
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, Order, chosen, in_order, matrix
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
    """A model of a table, learned afresh; at the end it is refreshed.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
    features : str or sequence of str, default=None
        An array or vector column, or several numeric ones; None stands for all numeric columns but those of ``order``.
    method : {"exact", "partitions"}, default="exact"
        ``"exact"`` is plain learning: all rows flow through one task, which holds one Arrow batch of them at a time.
        The model is that of ``fit`` on one machine, to the bit.

        ``"partitions"`` uses one task per partition, all at the same time, for tables that one core is too slow for.
        Every task keeps its partition in memory. The model is that of :func:`phida.distributed.fit_partitions`, to the
        bit.
    order : str or sequence of str, default=None
        Columns that rows are sorted by: all rows, or with ``method="partitions"`` those of each partition. Name as many
        as it takes to tell rows apart: Spark does not fix the order of equal ones. Without it, rows are learned in the
        order of Spark's partitions, as ``df.collect()`` returns them. For files that is the order of their sizes, not
        of their names; after a shuffle it may be another one every time; and if only some of the table's partitions are
        cached, the first of these comes before all others.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Seed of the samples of ``method="partitions"``.
    **parameters
        Of the estimator, but ``compute_labels``.

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
        raise ValueError("the table has no row to learn from.")
    return model.refresh()


def check_method(method: str) -> str:
    """The method, if there is such a one."""
    if method not in ("exact", "partitions"):
        raise ValueError(f'method must be "exact" or "partitions", not {method!r}.')
    return method


def learned_exactly(model: E, df: DataFrame, features: Features, order: Order) -> E:
    """What a model becomes that learns the rows of a table one after another, in one task."""
    rows, names = chosen(df, features, order)
    # Sorted behind the coalesce, which may take partitions in another order.
    rows = in_order(rows.coalesce(1), order)
    learning = rows.mapInArrow(partial(_learn, model=model), RESULT)
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
