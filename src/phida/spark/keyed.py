"""One model per key, kept in Spark's state store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import IntegerType, LongType, StructType
from sklearn.base import clone

from phida.errors import InputError
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
    """Train one model per key (customer, machine) of a stream, and label its rows.

    The model of a key equals ``partial_fit`` over the rows of that key. Models are in Spark's state store, which is set
    to RocksDB for the session. They are saved and restored with the query's checkpoint, and :func:`models_per_key`
    reads them. Start the query with output mode ``append``.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A streaming table. Another table is learned as one batch, and its models are not kept.
    key : str or sequence of str
        Columns whose values identify a model.
    features : str or sequence of str, default=None
        An array or vector column, or several numeric columns. None: all numeric columns except key and order.
    order : str or sequence of str, default=None
        Columns that the rows of a key are sorted by within a batch. Without them, rows are learned as Spark delivers
        them, in an order that may differ from run to run after a shuffle.
    output : str, default="prediction"
        Name of the label column.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    **parameters
        Parameters of the estimator.

    Returns
    -------
    labelled : pyspark.sql.DataFrame
        The rows with three more columns: the label by the model of the key, after it has learned the batch
        (``prediction``); the lasting id of the cluster (``cluster_id``); and the number of rows that the model has
        learned (``n_seen``).
    """
    keys, sorted_by = names(key), names(order)
    column, feature_names = features_of(df, features, [*keys, *sorted_by])
    if taken := [name for name in (output, "cluster_id", "n_seen") if name in df.columns]:
        raise InputError(f"the table already has a column {taken[0]!r}; rename it, or choose another output=.")
    schema = StructType(df.schema.fields)
    schema = schema.add(output, IntegerType()).add("cluster_id", LongType()).add("n_seen", LongType())
    df.sparkSession.conf.set(_STORE, _ROCKSDB)
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()  # raised here, not on a worker
    grouped = df.withColumn(_FEATURES, column).groupBy(*keys)
    return grouped.transformWithStateInPandas(
        KeyLearner(model, feature_names, sorted_by, schema.names),
        outputStructType=schema,
        outputMode="append",
        timeMode="none",
    )


def models_per_key(spark: SparkSession, checkpoint: str) -> DataFrame:
    """Read the models of a :func:`fit_per_key` query, as of its last batch.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
    checkpoint : str
        The query's ``checkpointLocation``.

    Returns
    -------
    models : pyspark.sql.DataFrame
        The key columns, and ``model``: bytes for ``from_bytes`` of the estimator.
    """
    states = spark.read.format("statestore").option("stateVarName", "model").load(checkpoint)
    return states.selectExpr("key.*", "value.content as model")


class KeyLearner(StatefulProcessor):
    """Trains the model of each key, as a Spark stateful processor."""

    def __init__(self, unfitted: Estimator, names: list[str] | None, order: list[str], columns: list[str]):
        self.unfitted, self.names, self.order, self.columns = unfitted, names, order, columns

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declare the state: one binary value per key."""
        self.kept = handle.getValueState("model", "content binary")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Iterator[pd.DataFrame]:
        """Learn and label all rows of a key in a batch."""
        frame = pd.concat(list(rows), ignore_index=True)
        frame.columns = [*self.columns[:-3], _FEATURES]  # Spark renames columns that are not identifiers
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
        """Do nothing; Spark's interface requires the method."""
