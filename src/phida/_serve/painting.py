"""The thread that makes snapshots of the model, and the rate of rows that they show."""

from __future__ import annotations

import threading
import time
from collections import deque

from phida._serve.feed import Feed
from phida._serve.learning import Learning, Progress
from phida._serve.moment import Moment
from phida._serve.snapshot import Sketcher

#: Minimum seconds between two snapshots.
_SPACING = 0.25

#: Maximum share of time spent on snapshots: slow ones are made less often.
_SHARE = 0.1

#: Seconds over which the rate of rows is taken.
_WINDOW = 3.0


class Pace:
    """Recent growth rate of a count."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def note(self, now: float, count: int) -> float:
        """Record a count, and return its growth per second over about three seconds."""
        while len(self._marks) > 1 and self._marks[1][0] <= now - _WINDOW:
            self._marks.popleft()
        self._marks.append((now, count))
        since, before = self._marks[0]
        return (count - before) / (now - since) if now > since else 0.0


class Painter:
    """Makes snapshots for the feed, a few per second while the model changes."""

    def __init__(self, learning: Learning, feed: Feed, facts: dict[str, object]) -> None:
        self.moment: Moment | None = None
        """What the latest snapshot shows."""
        self.seconds = 0.0
        """What it took to make."""
        self._learning = learning
        self._feed = feed
        self._sketcher = Sketcher(feed.trail, facts)
        self._pace = Pace()
        self._last: tuple[Progress, float] | None = None
        self._wanted = threading.Event()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="phida painting", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    @property
    def at_work(self) -> bool:
        """Return whether the thread is running."""
        return self._thread.is_alive()

    def hurry(self) -> None:
        """Request a snapshot now."""
        self._wanted.set()

    def stop(self) -> None:
        """Stop, and wait for the thread to end."""
        self._stopping = True
        self._wanted.set()
        self._thread.join()

    def paint(self) -> None:
        """Publish a snapshot if the model has changed since the last one."""
        began, used = time.perf_counter(), time.thread_time()
        progress, rate = self._learning.progress, self._pace.note(began, self._learning.progress.rows)
        if self._last == (progress, rate):
            return
        if self._last is None or self._last[0].rows != progress.rows or self.moment is None:
            self.moment = Moment.of(self._learning.model) if self._learning.model.fitted else None
        snapshot = self._sketcher.sketch(self.moment, progress, rate, time.time())
        self._last = (progress, rate)
        self._feed.publish(snapshot)
        self.seconds = time.thread_time() - used

    def _run(self) -> None:
        while not self._stopping:
            self.paint()
            self._wanted.wait(max(_SPACING, self.seconds / _SHARE))
            self._wanted.clear()
