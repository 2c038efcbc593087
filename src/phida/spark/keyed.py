"""One model per key: each key's rows are learned by a model of its own, which Spark keeps in its state store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegerType, LongType, StructType
from sklearn.base import clone

from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, Order, check_names, features_of, names

_FEATURES = "phida_features"
_STORE = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def fit_per_key(
    df: DataFrame,
    key: str | Sequence[str],
    features: Features = None,
    *,
    order: Order = None,
    output: str = "prediction",
    estimator: type[Estimator] = PHIDAPlus,
    **parameters: Any,
) -> DataFrame:
    """Learn a model for each key (customer, machine) of a stream, and label its rows by it.

    It is plain learning, row by row: the model of a key is that of ``partial_fit`` over its rows.
    Models are in Spark's state store, which must be RocksDB (it is set for the session), and are kept and restored with
    the query's checkpoint; :func:`models_per_key` reads them. Start the result with output mode ``append``.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With ``isStreaming``; a table that is not, is learned as one batch, and its models are gone at the end.
    key : str or sequence of str
        Columns whose values tell models apart.
    features : str or sequence of str, default=None
        An array or vector column, or several numeric ones; None stands for all numeric columns but key and order.
    order : str or sequence of str, default=None
        Columns that the rows of a key are sorted by within a batch. Without it they are learned as Spark delivers them,
        and after a shuffle that is not the same every time.
    output : str, default="prediction"
        Name of the column of labels.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    **parameters
        Of the estimator.

    Returns
    -------
    labelled : pyspark.sql.DataFrame
        The rows, with their labels by the model of their key once it has learned the batch (``prediction``), the id of
        that cluster, which lasts from batch to batch (``cluster_id``), and the rows that the model has learned
        (``n_seen``).
    """
    keys, sorted_by = names(key), names(order)
    column, feature_names = features_of(df, features, [*keys, *sorted_by])
    if taken := [name for name in (output, "cluster_id", "n_seen") if name in df.columns]:
        raise ValueError(f"the table has a column {taken[0]!r} already; rename it, or choose another output=.")
    schema = StructType(df.schema.fields)
    schema = schema.add(output, IntegerType()).add("cluster_id", LongType()).add("n_seen", LongType())
    df.sparkSession.conf.set(_STORE, _ROCKSDB)
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()  # here, not on a worker
    grouped = df.withColumn(_FEATURES, column).groupBy(*keys)
    return grouped.transformWithStateInPandas(
        KeyLearner(model, feature_names, sorted_by, schema.names),
        outputStructType=schema,
        outputMode="append",
        timeMode="none",
    )


def models_per_key(spark: SparkSession, checkpoint: str) -> DataFrame:
    """The models of a query that :func:`fit_per_key` is in, as they are after its last batch.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    checkpoint : str
        The query's ``checkpointLocation``.

    Returns
    -------
    models : pyspark.sql.DataFrame
        The key's columns, and ``model``: bytes for ``from_bytes`` of the estimator.
    """
    states = spark.read.format("statestore").option("stateVarName", "model").load(checkpoint)
    return states.selectExpr("key.*", "value.content as model")


class KeyLearner(StatefulProcessor):
    """Learns the rows of one key after another."""

    def __init__(self, unfitted: Estimator, names: list[str] | None, order: list[str], columns: list[str]):
        self.unfitted, self.names, self.order, self.columns = unfitted, names, order, columns

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Of Spark: what is kept is one cell per key."""
        self.kept = handle.getValueState("model", "content binary")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Of Spark: all rows of a key in a batch."""
        frame = pd.concat(list(rows), ignore_index=True)
        frame.columns = [*self.columns[:-3], _FEATURES]  # Spark gives other names to those that are no identifiers
        if self.order:
            frame = frame.sort_values(self.order, kind="stable", ignore_index=True)
        samples = np.stack(frame.pop(_FEATURES).to_numpy())
        model = self._model()
        check_names(model, self.names)
        model = model._with_names(None)  # workers have matrices
        labels = model.partial_fit(samples).predict(samples)
        frame[self.columns[-3]] = labels
        frame["cluster_id"] = model.cluster_ids_[labels]
        frame["n_seen"] = model.n_samples_seen_
        self.kept.update((model._with_names(self.names).to_bytes(),))
        yield frame[self.columns]

    def _model(self) -> Estimator:
        if self.kept.exists():
            return type(self.unfitted).from_bytes(bytes(self.kept.get()[0]))
        fresh: Estimator = clone(self.unfitted)
        return fresh

    def close(self) -> None:
        """Of Spark: there is nothing to close."""
