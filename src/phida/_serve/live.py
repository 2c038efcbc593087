"""A stream and its page, from start to stop."""

from __future__ import annotations

import secrets
import socket

from phida._serve.app import application
from phida._serve.feed import Feed
from phida._serve.learning import Learning
from phida._serve.painting import Painter
from phida._serve.server import LiveServer


class Live:
    """Learning, painting and serving, started and stopped together."""

    def __init__(self, learning: Learning, source: str, token: str | None = None) -> None:
        """``source``: name of the stream on the page."""
        self.learning = learning
        self.feed = Feed()
        self.painter = Painter(learning, self.feed, {"source": source, "run": secrets.token_hex(8)})
        self.app = application(learning, self.painter, self.feed, token)

    def start(self) -> None:
        """Start learning."""
        self.learning.start()
        self.painter.start()

    def stop(self) -> None:
        """Stop learning after the current batch, and make a last snapshot."""
        self.learning.stop()
        self.painter.stop()

    def run(self, listening: socket.socket) -> None:
        """Learn and serve until a signal arrives, or until the stream fails before any row is learned."""
        self.start()
        try:
            LiveServer(self.app, self.feed, self._hopeless).run(sockets=[listening])
        finally:
            self.stop()

    def _hopeless(self) -> bool:
        return self.learning.error is not None and not self.learning.model.fitted
