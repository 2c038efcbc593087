"""PHIDA and PHIDA+ on Spark: one model for a table or stream, or one per key, and predictions as a column.

See ``docs/distributed.md``.
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError('phida.spark needs pyspark 4 and Java 17: pip install "phida[spark]"') from error

from phida.spark.keyed import fit_per_key, models_per_key
from phida.spark.labels import predict
from phida.spark.ml import PHIDA, PHIDAModel, PHIDAPlus, PHIDAPlusModel
from phida.spark.streaming import fit_stream
from phida.spark.tables import fit

__all__ = [
    "PHIDA",
    "PHIDAModel",
    "PHIDAPlus",
    "PHIDAPlusModel",
    "fit",
    "fit_per_key",
    "fit_stream",
    "models_per_key",
    "predict",
]
