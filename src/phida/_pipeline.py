"""Rows in, labels out: prepare, learn, label, score. Commands, the live page and Spark share it.

The reader of an input makes a :class:`Batch`. A :class:`Pipeline` prepares and learns it, and returns it as
:class:`Taken`, which has the labels. A :class:`Stream` writes them, and saves its position from time to time.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from phida import _core, _threads, state_file
from phida._encoding import Encoding, objects
from phida._missing import Imputer
from phida._model import PLUS, PUBLISHED, Learner, Model, Settings, from_file
from phida._parts import Parts
from phida._preparation import Preparation
from phida._reading import named_answers
from phida._streams.batch import BadRow, Batch, DataError, RowReader
from phida._streams.checkpoint import Position, Schedule
from phida._streams.identity import Identity
from phida._streams.lines import Interrupted, Signals
from phida._streams.output import Output
from phida._streams.values import is_missing
from phida._validation import Columns
from phida.answers.novelty import novelty_scores
from phida.answers.summary import Summary
from phida.lineage import Event

#: Maximum number of categories per column with a feature of their own.
_CATEGORIES = 32

#: Batches that are read before they are needed, and that wait to be written, if threads do it.
_TO_READ, _TO_WRITE = 8, 2

#: Values read before they are needed, unless a batch has more.
_VALUES = 1 << 20

#: Rows of a batch from which threads are worth their cost.
_MANY = 100

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Taken:
    """A batch as the model takes it. Its labels are those of the model after the batch."""

    batch: Batch
    """Missing values are filled, or their rows dropped."""
    rows: Floats
    """The numbers of the batch, with its categories if the model has any."""
    source: _core.Reading | Learner | None
    """What labels the rows; None if there are no rows."""

    def labels(self, *, ids: bool = False) -> NDArray[np.int64]:
        """Return the clusters of the rows, or the lasting ids of the clusters."""
        assert self.source is not None
        assign = self.source.assign_ids if ids else self.source.assign
        return assign(self.rows, _threads.for_batch(self.rows.size))


class Pipeline:
    """A model, the names of its features, and the preparation of its rows."""

    def __init__(
        self, settings: Settings, names: Sequence[str] | None = None, model: Model[Columns] | None = None
    ) -> None:
        self.settings = settings
        self.model: Model[Columns] = Model() if model is None else model
        self.names = None if names is None else tuple(names)
        self.position: Any = None
        """Position in the stream, if the model is a checkpoint."""
        self.preparation = self.model.preparation if self.model.begun else Preparation()
        self._to_encode: tuple[Sequence[str], Mapping[str, float]] = ((), {})

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
        # Batches have matrices, without names.
        nameless = model.with_features(replace(model.features, names=None))
        found = cls(model.settings, None if names is None else names.tolist(), nameless)
        found.position = facts["stream_position"]
        return found

    def save(self, path: str | os.PathLike[str], position: Any = None) -> None:
        """Save the model to a file, with the feature names."""
        parameters = {**self.settings.values, "compute_labels": True}
        state_file.replace(path, self.model.content(parameters, self.names, position))

    @property
    def n_seen(self) -> int:
        """Return the number of rows learned."""
        return self.model.n_seen

    @property
    def fitted(self) -> bool:
        """Return whether any rows have been learned."""
        return self.model.n_seen > 0

    @property
    def columns(self) -> tuple[str, ...] | None:
        """Return the names of the columns of numbers."""
        encoding = self.preparation.encoding
        return self.names if encoding is None else tuple(encoding.numbers)

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the names of the other columns."""
        encoding = self.preparation.encoding
        return () if encoding is None else tuple(encoding.others)

    def begin(
        self,
        names: Sequence[str] | None,
        features: Sequence[str],
        impute: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        """Compare the features of an input with those of the model, or set them before the first row.

        ``impute``: the rule for missing values, and ``weights``: the columns of categories, if the model has none.
        """
        encoding = self.preparation.encoding
        width = self.model.features.width if self.model.begun else len(features)
        if encoding is not None:
            width = len(encoding.numbers)
        if len(features) != width:
            raise DataError(
                f"wrong number of features: {len(features)} in the input, {width} in the model; "
                "choose with --columns or --exclude."
            )
        if self.names is None and not self.fitted:
            self.names = None if names is None else tuple(names)
        if impute is not None and self.preparation.imputer is None:
            self.preparation.imputer = Imputer(impute, width)
        if encoding is None:
            self._to_encode = features, weights or {}

    def prepared(self, read: Batch, *, learn: bool = False) -> Taken:
        """Fill or drop rows with missing values, and encode categories; ``learn`` also updates the filling values."""
        batch, preparation = read, self.preparation
        if preparation.imputer is not None and len(read):
            imputer = preparation.imputer
            rows, good = (imputer.learned if learn else imputer.applied)(read.rows)
            batch = replace(read, rows=rows) if good.all() else read.where(good, rows)
        if learn:
            preparation.conversions.update(read.conversions)
        source = self.model.learner if self.model.begun else None
        encoding = self._encoding(batch) if len(batch) else None
        if encoding is None:
            return Taken(batch, batch.rows, source)
        columns = _columns(batch, encoding.others)
        return Taken(batch, encoding.rows(encoding.of_stream(batch.rows, columns)), source)

    def _encoding(self, batch: Batch) -> Encoding | None:
        """Return the encoding of categories; the first rows set its scales."""
        features, weights = self._to_encode
        if self.preparation.encoding is None and weights:
            table = [(name, np.ascontiguousarray(batch.rows[:, j])) for j, name in enumerate(features)]
            table += list(_columns(batch, weights).items())
            encoding = Encoding.begun(table, weights, _CATEGORIES)
            encoding.learn(table)
            self.preparation.encoding = encoding
            self.names = tuple(encoding.features())
        return self.preparation.encoding

    def learned(self, read: Batch, *, later: bool = False) -> Taken:
        """Prepare and learn a batch; ``later``: another thread takes the labels while the model learns on."""
        taken = self.prepared(read, learn=True)
        if not len(taken.batch):
            return taken
        self.learn(taken.rows)
        return replace(taken, source=self.model.reading() if later else self.model.learner)

    def learn(self, rows: Floats, *, follow: bool = True) -> None:
        """Learn prepared rows. See :meth:`Model.learn`."""
        self._begin_model(rows.shape[1])
        self.model.learn(rows, follow=follow)
        self.model.dispatch()

    def parts(self, width: int, n_threads: int) -> Parts:
        """Return learners for threads; merging them adds their rows to the model."""
        self._begin_model(width)
        return self.model.parts(n_threads)

    def _begin_model(self, width: int) -> None:
        if not self.model.begun:
            self.model.begin(width, self.settings, Columns(width, preparation=self.preparation))

    def refresh(self) -> None:
        """Refresh the model, which ends a stage of learning."""
        self.model.end_learning()
        self.model.dispatch()

    def scores(self, rows: Floats) -> Floats:
        """Score how usual prepared rows are, from 0 (unlike all recent rows) to 1, as ``score_samples`` does."""
        return novelty_scores(self.model.reading(), rows)

    def summary(self, reading: _core.Reading) -> Summary:
        """Return a summary of a reading: numbers in their units and categories as shares, not as they are encoded."""
        answers = named_answers(reading, self.model.features.width, self.names)
        found = Summary.of(answers, self.model.examples(self.names))
        encoding = self.preparation.encoding
        return found if encoding is None else replace(found, clusters=found.clusters.in_units(encoding.units()))


def _columns(batch: Batch, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Return columns of a batch as objects, with None for texts that mean a missing value."""
    columns = batch.columns()
    found = {name: objects(columns[name]) for name in names}
    for values in found.values():
        for i, value in enumerate(values):
            if isinstance(value, str) and is_missing(value):
                values[i] = None
    return found


@dataclass
class BadRows:
    """Handling and count of rows that cannot be read."""

    action: str = "fail"
    """``fail``, ``skip`` or ``log``."""
    log: IO[bytes] | None = None
    count: int = 0

    def passed(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield batches after recording their bad rows, or fail after all rows before the first bad one."""
        for batch in batches:
            if batch.bad and self.action == "fail":
                bad = min(batch.bad, key=lambda row: row.number)
                before = batch.before(bad.number)
                if len(before):
                    yield before
                raise DataError(f"{bad.reason} Fix it, or skip such rows with --on-bad-row skip.")
            self._note(batch.bad)
            yield batch

    def _note(self, rows: Iterable[BadRow]) -> None:
        for row in rows:
            self.count += 1
            if self.log is not None:
                self.log.write(f"{row.number}\t{row.reason}\t{row.text}\n".encode())


@dataclass
class Score:
    """Agreement of the clusters with a label column."""

    pairs: Counter[tuple[Any, int]] = field(default_factory=Counter)

    def add(self, truth: Iterable[Any], labels: NDArray[np.int64]) -> None:
        """Count rows by label and cluster."""
        self.pairs.update(zip(truth, labels.tolist(), strict=True))

    def values(self) -> dict[str, float]:
        """Return ARI and AMI."""
        from phida._agreement import adjusted_mutual_information, adjusted_rand

        truths = {truth: i for i, truth in enumerate(dict.fromkeys(truth for truth, _ in self.pairs))}
        clusters = {label: i for i, label in enumerate(dict.fromkeys(label for _, label in self.pairs))}
        table = np.zeros((len(truths), len(clusters)), np.int64)
        for (truth, label), count in self.pairs.items():
            table[truths[truth], clusters[label]] = count
        return {"ari": adjusted_rand(table), "ami": adjusted_mutual_information(table)}


@dataclass
class Stream:
    """One run over a stream, from a position to its end or to a signal.

    With threads, one reads the next batches and another labels and writes the last ones while the model learns. The
    main thread has the model, the bad rows and the events. A checkpoint waits until its rows are written.
    """

    pipeline: Pipeline
    reader: RowReader
    position: Position
    output: Output
    bad_rows: BadRows
    schedule: Schedule
    keep: Callable[[Pipeline, Position], None] | None = None
    """Called when a checkpoint is due."""
    score: Score | None = None
    events: IO[bytes] | None = None
    """File for events of clusters, one JSON object per line."""
    progress: Callable[[int, int], None] = lambda rows, place: None
    """Called after each batch, with its rows and the offset of the next one."""
    look: Callable[[Batch], None] = lambda batch: None
    """Called with the first batch, before it is learned."""
    is_complete: bool = False
    """Whether the input is a file that does not grow. Rows of other inputs may come one by one, and never wait."""
    _last: Batch | None = field(default=None, init=False)

    def run(self, signals: Signals) -> bool:
        """Process the stream and save a checkpoint; return False if a signal ended it."""
        self.schedule.start(self.position.row)
        if self.events is not None:
            self.pipeline.model.on_event(self._write_event)
        finished, size = True, self.position.batch
        threads = self.is_complete and size >= _MANY
        early = max(1, min(_TO_READ, _VALUES // (size * len(self.reader.features))))
        with (
            _threads.ahead(self.reader.batches(size), early if threads else 0) as batches,
            _threads.Behind(_TO_WRITE if threads else 0) as writing,
        ):
            try:
                for batch in self.bad_rows.passed(batches):
                    self._take(batch, writing, threads)
                    if batch.urgent or self.schedule.due(self.position.row):
                        self._checkpoint(writing)
                    signals.check()
            except Interrupted:
                finished = False
            except DataError:
                self._checkpoint(writing)  # keeps the rows before the bad one
                raise
            self._checkpoint(writing)
        return finished

    def _take(self, read: Batch, writing: _threads.Behind, later: bool) -> None:
        if self.position.row == 0:
            self.look(read)
        taken = self.pipeline.learned(read, later=later)
        if len(taken.batch):
            writing.call(self._write, taken)
        if self.events is not None:
            self.events.flush()
        self._last = taken.batch
        self.position = replace(self.position, row=read.end)
        self.progress(len(read) + len(read.bad), read.place.offset)

    def _write(self, taken: Taken) -> None:
        labels = taken.labels(ids=self.position.ids)
        self.output.write(taken.batch, labels)
        if self.score is not None:
            self.score.add(taken.batch.truth, labels)

    def _checkpoint(self, writing: _threads.Behind) -> None:
        """Save a checkpoint, after the output is safe on disk."""
        writing.wait()
        keep = self.keep if self.pipeline.fitted else None
        if keep is not None or self._last is not None:
            self.output.sync()
        if keep is not None:
            for file in (self.bad_rows.log, self.events):
                if file is not None:
                    file.flush()
                    os.fsync(file.fileno())
            if self._last is not None:
                self.position = self._position_of(self._last)
            keep(self.pipeline, self.position)
            self.schedule.start(self.position.row)
        if self._last is not None:
            self._last.place.kept()

    def _position_of(self, last: Batch) -> Position:
        found = replace(
            self.position,
            input_offset=last.place.offset,
            output_offset=self.output.offset,
            output_format=self.output.format,
            bad_rows=self.bad_rows.count,
            bad_row_log_offset=0 if self.bad_rows.log is None else self.bad_rows.log.tell(),
            events_offset=0 if self.events is None else self.events.tell(),
            offsets=last.place.offsets,
            header=self.reader.all_names,
        )
        # Digests of the file as it was read: its name may belong to another file by now.
        return found.with_input(Identity() if last.place.file is None else last.place.file.identity())

    def _write_event(self, event: Event) -> None:
        assert self.events is not None
        self.events.write(json.dumps(asdict(event)).encode() + b"\n")
