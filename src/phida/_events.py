"""Event callbacks: events are collected during learning and dispatched afterwards."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from phida import _core
from phida.lineage import Event, Lineage

Callback = Callable[[Event], object]

#: Rows learned between two collections: more rows could cause more events than the learner keeps.
ROWS_BETWEEN_COLLECTIONS = 256


class Events:
    """Callbacks, and the events that wait for them."""

    def __init__(self, known: int) -> None:
        """Start after ``known`` events, which are not dispatched."""
        self._callbacks: list[Callback] = []
        self._next = known
        self._waiting: deque[Event] = deque()
        self._lock = threading.RLock()

    def add(self, callback: Callback) -> None:
        """Register a callback."""
        if not callable(callback):
            raise TypeError(f"a callback must be a function with one argument, the event, not {callback!r}.")
        self._callbacks.append(callback)

    def restart(self) -> None:
        """Expect the events of a new learner, which numbers them from 0."""
        with self._lock:
            self._next = 0

    def collect(self, learner: _core.Learner | _core.PlusLearner) -> None:
        """Queue the events since the last collection."""
        with self._lock:
            if learner.n_events > self._next:
                self.queue(Lineage.from_columns(learner.lineage(self._next)))

    def queue(self, events: Sequence[Event]) -> None:
        """Queue events in order."""
        with self._lock:
            if events:
                self._waiting.extend(events)
                self._next = events[-1].number + 1

    def dispatch(self) -> None:
        """Call the callbacks for each event in the queue. An event leaves the queue before its callbacks run."""
        with self._lock:
            while self._waiting:
                event = self._waiting.popleft()
                for callback in self._callbacks:
                    callback(event)
