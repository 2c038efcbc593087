"""Connections between the tasks of a job, authenticated with a key from the driver."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Iterable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge

Address = tuple[str, int]


class Hub:
    """The end of the task that all others connect to.

    Parameters
    ----------
    host : str
        Name or address of this machine for the other tasks.
    key : bytes
    """

    def __init__(self, host: str, key: bytes) -> None:
        self._key = key
        self._listener = Listener((host, 0), family="AF_INET", backlog=128)
        self._arrived: queue.SimpleQueue[tuple[int, Connection]] = queue.SimpleQueue()
        self._closing = False
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def address(self) -> Address:
        """Where to connect to."""
        host, port = self._listener.address
        return host, port

    def connections(self, numbers: Iterable[int]) -> dict[int, Connection]:
        """Wait for the tasks with these numbers. Clients without the key are rejected."""
        awaited = set(numbers)
        found: dict[int, Connection] = {}
        while found.keys() != awaited:
            number, connection = self._arrived.get()
            found[number] = connection
        return found

    def close(self) -> None:
        """Stop listening; connections stay open. The thread ends too, because workers outlive their task."""
        self._closing = True
        with socket.create_connection(self.address):  # wakes the thread, which closing the listener would not
            self._accepting.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            connection = self._listener.accept()
            if self._closing:
                connection.close()
                return
            # In a separate thread, so that a silent client does not block the others.
            threading.Thread(target=self._greet, args=[connection], daemon=True).start()

    def _greet(self, connection: Connection) -> None:
        try:
            deliver_challenge(connection, self._key)
            answer_challenge(connection, self._key)
            number = int.from_bytes(connection.recv_bytes(8), "big")
        except (AuthenticationError, EOFError, OSError):
            connection.close()
            return
        _send_at_once(connection)
        self._arrived.put((number, connection))


def connect(address: Address, key: bytes, number: int) -> Connection:
    """Connect to the hub, as the task with this number."""
    connection = Client(address, family="AF_INET", authkey=key)
    _send_at_once(connection)
    connection.send_bytes(number.to_bytes(8, "big"))
    return connection


def _send_at_once(connection: Connection) -> None:
    """Do not wait for more to send: a round is one short message each way."""
    with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as shared:
        shared.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
