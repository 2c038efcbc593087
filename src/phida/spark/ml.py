"""PHIDA and PHIDA+ as ``pyspark.ml`` Estimators and Models, for pipelines."""

from __future__ import annotations

import textwrap
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
from phida._parameters import Declaration, LabelParameters, declared, description
from phida.spark.labels import predict
from phida.spark.tables import fit

C = TypeVar("C", bound=type)

_CONVERTERS = {int: TypeConverters.toInt, float: TypeConverters.toFloat, str: TypeConverters.toString}

_COLUMNS = """
Parameters
----------
featuresCol : str, default="features"
    A vector or array column.
predictionCol : str, default="prediction"
    Name of the column that the model adds.
orderCols : list of str, default=None
    Columns that the rows of each partition are sorted by; all rows, if one task learns them.
"""


def _add(kind: type, name: str, text: str, converter: Any) -> None:
    """Add a parameter with ``set`` and ``get`` to a class, in Spark's style."""

    def set(self: Any, value: Any) -> Any:
        self._set(**{name: value})
        return self

    def get(self: Any) -> Any:
        return self.getOrDefault(getattr(self, name))

    set.__doc__, get.__doc__ = f"Set the {text}.", f"Return the {text}."
    capital = name[0].upper() + name[1:]
    if not hasattr(kind, name):
        setattr(kind, name, Param(Params._dummy(), name, text, typeConverter=converter))
        setattr(kind, f"get{capital}", get)
    setattr(kind, f"set{capital}", set)


class _Columns(HasFeaturesCol, HasPredictionCol):
    """Parameters for the input and output columns."""


_add(_Columns, "featuresCol", "input column, a vector or array", TypeConverters.toString)
_add(_Columns, "predictionCol", "output column", TypeConverters.toString)


class _Model(Model, _Columns, MLReadable, MLWritable):
    """Model that adds a column with the cluster of each row. A subclass sets the estimator class."""

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
    """Model that adds a column with the cluster of each row, as ``model`` (a :class:`phida.PHIDA`) predicts it."""

    _estimator = estimators.PHIDA


class PHIDAPlusModel(_Model):
    """Model that adds a column with the cluster of each row, as ``model`` (a :class:`phida.PHIDAPlus`) predicts it."""

    _estimator = estimators.PHIDAPlus


class _Learning(Estimator, _Columns, DefaultParamsReadable, DefaultParamsWritable):
    """Base class of the Estimators, with the parameters of the estimator class in Spark's style."""

    _made: ClassVar[type[_Model]]
    _own: ClassVar[dict[str, Declaration]]
    _input_kwargs: dict[str, Any]

    @keyword_only
    def __init__(self, **parameters: Any) -> None:
        super().__init__()
        self._setDefault(orderCols=None, **{name: one.default for name, one in self._own.items()})
        self._set(**self._input_kwargs)

    def __init_subclass__(cls) -> None:
        found = declared(cls._made._estimator).items()  # type: ignore[arg-type]
        cls._own = {one.camel_name: one for name, one in found if name not in declared(LabelParameters)}
        text = _COLUMNS
        for name, one in cls._own.items():
            _add(cls, name, one.summary[0].lower() + one.summary[1:], _CONVERTERS[one.type])
            text += description(one, name)
        cls.__doc__ = f"{cls.__doc__}\n{textwrap.indent(text, '    ')}"

    def _fit(self, dataset: DataFrame) -> _Model:
        given = {one.name: self.getOrDefault(getattr(self, name)) for name, one in self._own.items()}
        order, kind = self.getOrDefault(self.getParam("orderCols")), self._made._estimator
        model = self._made(fit(dataset, self.getFeaturesCol(), order=order, estimator=kind, **given))
        self._copyValues(model)
        return model


_add(_Learning, "orderCols", "columns that rows are sorted by before training", TypeConverters.toListString)


class PHIDA(_Learning):
    """Estimator that trains :class:`phida.PHIDA` on a table; see :func:`phida.spark.fit`."""

    _made = PHIDAModel


class PHIDAPlus(_Learning):
    """Estimator that trains :class:`phida.PHIDAPlus` on a table; see :func:`phida.spark.fit`."""

    _made = PHIDAPlusModel


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
