"""PHIDA and PHIDA+ as ``pyspark.ml`` Estimators and Models, for pipelines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar

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
from phida._parameters import PLUS, Declaration, MissingParameters, declared, description
from phida.spark.labels import predict
from phida.spark.learning import fit

C = TypeVar("C", bound=type)

#: Parameters of PHIDA+ that an Estimator has in Spark's style.
_PARAMETERS = {**PLUS, **declared(MissingParameters)}


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


_CONVERTERS = {int: TypeConverters.toInt, float: TypeConverters.toFloat, str: TypeConverters.toString}


def _with_parameters(parameters: Mapping[str, Declaration]) -> Callable[[C], C]:
    """Give an Estimator the parameters of a method, each with ``set`` and ``get``, in Spark's style."""

    def extended(kind: C) -> C:
        before, rule, after = (kind.__doc__ or "").partition("    orderCols :")
        for one in parameters.values():
            name, capital = one.camel_name, one.camel_name[0].upper() + one.camel_name[1:]
            text = one.summary[0].lower() + one.summary[1:]
            setattr(kind, name, Param(Params._dummy(), name, text, typeConverter=_CONVERTERS[one.type]))
            setattr(kind, f"set{capital}", _setter(name, text))
            setattr(kind, f"get{capital}", _getter(name, text))
            before += textwrap.indent(description(one, name), "    ")
        kind.__doc__ = before + rule + after
        return kind

    return extended


def _setter(name: str, text: str) -> Callable[[Any, Any], Any]:
    def set(self: Any, value: Any) -> Any:
        self._set(**{name: value})
        return self

    set.__doc__ = f"Set the {text}."
    return set


def _getter(name: str, text: str) -> Callable[[Any], Any]:
    def get(self: Any) -> Any:
        return self.getOrDefault(getattr(self, name))

    get.__doc__ = f"Return the {text}."
    return get


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


@_with_parameters(_PARAMETERS)
class PHIDAPlus(_Learning):
    """Estimator that trains :class:`phida.PHIDAPlus` on a table; see :func:`phida.spark.fit`.

    Parameters
    ----------
    featuresCol : str, default="features"
        A vector or array column.
    predictionCol : str, default="prediction"
        Name of the column that the model adds.
    orderCols : list of str, default=None
        Columns that the rows of each partition are sorted by.
    """

    _made = PHIDAPlusModel
    _own: ClassVar[dict[str, str]] = {one.camel_name: one.name for one in _PARAMETERS.values()}

    @keyword_only
    def __init__(
        self,
        *,
        featuresCol: str = "features",
        predictionCol: str = "prediction",
        orderCols: list[str] | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        self._setDefault(orderCols=None, **{one.camel_name: one.default for one in _PARAMETERS.values()})
        self._set(**self._input_kwargs)


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
