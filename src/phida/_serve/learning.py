"""The thread that learns a stream, and rows from requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from phida._pipeline import BadRows, Pipeline, Score, Taken
from phida._streams.batch import Batch, Place, RowReader
from phida._streams.columns import Selection
from phida._streams.lines import Interrupted, Signals
from phida._streams.opening import Source, opened

#: Rows per batch of a complete file. Pipes and growing files are learned row by row.
_BATCH = 500

#: Steps per second in which a limited rate is enforced.
_STEPS = 20

LEARNING, PAUSED, ENDED, FAILED = "learning", "paused", "ended", "failed"


@dataclass(frozen=True)
class Progress:
    """Progress of a stream."""

    state: str
    """learning, paused, ended or failed."""
    note: str
    """Message about the state, if any."""
    rows: int
    """Number of rows read in this run, including bad rows."""
    bad_rows: int
    scores: dict[str, float] = field(default_factory=dict)
    """Scores against the label column, if there is one."""


class Learning:
    """Learning of a stream in a thread. It can be paused, and stopped between batches."""

    def __init__(
        self,
        model: Pipeline,
        source: Source | None,
        bad_rows: BadRows,
        *,
        selection: Selection | None = None,
        impute: str | None = None,
        rate: float | None = None,
        notify: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """``selection``: features of rows passed to :meth:`learn`; None refuses such rows.

        ``impute``: the rule for missing values if the model has none; ``rate``: most rows of the source per second;
        ``notify``: called when a followed file is replaced.
        """
        self.model = model
        self.source = source
        self.selection = selection or Selection()
        self.takes_posts = selection is not None
        self.lock = threading.RLock()
        """Lock for learning and counting rows."""
        self.error: Exception | None = None
        """The error that ended the stream, if any."""
        self._bad_rows = bad_rows
        self._impute = impute
        self._rate = rate
        self._notify = notify
        self._rows = 0
        self._score = None if source is None or source.selection.label is None else Score()
        self._scores: dict[str, float] = {}
        self._ended: str | None = None
        self._signals = Signals()
        self._going = threading.Event()
        self._going.set()
        self._thread = threading.Thread(target=self._run, name="phida learning", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def pause(self) -> None:
        """Pause learning until ``resume``; new rows wait."""
        self._going.clear()

    def resume(self) -> None:
        """Resume learning."""
        self._going.set()

    def stop(self) -> None:
        """Stop after the current batch, and wait for it."""
        self._signals.stop()
        self._going.set()
        self._thread.join()

    def learn(self, names: tuple[str, ...] | None, features: Sequence[str], rows: NDArray[np.float64]) -> Taken:
        """Learn complete rows from a request."""
        with self.lock:
            self.model.begin(names, features, self._impute)
            first, end = self._rows, self._rows + len(rows)
            taken = self.model.learned(Batch(end, Place(), np.arange(first, end), rows, (), dict))
            self._rows = end
            return taken

    @property
    def progress(self) -> Progress:
        """Return the current progress."""
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
            if self.source is not None:
                with opened(self.source, self._signals, self._notify) as reader:
                    self._learn(reader)
            while self.takes_posts:
                self._signals.sleep(3600)
            self._ended = "The stream has ended; this page stays until the server is stopped."
        except Interrupted:
            self._ended = "The server is stopping."
        except Exception as error:  # for any error, the page shows it and the command ends with it
            self.error = error

    def _learn(self, reader: RowReader) -> None:
        with self.lock:
            self.model.begin(reader.names, reader.features, self._impute)
        due = time.monotonic()
        for batch in self._bad_rows.passed(reader.batches(self._batch)):
            self._going.wait()
            self._signals.check()
            count = len(batch) + len(batch.bad)
            with self.lock:
                self._take(batch)
            batch.place.kept()
            if self._rate is not None:
                now = time.monotonic()
                due = max(due + count / self._rate, now)
                self._signals.sleep(due - now)

    def _take(self, batch: Batch) -> None:
        taken = self.model.learned(batch)
        if self._score is not None and len(taken.batch):
            self._score.add(taken.batch.truth, taken.labels(ids=True))
            self._scores = self._score.values()
        self._rows += len(batch) + len(batch.bad)

    @property
    def _batch(self) -> int:
        assert self.source is not None
        if self.source.is_pipe or self.source.follow:
            return 1
        return _BATCH if self._rate is None else max(1, min(_BATCH, int(self._rate / _STEPS)))
