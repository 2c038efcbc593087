"""Connections between tasks: only those that know the key are let in, and nobody keeps the others waiting."""

import socket
import threading
from multiprocessing import AuthenticationError

import pytest

connections = pytest.importorskip("phida.spark.connections", reason="belongs to phida[spark]", exc_type=ImportError)

KEY = b"made by the driver"


def test_tasks_are_told_apart_and_exchange_bytes():
    hub = connections.Hub("127.0.0.1", KEY)
    answers = {}

    def follow(number):
        connection = connections.connect(hub.address, KEY, number)
        answers[number] = connection.recv_bytes()
        connection.send_bytes(bytes([number]) * 100_000)

    tasks = [threading.Thread(target=follow, args=[number]) for number in (2, 1)]
    for task in tasks:
        task.start()
    peers = hub.connections([1, 2])
    for number, connection in peers.items():
        connection.send_bytes(b"model for %d" % number)
        assert connection.recv_bytes() == bytes([number]) * 100_000
        with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as shared:
            assert shared.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    for task in tasks:
        task.join()
    assert answers == {1: b"model for 1", 2: b"model for 2"}
    hub.close()
    assert not hub._accepting.is_alive()


def test_who_does_not_know_the_key_is_turned_away():
    hub = connections.Hub("127.0.0.1", KEY)
    found = []
    waiting = threading.Thread(target=lambda: found.append(hub.connections([1])))
    waiting.start()
    with socket.create_connection(hub.address), socket.create_connection(hub.address) as noisy:  # one says nothing
        noisy.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with pytest.raises((AuthenticationError, EOFError, ConnectionResetError)):
            connections.connect(hub.address, b"guessed", 1).recv_bytes()
        known = connections.connect(hub.address, KEY, 1)
        waiting.join()
    known.send_bytes(b"x")
    assert found[0][1].recv_bytes() == b"x"
    hub.close()
