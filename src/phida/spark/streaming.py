"""A stream is learned, each of its batches once, whatever is killed on the way."""

from __future__ import annotations

import atexit
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from phida import distributed, state_file
from phida.estimators import Estimator, PHIDAPlus
from phida.spark.columns import Features, features_of
from phida.spark.learning import check_names, learn

E = TypeVar("E", bound=Estimator)

NAME = "model.safetensors"
#: Holds the number of the last batch as long as none had a row, and there is no model to save.
NO_ROWS = "batches_without_rows"


def fit_stream(
    df: DataFrame,
    checkpoint: str,
    features: Features = None,
    *,
    estimator: type[E] = PHIDAPlus,
    random_state: int = 0,
    on_batch: Callable[[E, DataFrame], None] | None = None,
    trigger: dict[str, Any] | None = None,
    **parameters: Any,
) -> StreamingQuery:
    """Learn a stream, batch by batch; nothing is labelled unless ``on_batch`` does it.

    After each batch the model is in ``checkpoint/model.safetensors``, with the number of the batch in the same file: a
    batch that Spark hands in again is not learned again. Read it with ``load`` of the estimator at any time.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With ``isStreaming``.
    checkpoint : str
        A folder that the driver can write, and finds again when it is started anew. Spark's own checkpoint is below it.
    features : str or sequence of str, default=None
        As for :func:`phida.spark.fit`; the same, in the same order, whenever the stream is started anew.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`; the same, too.
    random_state : int, default=0
        Seed of the samples.
    on_batch : callable, optional
        Called with the model and the batch once the model is saved; for a batch handed in again, again.
    trigger : dict, optional
        Words for ``DataStreamWriter.trigger``, for instance ``{"availableNow": True}``.
    **parameters
        Of the estimator, but ``compute_labels``; for a model that begins.

    Returns
    -------
    query : pyspark.sql.streaming.StreamingQuery
    """
    folder = Path(checkpoint)
    folder.mkdir(parents=True, exist_ok=True)
    unfitted = distributed.unfitted(estimator, parameters)
    learner = StreamLearner(folder / NAME, unfitted, features, random_state, on_batch)
    check_names(learner.model, features_of(df, features)[1])
    check_progress(folder, learner.last)
    atexit.register(learner.drop_model)
    writer = df.writeStream.foreachBatch(learner).option("checkpointLocation", str(folder / "spark"))
    return writer.trigger(**(trigger or {"processingTime": "0 seconds"})).start()


def check_progress(folder: Path, last: int) -> None:
    """Raise where the model's last batch and Spark's own notes do not go together, and batches would be skipped."""
    notes, kept = folder / "spark", folder / NAME
    begun, done = (_largest(notes / name) for name in ("offsets", "commits"))
    if last < done:
        raise state_file.StateFileError(
            f"Spark has done batch {done} of this stream, but {kept} "
            f"{f'ends with batch {last}' if kept.is_file() else 'is missing'}, so that batches would be left out. "
            f"Put back the model that belongs to it, or delete {folder} to learn the stream from its beginning."
        )
    if last > begun:
        kept = kept if kept.is_file() else folder / NO_ROWS
        raise state_file.StateFileError(
            f"{kept} is as of batch {last} of a stream, but {notes} "
            f"{f'ends with batch {begun}' if begun >= 0 else 'is missing'}, so that batches would be left out. "
            "Put Spark's folder back, or move the file away to learn the stream from its beginning."
        )


def _largest(folder: Path) -> int:
    """The number of the last batch that Spark has a note of."""
    names = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return max((int(name) for name in names if name.isdigit()), default=-1)


class StreamLearner(Generic[E]):
    """Takes batches in their order, and each once."""

    def __init__(
        self,
        path: Path,
        model: E,
        features: Features,
        random_state: int,
        on_batch: Callable[[E, DataFrame], None] | None,
    ) -> None:
        self.path, self.features, self.random_state, self.on_batch = path, features, random_state, on_batch
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
                raise state_file.StateFileError(f"{path} is a model, but not a checkpoint of phida.spark.fit_stream.")
            self.last = position["spark_batch"]

    def drop_model(self) -> None:
        """Drop the model: py4j keeps whom it calls beyond the end of the interpreter, where nothing native may be."""
        self.__dict__.pop("model", None)

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Learn a batch, and keep the model with its number; a batch that is known changes nothing."""
        if number > self.last:
            # A copy, so that a model that cannot be saved leaves this one as it was.
            model = copy.deepcopy(self.model)
            learn(model, batch, self.features, self.random_state)
            if model.__sklearn_is_fitted__():
                model.save(self.path, position={"spark_batch": number})
                self.no_rows.unlink(missing_ok=True)
            else:
                state_file.replace(self.no_rows, str(number).encode())
            self.model, self.last = model, number
        if self.on_batch is not None and self.model.__sklearn_is_fitted__():
            self.on_batch(self.model, batch)
