"""Rows from MQTT topics, each at least once.

A message is acknowledged when its row is safe: in a checkpoint or, without checkpoints, learned. The session outlives
the connection, so the broker sends unacknowledged messages again after a crash.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from phida._streams.address import Address
from phida._streams.batch import DataError
from phida._streams.lines import Signals
from phida._streams.messages import Message

#: Seconds between two checks for a signal.
_STEP = 0.1

#: Seconds in which a broker must accept a connection.
_PATIENCE = 30.0

#: Seconds in which a broker must confirm the last acknowledgements.
_LAST = 10.0

#: Messages in the local queue; with more, the network waits.
_MOST = 1000

#: Unacknowledged messages after which a checkpoint is due. Brokers stop at some number, Mosquitto at 20.
_WINDOW = 10


def _paho() -> Any:
    try:
        from paho.mqtt import client
    except ModuleNotFoundError as error:
        raise ImportError('mqtt:// needs paho-mqtt: pip install "phida[mqtt]"') from error
    return client


class Subscription:
    """Messages of a subscription, received in the thread of the client."""

    def __init__(self, client: Any, signals: Signals | None) -> None:
        self._client = client
        self._signals = signals
        self._arrived: queue.Queue[Any] = queue.Queue(_MOST)
        self._received: deque[Any] = deque()
        self._taken: deque[Any] = deque()
        self._kept = 0
        self.failure: str | None = None
        """Why the broker cannot be used."""

    def receive(self, most: int) -> list[Message]:
        """See :class:`phida._streams.messages.Messages`."""
        while True:
            self.check()
            try:
                found = [self._arrived.get(timeout=_STEP)]
            except queue.Empty:
                continue
            while len(found) < most and not self._arrived.empty():
                found.append(self._arrived.get_nowait())
            self._received.extend(found)
            return [Message(bytes(one.payload)) for one in found]

    def check(self) -> None:
        """Stop if a signal has arrived or the broker refuses."""
        if self._signals is not None:
            self._signals.check()
        if self.failure is not None:
            raise OSError(self.failure)

    def taken(self, count: int) -> bool:
        """Return whether so many messages are unacknowledged that the broker may stop sending."""
        self._taken.extend(self._received.popleft() for _ in range(count))
        return len(self._taken) >= _WINDOW

    def kept(self, count: int) -> None:
        """Acknowledge the first ``count`` of all messages taken."""
        while self._kept < count:
            message = self._taken.popleft()
            self._client.ack(message.mid, message.qos)
            self._kept += 1

    def put(self, message: Any) -> None:
        """Queue a message, in the client's thread; wait while the queue is full, unless the subscription is closing."""
        while self.failure is None:
            try:
                self._arrived.put(message, timeout=_STEP)
                return
            except queue.Full:
                if self._signals is not None and self._signals.received is not None:
                    return


@contextmanager
def subscribed(address: Address, signals: Signals | None, notify: Callable[[str], None]) -> Iterator[Subscription]:
    """Yield the messages of the topics of an address; ``+`` and ``#`` are MQTT's wildcards."""
    paho = _paho()
    if unknown := address.options.keys() - {"client_id"}:
        raise DataError(f"{address.shown}: unknown option {min(unknown)!r}; the only option is client_id.")
    if len(address.hosts) > 1:
        raise DataError(f"{address.shown}: MQTT needs exactly one host.")
    host, _, port = address.hosts[0].partition(":")
    secure = address.scheme == "mqtts"
    # The broker identifies a session by this name, which must be the same after a crash.
    name = address.options.get("client_id") or f"phida-{hashlib.sha256(address.shown.encode()).hexdigest()[:12]}"
    client = paho.Client(
        paho.CallbackAPIVersion.VERSION2, name, clean_session=False, protocol=paho.MQTTv311, manual_ack=True
    )
    if address.user is not None:
        client.username_pw_set(address.user, address.password)
    if secure:
        client.tls_set()
    subscription = Subscription(client, signals)

    def on_connect(client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            subscription.failure = f"{address.shown}: {reason}."
        else:
            client.subscribe(address.topic, qos=1)

    def on_subscribe(client: Any, data: Any, mid: int, reasons: Any, properties: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            subscription.failure = f"{address.shown}: the broker refused the subscription ({reasons[0]})."
        else:
            notify(f"{address.shown}: subscribed")

    def on_disconnect(client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            notify(f"{address.shown}: {reason}; reconnecting")

    confirmed = threading.Event()
    client.on_unsubscribe = lambda *_: confirmed.set()
    client.on_connect = on_connect
    client.on_subscribe = on_subscribe
    client.on_disconnect = on_disconnect
    client.on_message = lambda client, data, message: subscription.put(message)
    client.connect_timeout = _PATIENCE
    try:
        client.connect(host, int(port or (8883 if secure else 1883)))
    except (OSError, ValueError) as error:
        raise OSError(f"{address.shown}: {error}.") from error
    client.loop_start()
    try:
        yield subscription
    finally:
        subscription.failure = subscription.failure or "The stream has ended."
        # Messages in transit reset a connection that is closed, and acknowledgements that the broker has not read are
        # lost. A broker answers in order, also to cancelling a subscription that never existed.
        never = f"phida/{hashlib.sha256(name.encode()).hexdigest()}"
        if client.unsubscribe(never)[0] == paho.MQTT_ERR_SUCCESS:
            confirmed.wait(_LAST)
        client.disconnect()
        client.loop_stop()
