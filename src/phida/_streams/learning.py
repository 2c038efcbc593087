"""Learning of a stream: learn a batch, label it, write it, save a checkpoint from time to time."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import IO, Any

import numpy as np

from phida._streams.batch import BadRow, Batch, DataError, RowReader
from phida._streams.checkpoint import Position, Schedule
from phida._streams.identity import Identity
from phida._streams.lines import Interrupted, Signals
from phida._streams.model import StreamModel
from phida._streams.output import Output
from phida.lineage import Event


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

    def add(self, truth: Iterable[Any], labels: Iterable[int]) -> None:
        """Count rows by label and cluster."""
        self.pairs.update(zip(truth, labels, strict=True))

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
    """One run over a stream, from a position to its end or to a signal."""

    model: StreamModel
    reader: RowReader
    position: Position
    output: Output
    bad_rows: BadRows
    schedule: Schedule
    keep: Callable[[StreamModel, Position], None] | None = None
    """Called when a checkpoint is due."""
    score: Score | None = None
    events: IO[bytes] | None = None
    """File for events of clusters, one JSON object per line."""
    progress: Callable[[int, int], None] = lambda rows, place: None
    """Called after each batch, with its rows and the offset of the next one."""
    look: Callable[[Batch], None] = lambda batch: None
    """Called with the first batch, before it is learned."""
    _last: Batch | None = field(default=None, init=False)

    def run(self, signals: Signals) -> bool:
        """Process the stream and save a checkpoint; return False if a signal ended it."""
        self.schedule.start(self.position.row)
        if self.events is not None:
            self.model.on_event(self._write_event)
        finished = True
        try:
            for batch in self.bad_rows.passed(self.reader.batches(self.position.batch)):
                self._take(batch)
                if batch.urgent or self.schedule.due(self.position.row):
                    self._checkpoint()
                signals.check()
        except Interrupted:
            finished = False
        except DataError:
            self._checkpoint()  # keeps the rows before the bad one
            raise
        self._checkpoint()
        return finished

    def _take(self, read: Batch) -> None:
        if self._last is None and self.position.row == 0:
            self.look(read)
        batch = self.model.prepared(read, learn=True)
        self.model.conversions.update(self.reader.conversions)
        if len(batch):
            rows = self.model.rows_of(batch)
            self.model.learn(rows)
            labels = (self.model.ids if self.position.ids else self.model.labels)(rows)
            if self.events is not None:
                self.events.flush()
            self.output.write(batch, labels)
            if self.score is not None:
                self.score.add(batch.truth, labels.tolist())
        self.position = Position(
            row=batch.end,
            input_offset=batch.place.offset,
            output_offset=self.output.offset,
            output_format=self.output.format,
            bad_rows=self.bad_rows.count,
            bad_row_log_offset=0 if self.bad_rows.log is None else self.bad_rows.log.tell(),
            events_offset=0 if self.events is None else self.events.tell(),
            topic=self.position.topic,
            offsets=batch.place.offsets,
            output_topic=self.position.output_topic,
            ids=self.position.ids,
            batch=self.position.batch,
            header=self.reader.all_names,
        )
        self._last = batch
        self.progress(len(read) + len(read.bad), batch.place.offset)

    def _checkpoint(self) -> None:
        """Save a checkpoint, after the output is safe on disk."""
        if self.keep is None or not self.model.fitted:
            if self._last is not None:
                self.output.sync()
                self._last.place.kept()
            return
        if self._last is not None:
            # Digests of the file as it was read: its name may belong to another file by now.
            read = self._last.place.file
            self.position = self.position.with_input(Identity() if read is None else read.identity())
        self.output.sync()
        for file in (self.bad_rows.log, self.events):
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
        self.keep(self.model, self.position)
        if self._last is not None:
            self._last.place.kept()
        self.schedule.start(self.position.row)

    def _write_event(self, event: Event) -> None:
        assert self.events is not None
        self.events.write(json.dumps(asdict(event)).encode() + b"\n")
