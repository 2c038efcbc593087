"""PHIDA and PHIDA+ for ``pyspark.ml``: Estimators and their Models, for pipelines."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
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


class _Model(Model, _Columns, MLReadable, MLWritable):
    """Adds the cluster of each row as a column. A subclass names the estimator of its model."""

    _estimator: ClassVar[type[estimators.Estimator]]

    def __init__(self, model: estimators.Estimator) -> None:
        super().__init__()
        self.model = model

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return predict(dataset, self.model, self.getFeaturesCol(), output=self.getPredictionCol())

    def write(self) -> MLWriter:
        """Of Spark's files: metadata, and the model's file in a table of one cell."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Self]:
        """Of what :meth:`write` wrote."""
        return _Reader(cls)


class PHIDAModel(_Model):
    """Adds the cluster of each row as a column.

    Parameters
    ----------
    model : phida.PHIDA
    """

    _estimator = estimators.PHIDA


class PHIDAPlusModel(_Model):
    """Adds the cluster of each row as a column.

    Parameters
    ----------
    model : phida.PHIDAPlus
    """

    _estimator = estimators.PHIDAPlus


class PHIDA(Estimator, _Columns, HasSeed, DefaultParamsReadable, DefaultParamsWritable):
    """Learns a table by :class:`phida.PHIDA`; see :func:`phida.spark.fit`.

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
        learned = fit(dataset, self.getFeaturesCol(), estimator=estimators.PHIDA, random_state=self.getSeed())
        model = PHIDAModel(learned)
        self._copyValues(model)
        return model


class PHIDAPlus(Estimator, _Columns, HasSeed, DefaultParamsReadable, DefaultParamsWritable):
    """Learns a table by :class:`phida.PHIDAPlus`; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        The column that the model adds.
    level : {"groups", "parts"}, default="groups"
        Which clusters the model adds.
    seed : int, default=0
        Seed of the samples.
    """

    level: Param[str] = Param(Params._dummy(), "level", "groups or parts", typeConverter=TypeConverters.toString)
    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        level: str = "groups",
        seed: int = 0,
    ) -> None:
        super().__init__()
        self._setDefault(seed=0, level="groups")
        self._set(**self._input_kwargs)

    def setLevel(self, value: str) -> Self:
        """Choose groups or parts."""
        self._set(level=value)
        return self

    def getLevel(self) -> str:
        """Groups or parts."""
        level: str = self.getOrDefault(self.level)
        return level

    def _fit(self, dataset: DataFrame) -> PHIDAPlusModel:
        learned: estimators.PHIDAPlus = fit(
            dataset, self.getFeaturesCol(), random_state=self.getSeed(), level=self.getLevel()
        )
        model = PHIDAPlusModel(learned)
        self._copyValues(model)
        return model


class _Writer(MLWriter):
    def __init__(self, instance: _Model) -> None:
        super().__init__()
        self.instance = instance

    def saveImpl(self, path: str) -> None:
        DefaultParamsWriter.saveMetadata(self.instance, path, self.sc)
        cell = bytearray(self.instance.model.to_bytes())
        table = self.sparkSession.createDataFrame([(cell,)], "model binary")
        table.coalesce(1).write.parquet(f"{path}/model")


class _Reader(MLReader[Any]):
    def __init__(self, kind: type[_Model]) -> None:
        super().__init__()
        self.kind = kind

    def load(self, path: str) -> Any:
        metadata = DefaultParamsReader.loadMetadata(path, self.sc)
        cell = self.sparkSession.read.parquet(f"{path}/model").first()
        instance = self.kind(self.kind._estimator.from_bytes(bytes(cell["model"])))
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance
