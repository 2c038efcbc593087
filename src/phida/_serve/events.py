"""Server-sent events for the browsers that show the page."""

from __future__ import annotations

import asyncio

from starlette.types import Receive, Scope, Send

from phida._serve.access import refusal
from phida._serve.feed import Feed, Listener

#: Seconds without news after which a comment is sent, so that both sides notice a closed connection.
_BEAT = 10.0

#: Seconds after which a browser that reads nothing is disconnected.
_PATIENCE = 60.0


class EventStream:
    """An endless response: the trail, then the latest snapshot whenever the browser is ready."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await refusal(405, "the events are for GET.", {"allow": "GET"})(scope, receive, send)
            return
        listener = self._feed.join()
        if listener is None:
            most = self._feed.most_listeners
            response = refusal(429, f"{most} pages listen already, and that is the most; close one of them.")
            await response(scope, receive, send)
            return
        watch = asyncio.create_task(_watch(listener, receive))
        try:
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while not listener.closed:
                async with asyncio.timeout(_PATIENCE):
                    await send({"type": "http.response.body", "body": self._news(listener), "more_body": True})
                await listener.wait(_BEAT)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except TimeoutError:
            return  # the server closes an unfinished response
        finally:
            watch.cancel()
            self._feed.leave(listener)

    def _news(self, listener: Listener) -> bytes:
        """Return what the listener has not received yet, or a comment if there is nothing."""
        snapshot, parts = self._feed.latest, []
        stride, begin, columns = self._feed.trail.since(listener.stride, listener.columns)
        if columns or stride != listener.stride:
            text = ",".join(column.text for column in columns)
            parts.append(b'event: trail\ndata: {"from":%d,"columns":[%s]}\n\n' % (begin, text.encode()))
            listener.stride, listener.columns = stride, begin + len(columns)
        if snapshot is not None and snapshot.number != listener.number:
            parts.append(b"event: snapshot\ndata: %s\n\n" % snapshot.text)
            listener.number = snapshot.number
        return b"".join(parts) or b": still here\n\n"


async def _watch(listener: Listener, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.close()
