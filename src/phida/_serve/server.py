"""The HTTP server, with limits on connections and time."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from phida._serve.feed import Feed

#: Maximum number of connections, and seconds in which a request must arrive.
CONNECTIONS, PATIENCE = 256, 10.0

#: Bytes of a body that are still read after its request was answered. Closing at once could lose the answer: systems
#: may drop received data of a connection that is reset.
LEFTOVER = 4 << 20


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 that closes connections beyond a limit, and those whose request is late."""

    _wait: asyncio.TimerHandle | None = None
    _leftover = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or close it if there are too many."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.abort()
        else:
            self._wait_for_request()

    def data_received(self, data: bytes) -> None:
        """Receive data; a complete request stops the timer."""
        answered_early = self._answered() and self.conn.their_state is h11.SEND_BODY
        self._leftover = self._leftover + len(data) if answered_early else 0
        if self._leftover > LEFTOVER:
            self.transport.abort()
            return
        super().data_received(data)
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Handle a connection closed by the client."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_request(self) -> None:
        if not self._answered():
            self._stop_waiting()
        elif self._wait is None:
            self._wait = self.loop.call_later(PATIENCE, self.transport.close)

    def _answered(self) -> bool:
        """Return whether no request waits for its response."""
        return getattr(self.cycle, "response_complete", True)  # before the first request, cycle is None

    def _stop_waiting(self) -> None:
        if self._wait is not None:
            self._wait.cancel()
            self._wait = None


class LiveServer(uvicorn.Server):
    """A uvicorn server that closes its listeners before it waits for the last response."""

    def __init__(self, app: Starlette, feed: Feed, give_up: Callable[[], bool]) -> None:
        """``give_up``: called regularly; True stops the server."""
        config = uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=16 * 1024,
        )
        super().__init__(config)
        self._feed = feed
        self._give_up = give_up

    async def on_tick(self, counter: int) -> bool:
        """Return whether to stop."""
        return await super().on_tick(counter) or self._give_up()

    async def shutdown(self, sockets: Any = None) -> None:
        """Shut down."""
        self._feed.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket, or raise an error with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=CONNECTIONS)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OSError(
            f"cannot listen on {host} port {port} ({reason}); choose another address with --host and --port."
        ) from error
