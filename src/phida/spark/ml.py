"""PHIDA for ``pyspark.ml``: an Estimator and its Model, for pipelines."""

from __future__ import annotations

from typing import Any, Self

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param.shared import HasFeaturesCol, HasPredictionCol, HasSeed
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame

from phida import estimators
from phida.spark.labels import predict
from phida.spark.learning import fit


class _Columns(HasFeaturesCol, HasPredictionCol):
    """Which column is read, and which one is written."""

    def setFeaturesCol(self, value: str) -> Self:
        """Name the vector or array column that is read."""
        self._set(featuresCol=value)
        return self

    def setPredictionCol(self, value: str) -> Self:
        """Name the column that is written."""
        self._set(predictionCol=value)
        return self


class PHIDA(Estimator, _Columns, HasSeed, DefaultParamsReadable, DefaultParamsWritable):
    """Learns a table; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        The column that the model adds.
    seed : int, default=0
        Seed of the samples.
    """

    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(self, *, featuresCol: str = "features", predictionCol: str = "prediction", seed: int = 0) -> None:
        super().__init__()
        self._setDefault(seed=0)
        self._set(**self._input_kwargs)

    def _fit(self, dataset: DataFrame) -> PHIDAModel:
        learned = fit(dataset, self.getFeaturesCol(), random_state=self.getSeed())
        model = PHIDAModel(learned)
        self._copyValues(model)
        return model


class PHIDAModel(Model, _Columns, MLReadable, MLWritable):
    """Adds the cluster of each row as a column.

    Parameters
    ----------
    model : phida.PHIDA
    """

    def __init__(self, model: estimators.PHIDA) -> None:
        super().__init__()
        self.model = model

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return predict(dataset, self.model, self.getFeaturesCol(), output=self.getPredictionCol())

    def write(self) -> MLWriter:
        """Of Spark's files: metadata, and the model's file in a table of one cell."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[PHIDAModel]:
        """Of what :meth:`write` wrote."""
        return _Reader()


class _Writer(MLWriter):
    def __init__(self, instance: PHIDAModel) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sc)
        cell = bytearray(self.instance.model.to_bytes())
        table = self.sparkSession.createDataFrame([(cell,)], "model binary")
        table.coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader[PHIDAModel]):
    def load(self, path: str) -> PHIDAModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        cell = self.sparkSession.read.parquet(f"{path}/model").first()
        instance = PHIDAModel(estimators.PHIDA.from_bytes(bytes(cell["model"])))
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance
