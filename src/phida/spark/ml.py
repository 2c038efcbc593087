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


class _Learning(Estimator, _Columns, HasSeed, DefaultParamsReadable, DefaultParamsWritable):
    """What both Estimators share. A subclass names the model that it makes, and its own parameters."""

    method: Param[str] = Param(Params._dummy(), "method", "exact or partitions", typeConverter=TypeConverters.toString)
    orderCols: Param[list[str]] = Param(
        Params._dummy(), "orderCols", "columns that rows are sorted by", typeConverter=TypeConverters.toListString
    )

    _made: ClassVar[type[_Model]]
    #: Parameters of the estimator, by the names that Spark's style gives them.
    _own: ClassVar[dict[str, str]] = {}
    _input_kwargs: dict[str, Any]

    def setMethod(self, value: str) -> Self:
        """Choose ``exact`` or ``partitions``; see :func:`phida.spark.fit`."""
        self._set(method=value)
        return self

    def getMethod(self) -> str:
        """``exact`` or ``partitions``."""
        method: str = self.getOrDefault(self.method)
        return method

    def setOrderCols(self, value: list[str] | None) -> Self:
        """Name the columns that rows are sorted by before they are learned."""
        self._set(orderCols=value)
        return self

    def getOrderCols(self) -> list[str] | None:
        """The columns that rows are sorted by."""
        columns: list[str] | None = self.getOrDefault(self.orderCols)
        return columns

    def setSeed(self, value: int) -> Self:
        """Choose the seed of the samples of ``partitions``."""
        self._set(seed=value)
        return self

    def _fit(self, dataset: DataFrame) -> _Model:
        model = self._made(
            fit(
                dataset,
                self.getFeaturesCol(),
                method=self.getMethod(),
                order=self.getOrderCols(),
                estimator=self._made._estimator,
                random_state=self.getSeed(),
                **{name: self.getOrDefault(param) for param, name in self._own.items()},
            )
        )
        self._copyValues(model)
        return model


class PHIDA(_Learning):
    """Learns a table by :class:`phida.PHIDA`; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        The column that the model adds.
    method : {"exact", "partitions"}, default="exact"
        Plain learning in one task, or all partitions at the same time.
    orderCols : list of str, default=None
        Columns that rows are sorted by.
    seed : int, default=0
        Seed of the samples of ``method="partitions"``.
    """

    _made = PHIDAModel

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        method: str = "exact",
        orderCols: list[str] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self._setDefault(method="exact", orderCols=None, seed=0)
        self._set(**self._input_kwargs)


class PHIDAPlus(_Learning):
    """Learns a table by :class:`phida.PHIDAPlus`; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        The column that the model adds.
    level : {"groups", "parts"}, default="groups"
        Which clusters the model adds.
    maxNodes : int, default=None
        ``max_nodes`` of the estimator: never more nodes than this.
    halfLife : float, default=None
        ``half_life`` of the estimator: rows after which a row counts half.
    method : {"exact", "partitions"}, default="exact"
        Plain learning in one task, or all partitions at the same time.
    orderCols : list of str, default=None
        Columns that rows are sorted by.
    seed : int, default=0
        Seed of the samples of ``method="partitions"``.
    """

    level: Param[str] = Param(Params._dummy(), "level", "groups or parts", typeConverter=TypeConverters.toString)
    maxNodes: Param[int] = Param(Params._dummy(), "maxNodes", "most nodes", typeConverter=TypeConverters.toInt)
    halfLife: Param[float] = Param(
        Params._dummy(), "halfLife", "rows after which a row counts half", typeConverter=TypeConverters.toFloat
    )

    _made = PHIDAPlusModel
    _own: ClassVar[dict[str, str]] = {"level": "level", "maxNodes": "max_nodes", "halfLife": "half_life"}

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        level: str = "groups",
        maxNodes: int | None = None,
        halfLife: float | None = None,
        method: str = "exact",
        orderCols: list[str] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self._setDefault(level="groups", maxNodes=None, halfLife=None, method="exact", orderCols=None, seed=0)
        self._set(**self._input_kwargs)

    def setLevel(self, value: str) -> Self:
        """Choose groups or parts."""
        self._set(level=value)
        return self

    def getLevel(self) -> str:
        """Groups or parts."""
        level: str = self.getOrDefault(self.level)
        return level

    def setMaxNodes(self, value: int | None) -> Self:
        """Limit the number of nodes."""
        self._set(maxNodes=value)
        return self

    def getMaxNodes(self) -> int | None:
        """Most nodes, if there is a limit."""
        limit: int | None = self.getOrDefault(self.maxNodes)
        return limit

    def setHalfLife(self, value: float | None) -> Self:
        """Let rows count half after this many."""
        self._set(halfLife=value)
        return self

    def getHalfLife(self) -> float | None:
        """Rows after which a row counts half, if any."""
        half_life: float | None = self.getOrDefault(self.halfLife)
        return half_life


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
