"""Those who want to hear what happens to clusters."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from phida import _core
from phida.lineage import Event, Lineage

Callback = Callable[[Event], object]

#: Rows that are learned between two looks: in many more, more events could happen than are kept.
ROWS_BETWEEN_LOOKS = 256


class Listeners:
    """Callbacks, and the events that they have not been told of."""

    def __init__(self, known: int) -> None:
        """``known`` events need not be told."""
        self._callbacks: list[Callback] = []
        self._next = known
        self._waiting: deque[Event] = deque()
        self._lock = threading.RLock()

    def add(self, callback: Callback) -> None:
        """One more."""
        if not callable(callback):
            raise TypeError(f"a callback is a function that takes an event, not {callback!r}.")
        self._callbacks.append(callback)

    def begin_again(self) -> None:
        """A new learner counts its events from 0."""
        with self._lock:
            self._next = 0

    def look(self, learner: _core.Learner) -> None:
        """Take down what has happened; a look is all it costs where nothing has."""
        with self._lock:
            if learner.n_events > self._next:
                news = Lineage.from_columns(learner.lineage(self._next))
                self._waiting.extend(news)
                self._next = news[-1].number + 1

    def take_over(self, events: Sequence[Event]) -> None:
        """Take down what happened to a copy of the model that is about to take its place."""
        with self._lock:
            if events:
                self._waiting.extend(events)
                self._next = events[-1].number + 1

    def tell(self) -> None:
        """Call back, in order; what a callback that fails leaves is told the next time."""
        with self._lock:
            while self._waiting:
                event = self._waiting.popleft()
                for callback in self._callbacks:
                    callback(event)
