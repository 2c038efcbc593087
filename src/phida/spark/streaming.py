"""Training on a structured stream, with each batch learned exactly once, also after a crash."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from phida import distributed, state_file
from phida.errors import StateFileError
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, Order, check_names, features_of
from phida.spark.tables import learned

E = TypeVar("E", bound=Estimator)

NAME = "model.safetensors"
#: File with the number of the last batch until a batch has a row, since there is no model to save.
NO_ROWS = "batches_without_rows"


def fit_stream(
    df: DataFrame,
    checkpoint: str,
    features: Features = None,
    *,
    order: Order = None,
    estimator: type[E] = PHIDAPlus,
    on_batch: Callable[[E, DataFrame], None] | None = None,
    trigger: dict[str, Any] | None = None,
    **parameters: Any,
) -> StreamingQuery:
    """Train a model on a stream, batch by batch.

    PHIDA+ learns one model per partition of a batch, in parallel, and merges them into the model of the stream. PHIDA,
    and PHIDA+ with ``half_life``, learn all rows of a batch in one task; the model is then bit-identical to
    ``partial_fit`` over all rows on one machine. The driver holds models and no rows. Use ``on_batch`` to label rows.

    After each batch, ``checkpoint/model.safetensors`` holds the model and the number of the batch, so a batch that
    Spark repeats is not learned twice. The file can be read at any time, with ``load`` of the estimator.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A streaming table.
    checkpoint : str
        Folder that the driver can write to, also after a restart. Spark's own checkpoint is in a folder inside it.
    features : str or sequence of str, default=None
        As for :func:`phida.spark.fit`. It must be the same, in the same order, at every restart.
    order : str or sequence of str, default=None
        Columns that the rows of a partition, or of a batch, are sorted by; see :func:`phida.spark.fit`.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`. It must be the same at every restart.
    on_batch : callable, optional
        Called with the model and the batch after the model is saved; called again if Spark repeats the batch.
    trigger : dict, optional
        Arguments of ``DataStreamWriter.trigger``, for instance ``{"availableNow": True}``.
    **parameters
        Parameters of a new model, except ``compute_labels``.

    Returns
    -------
    query : pyspark.sql.streaming.StreamingQuery
    """
    folder = Path(checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    unfitted = distributed.unfitted(estimator, parameters)
    learner = StreamLearner(folder / NAME, unfitted, partial(learned, features=features, order=order), on_batch)
    check_names(learner.model, features_of(df, features, order)[1])
    check_progress(folder, learner.last)
    atexit.register(learner.drop_model)
    writer = df.writeStream.foreachBatch(learner).option("checkpointLocation", str(folder / "spark"))
    return writer.trigger(**(trigger or {"processingTime": "0 seconds"})).start()


def check_progress(folder: Path, last: int) -> None:
    """Raise an error if the model's last batch does not match Spark's checkpoint, so that batches would be skipped."""
    notes, kept = folder / "spark", folder / NAME
    begun, done = (_largest(notes / name) for name in ("offsets", "commits"))
    if last < done:
        raise StateFileError(
            f"Spark has finished batch {done} of this stream, but {kept} "
            f"{f'ends with batch {last}' if kept.is_file() else 'is missing'}, so batches would be skipped. "
            f"Restore the matching model, or delete {folder} to learn the stream from the start."
        )
    if last > begun:
        kept = kept if kept.is_file() else folder / NO_ROWS
        raise StateFileError(
            f"{kept} belongs to batch {last} of a stream, but {notes} "
            f"{f'ends with batch {begun}' if begun >= 0 else 'is missing'}, so batches would be skipped. "
            "Restore Spark's folder, or remove the file to learn the stream from the start."
        )


def _largest(folder: Path) -> int:
    """Return the number of the last batch in a folder of Spark's checkpoint."""
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return max((int(name) for name in names if name.isdigit()), default=-1)


class StreamLearner(Generic[E]):
    """Learns batches in order, each exactly once."""

    def __init__(
        self,
        path: Path,
        model: E,
        learned: Callable[[E, DataFrame], E],
        on_batch: Callable[[E, DataFrame], None] | None,
    ) -> None:
        self.path, self.learned, self.on_batch = path, learned, on_batch
        self.model = model
        self.last = -1
        self.no_rows = path.with_name(NO_ROWS)
        if not path.is_file():
            if self.no_rows.is_file():
                self.last = int(self.no_rows.read_text())
        else:
            self.model = type(model).load(path)
            position = state_file.read(path)[1]["stream_position"]
            if not isinstance(position, dict) or "spark_batch" not in position:
                raise StateFileError(f"{path} is a model, but not a checkpoint of phida.spark.fit_stream.")
            self.last = position["spark_batch"]

    def drop_model(self) -> None:
        """Drop the model: py4j keeps callbacks alive after the interpreter ends, when native objects must be gone."""
        self.__dict__.pop("model", None)

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Learn a batch and save the model with its number; a batch learned before is ignored."""
        if number > self.last:
            model = self.learned(self.model, batch)  # a new model: if it cannot be saved, the old one is unchanged
            if model.__sklearn_is_fitted__():
                model.save(self.path, position={"spark_batch": number})
                self.no_rows.unlink(missing_ok=True)
            else:
                state_file.replace(self.no_rows, str(number).encode())
            self.model, self.last = model, number
        if self.on_batch is not None and self.model.__sklearn_is_fitted__():
            self.on_batch(self.model, batch)
