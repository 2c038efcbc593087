"""A model for streams: it learns matrices and keeps their column names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from phida import _core, _threads, state_file
from phida._encoding import Encoding, objects
from phida._events import Callback
from phida._missing import Imputer
from phida._model import PLUS, PUBLISHED, Learner, Model, Settings, from_file
from phida._parts import Parts
from phida._preparation import Preparation
from phida._reading import Reading, named_answers
from phida._streams.batch import Batch, DataError
from phida._streams.values import is_missing
from phida._validation import Columns
from phida.answers.novelty import novelty_scores
from phida.answers.summary import Summary
from phida.records import Examples

#: Maximum number of categories per column with a feature of their own.
_CATEGORIES = 32


class StreamModel:
    """A learner with feature names and the preparation of rows."""

    def __init__(
        self,
        settings: Settings,
        names: Sequence[str] | None = None,
        position: Any = None,
        model: Model[Columns] | None = None,
    ) -> None:
        self.settings = settings
        self._model: Model[Columns] = Model() if model is None else model
        self.names = None if names is None else tuple(names)
        self.position = position
        """Position in the stream, if the model is a checkpoint."""
        self._preparation = self._model.preparation if self._model.begun else Preparation()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a model from a file."""
        return cls.of_content(path, *state_file.read(path))

    @classmethod
    def of_content(cls, path: str | os.PathLike[str], state: dict[str, Any], facts: dict[str, Any]) -> Self:
        """Restore a model from the content of its file, as ``state_file.read`` returns it."""
        model, _ = from_file(os.fspath(path), state, facts, PUBLISHED, PLUS)
        names = model.features.names
        assert model.settings is not None
        found = cls(model.settings, None if names is None else names.tolist(), facts["stream_position"])
        found._model = model.with_features(replace(model.features, names=None))  # batches have matrices
        found._preparation = model.preparation
        return found

    def save(self, path: str | os.PathLike[str], position: Any = None) -> None:
        """Save the model to a file, with the feature names."""
        parameters = {**self.settings.values, "compute_labels": True}
        state_file.replace(path, self._model.content(parameters, self.names, position))

    @property
    def imputer(self) -> Imputer | None:
        """Imputer of missing values, if any."""
        return self._preparation.imputer

    @imputer.setter
    def imputer(self, imputer: Imputer) -> None:
        self._preparation.imputer = imputer

    @property
    def conversions(self) -> dict[str, str]:
        """Formats of the columns of dates and booleans that are learned as numbers."""
        return self._preparation.conversions

    @property
    def width(self) -> int:
        """Return the number of features, once learning has begun."""
        return self._model.features.width

    @property
    def fitted(self) -> bool:
        """Return whether any rows have been learned."""
        return self._model.n_seen > 0

    @property
    def n_seen(self) -> int:
        """Return the number of rows learned."""
        return self._model.n_seen

    @property
    def learner(self) -> Learner:
        """Return the native learner."""
        return self._model.learner

    def reading(self) -> _core.Reading:
        """Return a reading of the model."""
        return self._model.reading()

    def examples(self) -> Examples | None:
        """Return example rows of the clusters; None for PHIDA, which keeps none."""
        return self._model.examples(self.names)

    def summary(self, reading: _core.Reading) -> Summary:
        """Return a summary of a reading: numbers in their units and categories as shares, not as they are encoded."""
        found = Summary.of(named_answers(reading, self.width, self.names), self.examples())
        encoding = self._preparation.encoding
        return found if encoding is None else replace(found, clusters=found.clusters.in_units(encoding.units()))

    def copied(self) -> Reading:
        """Return a copy that answers questions."""
        return Reading(self._model, self.names)

    def figures(self) -> dict[str, Any]:
        """Return the figures that only the model's method has."""
        return self._model.figures()

    def on_event(self, callback: Callback) -> None:
        """Register a callback for future events."""
        self._model.on_event(callback)

    def prepared(self, batch: Batch, *, learn: bool) -> Batch:
        """Fill or drop rows with missing values; ``learn`` also updates the filling values."""
        if self.imputer is None or not len(batch):
            return batch
        rows, good = (self.imputer.learned if learn else self.imputer.applied)(batch.rows)
        return replace(batch, rows=rows) if good.all() else batch.where(good, rows)

    def rows_of(self, batch: Batch) -> NDArray[np.float64]:
        """Return prepared rows as the model learns them: with their categories, if it has any."""
        encoding = self._preparation.encoding
        if encoding is None:
            return batch.rows
        columns = {name: _without_missing(objects(batch.columns()[name])) for name in encoding.others}
        return encoding.rows(encoding.of_stream(batch.rows, columns))

    @property
    def columns(self) -> tuple[str, ...] | None:
        """Return the names of the columns of numbers."""
        encoding = self._preparation.encoding
        return self.names if encoding is None else tuple(encoding.numbers)

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the names of the other columns."""
        encoding = self._preparation.encoding
        return () if encoding is None else tuple(encoding.others)

    def encode(self, names: Sequence[str], batch: Batch, weights: Mapping[str, float]) -> None:
        """Begin an encoding of numbers and categories with the first rows, which set its scales."""
        columns = batch.columns()
        table = [(name, np.ascontiguousarray(batch.rows[:, j])) for j, name in enumerate(names)]
        table += [(name, _without_missing(objects(columns[name]))) for name in weights]
        encoding = Encoding.begun(table, weights, _CATEGORIES)
        encoding.learn(table)
        self._preparation.encoding = encoding
        self.names = tuple(encoding.features())

    def learn(self, rows: NDArray[np.float64], *, follow: bool = True) -> None:
        """Learn rows that the reader has checked. See :meth:`Model.learn`."""
        model = self._begun(rows.shape[1])
        model.learn(rows, follow=follow)
        model.dispatch()

    def parts(self, width: int, n_threads: int) -> Parts:
        """Return learners for threads; merging them adds their rows to the model."""
        return self._begun(width).parts(n_threads)

    def _begun(self, width: int) -> Model[Columns]:
        model = self._model
        if not model.begun:
            model.begin(width, self.settings, Columns(width, preparation=self._preparation))
        return model

    def refresh(self) -> None:
        """Refresh the model, which ends a stage of learning."""
        self._model.end_learning()
        self._model.dispatch()

    def labels(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict the clusters of rows."""
        return self._model.learner.assign(rows, _threads.for_batch(rows.size))

    def ids(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict the lasting cluster ids of rows."""
        return self._model.learner.assign_ids(rows, _threads.for_batch(rows.size))

    def scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Score how usual rows are, from 0 (unlike all recent rows) to 1, as ``score_samples`` does."""
        return novelty_scores(self.reading(), rows)

    def check_width(self, columns: int) -> None:
        """Raise an error if the number of columns differs from the model's."""
        width = self._model.features.width if self._model.begun else columns
        if self._preparation.encoding is not None:
            width = len(self._preparation.encoding.numbers)
        if columns != width:
            raise DataError(
                f"wrong number of features: {columns} in the input, {width} in the model; "
                "choose with --columns or --exclude."
            )


def _without_missing(values: NDArray[Any]) -> NDArray[Any]:
    """Return objects with None for texts that mean a missing value."""
    for i, value in enumerate(values):
        if isinstance(value, str) and is_missing(value):
            values[i] = None
    return values
