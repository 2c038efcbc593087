"""From the painter to the browsers: the newest snapshot, whenever each is ready for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from phida.serve.trail import Trail


@dataclass(frozen=True)
class Snapshot:
    """A picture of the model at one moment."""

    number: int
    facts: dict[str, object]
    text: bytes
    """The facts as JSON."""


@dataclass(eq=False)
class Listener:
    """One browser; it takes the newest when it is ready, and what came in between is skipped."""

    stride: int = 0
    columns: int = 0
    """Of the trail, what it has."""
    number: int = -1
    """Of the snapshot that it has."""
    closed: bool = False
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """There is something new."""
        self._woken.set()

    def close(self) -> None:
        """It has gone, or shall go."""
        self.closed = True
        self._woken.set()

    async def wait(self, seconds: float) -> None:
        """For something new, but not for ever."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()


class Feed:
    """The newest snapshot, the trail, and who listens. Publishing never waits for anybody."""

    def __init__(self, most_listeners: int = 64) -> None:
        self.trail = Trail()
        self.latest: Snapshot | None = None
        self.most_listeners = most_listeners
        self._listeners: set[Listener] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def n_listeners(self) -> int:
        """How many listen."""
        return len(self._listeners)

    def publish(self, snapshot: Snapshot) -> None:
        """Put the newest in place; any thread may call this."""
        self.latest = snapshot
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def attach(self) -> None:
        """Belong to the event loop that runs."""
        self._loop = asyncio.get_running_loop()

    def join(self) -> Listener | None:
        """Begin to listen; None where too many do."""
        if len(self._listeners) >= self.most_listeners:
            return None
        listener = Listener()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Listen no more."""
        self._listeners.discard(listener)

    def close(self) -> None:
        """Send everybody away."""
        self._loop = None
        for listener in self._listeners:
            listener.close()

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.wake()
