"""The thread that takes moments of the model and makes snapshots of them."""

from __future__ import annotations

import threading
import time

from phida.serve.feed import Feed
from phida.serve.learning import Learning, Progress
from phida.serve.moment import Moment
from phida.serve.pace import Pace
from phida.serve.snapshot import Sketcher

#: Seconds between two snapshots, at least.
_SPACING = 0.25

#: Of all time, the part that may go into snapshots: where one takes long, the next is made later.
_SHARE = 0.1


class Painter:
    """Snapshots of a stream for its feed, a few a second while anything changes."""

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
        """Begin."""
        self._thread.start()

    @property
    def at_work(self) -> bool:
        """Whether snapshots are still made."""
        return self._thread.is_alive()

    def hurry(self) -> None:
        """Something happened that should be seen at once."""
        self._wanted.set()

    def stop(self) -> None:
        """End, and wait for that."""
        self._stopping = True
        self._wanted.set()
        self._thread.join()

    def paint(self) -> None:
        """A snapshot, if anything has changed since the last one."""
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
