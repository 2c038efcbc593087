"""Feed of snapshots from the painter to the browsers."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from phida._serve.trail import Trail


@dataclass(frozen=True)
class Snapshot:
    """A snapshot of the model, for the page."""

    number: int
    facts: dict[str, object]
    text: bytes
    """The facts as JSON."""


@dataclass(eq=False)
class Listener:
    """One browser. It gets the latest snapshot when it is ready; snapshots between are skipped."""

    stride: int = 0
    columns: int = 0
    """Columns of the trail that the listener has."""
    number: int = -1
    """Number of the snapshot that the listener has."""
    closed: bool = False
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Signal new data."""
        self._woken.set()

    def close(self) -> None:
        """Signal that the connection is closed or must close."""
        self.closed = True
        self._woken.set()

    async def wait(self, seconds: float) -> None:
        """Wait for something new, up to a time limit."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            pass
        self._woken.clear()


class Feed:
    """The latest snapshot, the trail and the listeners. Publishing never blocks."""

    def __init__(self, most_listeners: int = 64) -> None:
        self.trail = Trail()
        self.latest: Snapshot | None = None
        self.most_listeners = most_listeners
        self._listeners: set[Listener] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def n_listeners(self) -> int:
        """Number of listeners."""
        return len(self._listeners)

    def publish(self, snapshot: Snapshot) -> None:
        """Publish the latest snapshot; any thread may call this."""
        self.latest = snapshot
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop may close at any moment
                self._loop.call_soon_threadsafe(self._wake)

    def attach(self) -> None:
        """Attach to the running event loop."""
        self._loop = asyncio.get_running_loop()

    def join(self) -> Listener | None:
        """Add a listener; None if there are too many."""
        if len(self._listeners) >= self.most_listeners:
            return None
        listener = Listener()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """Remove a listener."""
        self._listeners.discard(listener)

    def close(self) -> None:
        """Close all listeners."""
        self._loop = None
        for listener in self._listeners:
            listener.close()

    def _wake(self) -> None:
        for listener in self._listeners:
            listener.wake()
