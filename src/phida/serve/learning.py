"""The thread that reads a stream and learns it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from phida.streams.batch import Batch, RowReader
from phida.streams.learning import BadRows, Score
from phida.streams.lines import Interrupted, Signals
from phida.streams.model import StreamModel
from phida.streams.opening import Source, opened

#: Rows of a batch of a file that is there in full. Pipes and files that grow are learned row by row, as they come.
_BATCH = 500

#: Times a second that a limited rate is kept to.
_STEPS = 20

LEARNING, PAUSED, ENDED, FAILED = "learning", "paused", "ended", "failed"


@dataclass(frozen=True)
class Progress:
    """How far a stream has come."""

    state: str
    """learning, paused, ended or failed."""
    note: str
    """A sentence where the state needs one."""
    rows: int
    """Rows read in this run, bad ones among them."""
    bad_rows: int
    scores: dict[str, float] = field(default_factory=dict)
    """How clusters agree with the label column, where there is one."""


class Learning:
    """A stream on its way into a model; it can be paused, and stopped between two batches."""

    def __init__(
        self,
        model: StreamModel,
        source: Source,
        bad_rows: BadRows,
        *,
        rate: float | None = None,
        notify: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """``rate``: at most so many rows a second; ``notify``: called when a followed file is replaced."""
        self.model = model
        self.source = source
        self.error: Exception | None = None
        """What ended the stream, if it failed."""
        self._bad_rows = bad_rows
        self._rate = rate
        self._notify = notify
        self._rows = 0
        self._score = None if source.selection.label is None else Score()
        self._scores: dict[str, float] = {}
        self._ended: str | None = None
        self._signals = Signals()
        self._going = threading.Event()
        self._going.set()
        self._thread = threading.Thread(target=self._run, name="phida learning", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def pause(self) -> None:
        """Learn nothing more until ``resume``; what comes waits where it is."""
        self._going.clear()

    def resume(self) -> None:
        """Go on."""
        self._going.set()

    def stop(self) -> None:
        """End after the batch under way, and wait for that."""
        self._signals.stop()
        self._going.set()
        self._thread.join()

    @property
    def progress(self) -> Progress:
        """As of now."""
        state, note = LEARNING, ""
        if self.error is not None:
            state, note = FAILED, f"The stream ended with an error: {self.error}"
        elif self._ended is not None:
            state, note = ENDED, self._ended
        elif not self._going.is_set():
            state, note = PAUSED, "Learning is paused; rows that come wait."
        return Progress(state, note, self._rows, self._bad_rows.count, self._scores)

    def _run(self) -> None:
        try:
            with opened(self.source, self._signals, self._notify) as reader:
                self._learn(reader)
            self._ended = "The stream has ended; this page stays until the server is stopped."
        except Interrupted:
            self._ended = "The server is stopping."
        except Exception as error:  # whatever it is, the page says so and the command ends with it
            self.error = error

    def _learn(self, reader: RowReader) -> None:
        if self.model.names is None and not self.model.fitted:
            self.model.names = reader.names
        self.model.check_width(len(reader.features))
        due = time.monotonic()
        for batch in reader.batches(self._batch):
            self._going.wait()
            self._signals.check()
            self._take(reader, batch)
            self._rows = batch.end
            if self._rate is not None:
                now = time.monotonic()
                due = max(due + (len(batch) + len(batch.bad)) / self._rate, now)
                self._signals.sleep(due - now)

    def _take(self, reader: RowReader, batch: Batch) -> None:
        """Learn the rows of a batch; those before a bad row are learned before it fails."""
        first_bad = min((row.number for row in batch.bad), default=None)
        if first_bad is not None and self._bad_rows.action == "fail":
            good = batch.numbers < first_bad
            batch = batch.where(good, batch.rows[good])
            self._rows = first_bad
        prepared = self.model.prepared(batch, learn=True)
        self.model.conversions.update(reader.conversions)
        if len(prepared):
            self.model.learn(prepared.rows)
            if self._score is not None:
                self._score.add(prepared.truth, self.model.ids(prepared.rows).tolist())
                self._scores = self._score.values()
        self._bad_rows.take(batch.bad)

    @property
    def _batch(self) -> int:
        if self.source.is_pipe or self.source.follow:
            return 1
        return _BATCH if self._rate is None else max(1, min(_BATCH, int(self._rate / _STEPS)))
