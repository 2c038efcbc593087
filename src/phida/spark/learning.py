"""A table is learned: its partitions are packed once, and every round of rows is one Spark job."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import StorageLevel, TaskContext
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from phida import distributed
from phida._local_update import LocalUpdate
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, features_of, matrix

#: Rows of a block are as many as make about a megabyte.
_BLOCK_VALUES = 1 << 17

_BLOCKS = "partition int, first long, stop long, rows binary"
_ANSWERS = "partition int, answer binary"

E = TypeVar("E", bound=Estimator)

Batches = Iterator[pa.RecordBatch]
Work = Callable[[NDArray[np.float64], int], bytes]
"""What a worker answers to its rows of a round, given the number of their partition."""


def fit(
    df: DataFrame,
    features: Features = None,
    *,
    estimator: type[E] = PHIDAPlus,
    random_state: int = 0,
    **parameters: Any,
) -> E:
    """A model of a table, learned afresh; the table's partitions are the model's.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Its partitions, and the order of rows in them, decide the model to the bit.
    features : str or sequence of str, default=None
        An array or vector column, or several numeric ones; None stands for all numeric columns.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Seed of the samples.
    **parameters
        Of the estimator, but ``compute_labels``.

    Returns
    -------
    model : phida.PHIDA or phida.PHIDAPlus
    """
    model = distributed.unfitted(estimator, parameters)
    learn(model, df, features, random_state)
    if not model.__sklearn_is_fitted__():
        raise ValueError("the table has no row to learn from.")
    return model.refresh()


def learn(model: Estimator, df: DataFrame, features: Features, random_state: int) -> None:
    """Go on learning with the rows of a table: with all of them or, on an error, none."""
    column, names = features_of(df, features)
    check_names(model, names)
    blocks = df.select(column.alias("features")).mapInArrow(_pack, _BLOCKS).persist(StorageLevel.MEMORY_AND_DISK)
    new = not model.__sklearn_is_fitted__()
    try:
        sizes = _sizes(blocks)
        numbers = {partition: number for number, partition in enumerate(sizes)}

        def rows_of(slices: distributed.Slices) -> Iterator[NDArray[np.float64]]:
            return (np.load(io.BytesIO(answer)) for answer in _answers(blocks, slices, _rows))

        def updates_of(learning: Estimator, slices: distributed.Slices) -> Iterator[LocalUpdate]:
            work = _updates(learning._with_names(None), numbers, random_state)  # workers have matrices
            return (LocalUpdate.from_bytes(answer) for answer in _answers(blocks, slices, work))

        distributed.learn(model, list(sizes.values()), rows_of, updates_of)
    finally:
        blocks.unpersist()
        if new and model.__sklearn_is_fitted__():
            model._name_features(names)


def check_names(model: Estimator, names: list[str] | None) -> None:
    """Raise where a model has learned columns of other names, or in another order."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None and names is not None and names != list(known):
        raise ValueError(
            f"the model has learned the columns {list(known)}, in this order, and these are {names}; "
            f"name the same ones with features={list(known)}, or begin a new model."
        )


def _pack(batches: Batches) -> Batches:
    """Pack rows into blocks of bytes, each with its partition, its first row and the row after its last."""
    context = TaskContext.get()
    partition = 0 if context is None else context.partitionId()
    first = 0
    for batch in batches:
        rows = matrix(batch.column(0))
        step = max(1, _BLOCK_VALUES // max(rows.shape[1], 1))
        for begin in range(0, len(rows), step):
            block = rows[begin : begin + step]
            yield _record(
                partition=pa.array([partition], pa.int32()),
                first=pa.array([first], pa.int64()),
                stop=pa.array([first + len(block)], pa.int64()),
                rows=pa.array([block.tobytes()], pa.binary()),
            )
            first += len(block)


def _sizes(blocks: DataFrame) -> dict[int, int]:
    """Rows of each partition that has any."""
    found = blocks.groupBy("partition").agg(F.max("stop").alias("n")).collect()
    return {row["partition"]: row["n"] for row in sorted(found, key=lambda row: row["partition"])}


def _answers(blocks: DataFrame, slices: distributed.Slices, work: Work) -> list[bytes]:
    """What each partition that has rows in a round answers, in the order of the partitions."""
    begin, end = max(start for start, _ in slices), max(stop for _, stop in slices)
    # Plain comparisons, by which Spark passes over what it has persisted of other rounds.
    chosen = blocks.where((F.col("first") < end) & (F.col("stop") > begin))
    found = chosen.mapInArrow(partial(_answer, begin=begin, end=end, work=work), _ANSWERS).collect()
    return [row["answer"] for row in sorted(found, key=lambda row: row["partition"])]


def _answer(batches: Batches, begin: int, end: int, work: Work) -> Batches:
    """On a worker: the answer to the rows from ``begin`` to ``end`` of the partition that these blocks are of."""
    parts = []
    for batch in batches:
        for block in batch.to_pylist():
            rows = np.frombuffer(block["rows"]).reshape(block["stop"] - block["first"], -1)
            parts.append(rows[max(begin - block["first"], 0) : end - block["first"]])
    if parts:
        partition = block["partition"]
        answer = work(np.concatenate(parts), partition)
        yield _record(partition=pa.array([partition], pa.int32()), answer=pa.array([answer], pa.binary()))


def _rows(rows: NDArray[np.float64], partition: int) -> bytes:
    """They themselves."""
    file = io.BytesIO()
    np.save(file, rows)
    return file.getvalue()


def _updates(model: Estimator, numbers: dict[int, int], random_state: int) -> Work:
    """What the model's workers find out."""

    def work(rows: NDArray[np.float64], partition: int) -> bytes:
        return model.local_update(
            rows, partition=numbers[partition], n_partitions=len(numbers), random_state=random_state
        ).to_bytes()

    return work


def _record(**columns: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
