"""PHIDA and PHIDA+ as ``pyspark.ml`` Estimators and Models, for pipelines."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import HasFeaturesCol, HasPredictionCol
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
    """Parameters for the input and output columns."""

    def setFeaturesCol(self, value: str) -> Self:
        """Set the input column, a vector or array."""
        self._set(featuresCol=value)
        return self

    def setPredictionCol(self, value: str) -> Self:
        """Set the output column."""
        self._set(predictionCol=value)
        return self


class _Model(Model, _Columns, MLReadable, MLWritable):
    """Base class of the models. A subclass sets the estimator class."""

    _estimator: ClassVar[type[estimators.Estimator]]

    def __init__(self, model: estimators.Estimator) -> None:
        super().__init__()
        self.model = model

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return predict(dataset, self.model, self.getFeaturesCol(), output=self.getPredictionCol())

    def write(self) -> MLWriter:
        """Return a writer: Spark's metadata, and the model file in a table with one cell."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[Self]:
        """Return a reader for what :meth:`write` wrote."""
        return _Reader(cls)


class PHIDAModel(_Model):
    """Model that adds a column with the cluster of each row.

    Parameters
    ----------
    model : phida.PHIDA
    """

    _estimator = estimators.PHIDA


class PHIDAPlusModel(_Model):
    """Model that adds a column with the cluster of each row.

    Parameters
    ----------
    model : phida.PHIDAPlus
    """

    _estimator = estimators.PHIDAPlus


class _Learning(Estimator, _Columns, DefaultParamsReadable, DefaultParamsWritable):
    """Base class of the Estimators. A subclass sets its model class and its own parameters."""

    orderCols: Param[list[str]] = Param(
        Params._dummy(), "orderCols", "columns that rows are sorted by", typeConverter=TypeConverters.toListString
    )

    _made: ClassVar[type[_Model]]
    #: Parameters of the estimator, by their names in Spark's style.
    _own: ClassVar[dict[str, str]] = {}
    _input_kwargs: dict[str, Any]

    def setOrderCols(self, value: list[str] | None) -> Self:
        """Set the columns that rows are sorted by before training."""
        self._set(orderCols=value)
        return self

    def getOrderCols(self) -> list[str] | None:
        """Return the columns that rows are sorted by."""
        columns: list[str] | None = self.getOrDefault(self.orderCols)
        return columns

    def _fit(self, dataset: DataFrame) -> _Model:
        model = self._made(
            fit(
                dataset,
                self.getFeaturesCol(),
                order=self.getOrderCols(),
                estimator=self._made._estimator,
                **{name: self.getOrDefault(param) for param, name in self._own.items()},
            )
        )
        self._copyValues(model)
        return model


class PHIDA(_Learning):
    """Estimator that trains :class:`phida.PHIDA` on a table; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        Name of the column that the model adds.
    orderCols : list of str, default=None
        Columns that rows are sorted by.
    """

    _made = PHIDAModel

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        orderCols: list[str] | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(orderCols=None)
        self._set(**self._input_kwargs)


class PHIDAPlus(_Learning):
    """Estimator that trains :class:`phida.PHIDAPlus` on a table; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        Name of the column that the model adds.
    maxNodes : int, default=2048
        Maximum number of nodes (``max_nodes`` of the estimator).
    halfLife : float, default=None
        Number of rows after which the weight of a row is halved (``half_life`` of the estimator).
    scale : {"auto", "standard"} or None, default="auto"
        Scaling of the features (``scale`` of the estimator).
    keepExamples : int, default=3
        Number of rows that each cluster keeps to be shown (``keep_examples`` of the estimator).
    orderCols : list of str, default=None
        Columns that the rows of each partition are sorted by.
    """

    maxNodes: Param[int] = Param(
        Params._dummy(), "maxNodes", "maximum number of nodes", typeConverter=TypeConverters.toInt
    )
    halfLife: Param[float] = Param(
        Params._dummy(), "halfLife", "rows after which a row's weight is halved", typeConverter=TypeConverters.toFloat
    )
    scale: Param[str] = Param(Params._dummy(), "scale", "auto, standard or null", typeConverter=TypeConverters.toString)

    keepExamples: Param[int] = Param(
        Params._dummy(), "keepExamples", "rows that each cluster keeps", typeConverter=TypeConverters.toInt
    )

    _made = PHIDAPlusModel
    _own: ClassVar[dict[str, str]] = {
        "maxNodes": "max_nodes",
        "halfLife": "half_life",
        "scale": "scale",
        "keepExamples": "keep_examples",
    }

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        maxNodes: int = 2048,
        halfLife: float | None = None,
        scale: str | None = "auto",
        keepExamples: int = 3,
        orderCols: list[str] | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(maxNodes=2048, halfLife=None, scale="auto", keepExamples=3, orderCols=None)
        self._set(**self._input_kwargs)

    def setMaxNodes(self, value: int) -> Self:
        """Set the maximum number of nodes."""
        self._set(maxNodes=value)
        return self

    def getMaxNodes(self) -> int:
        """Return the maximum number of nodes."""
        limit: int = self.getOrDefault(self.maxNodes)
        return limit

    def setHalfLife(self, value: float | None) -> Self:
        """Set the number of rows after which the weight of a row is halved."""
        self._set(halfLife=value)
        return self

    def getHalfLife(self) -> float | None:
        """Return the half-life in rows, or None."""
        half_life: float | None = self.getOrDefault(self.halfLife)
        return half_life

    def setScale(self, value: str | None) -> Self:
        """Set the scaling of the features."""
        self._set(scale=value)
        return self

    def getScale(self) -> str | None:
        """Return the scaling of the features."""
        scale: str | None = self.getOrDefault(self.scale)
        return scale

    def setKeepExamples(self, value: int) -> Self:
        """Set the number of rows that each cluster keeps."""
        self._set(keepExamples=value)
        return self

    def getKeepExamples(self) -> int:
        """Return the number of rows that each cluster keeps."""
        kept: int = self.getOrDefault(self.keepExamples)
        return kept


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
