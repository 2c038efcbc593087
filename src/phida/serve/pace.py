"""Rows a second."""

from __future__ import annotations

from collections import deque

#: Seconds that are looked back.
_WINDOW = 3.0


class Pace:
    """How fast a count has been growing of late."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, int]] = deque()

    def note(self, now: float, count: int) -> float:
        """Put down a count; the growth a second since about three seconds ago."""
        while len(self._marks) > 1 and self._marks[1][0] <= now - _WINDOW:
            self._marks.popleft()
        self._marks.append((now, count))
        since, before = self._marks[0]
        return (count - before) / (now - since) if now > since else 0.0
