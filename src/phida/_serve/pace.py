"""Rows per second."""

from __future__ import annotations

from collections import deque

#: Length of the time window in seconds.
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
