"""Server-sent events, which never delay learning or each other."""

import asyncio
import json
import socket
from urllib.parse import urlsplit

import httpx
from serve_data import as_csv, listening, live_stream, served, shows
from states import estimator_of
from waiting import PATIENCE, until

from phida._serve import server
from phida._serve.feed import Feed, Snapshot


def test_listener_gets_the_trail_then_snapshots_until_the_end(rows_file):
    live = live_stream(rows_file, rate=1000)
    trail, numbers = [], []
    with served(live) as address, listening(address) as (response, events):
        assert response.headers["content-type"] == "text/event-stream"
        for name, text in events:
            facts = json.loads(text)
            if name == "trail":
                trail = trail[: facts["from"]] + facts["columns"]
            else:
                assert name == "snapshot"
                numbers.append(facts["number"])
                if facts["nodes"]:  # all of one snapshot, though learning continued
                    assert set(facts["nodes"]["cluster"]) - {None} <= {cluster["id"] for cluster in facts["clusters"]}
                    assert sum(cluster["nodes"] for cluster in facts["clusters"]) <= facts["n_nodes"]
                if facts["state"] == "ended":
                    break
    assert numbers == sorted(set(numbers)) and len(numbers) > 1
    samples = [column["samples"] for column in trail]
    assert samples == sorted(samples) and samples[-1] == 600
    assert all(abs(sum(share for _, _, share, _ in column["bands"]) - 1) < 1e-3 for column in trail)


def test_slow_listener_gets_only_the_newest_snapshot():
    async def run():
        feed = Feed()
        feed.attach()
        listener = feed.join()
        for number in range(5):
            feed.publish(Snapshot(number, {}, b"{}"))
        await listener.wait(5)
        assert feed.latest.number == 4
        await listener.wait(0.01)  # without news, the wait ends at its time limit
        feed.close()
        assert listener.closed
        feed.publish(Snapshot(5, {}, b"{}"))  # the listener has left

    asyncio.run(run())


def test_number_of_listeners_is_limited(rows_file):
    live = live_stream(rows_file)
    live.feed.most_listeners = 2
    with served(live) as address:
        with listening(address) as (_, first), listening(address) as (_, second):
            next(first), next(second)
            answer = httpx.get(address + "/events", timeout=PATIENCE)
            assert answer.status_code == 429 and "2 pages listen already" in answer.json()["error"]
        until(lambda: live.feed.n_listeners == 0)
        with listening(address) as (_, third):
            next(third)


def test_listener_that_reads_nothing_does_not_delay_learning(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(as_csv())
    live = live_stream(path, follow=True)
    with served(live) as address, socket.create_connection(("127.0.0.1", urlsplit(address).port)) as stalled:
        stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stalled.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        until(lambda: live.feed.n_listeners == 1)
        for turn in range(2, 22):
            with path.open("a") as more:
                more.writelines(as_csv().splitlines(keepends=True)[1:])
            until(lambda total=600 * turn: live.learning.progress.rows == total)
        assert httpx.get(address + "/state", timeout=PATIENCE).status_code == 200
    assert estimator_of(live.learning.model).n_samples_seen_ == 600 * 21


def test_server_shutdown_ends_the_event_stream(rows_file):
    live = live_stream(rows_file)
    with served(live) as address, listening(address) as (_, events):
        until(shows(live, "ended"))
        live.feed.close()
        assert [name for name, _ in events][-1] == "snapshot"


def test_idle_connections_are_closed(rows_file, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.2)
    with served(live_stream(rows_file)) as address:
        with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as silent:
            silent.sendall(b"GET / HTTP/1.1\r\nHost: ")
            assert silent.recv(100) == b""
        assert until(lambda: _hung_up_on_in_second_request(address))
        with httpx.Client(base_url=address, timeout=PATIENCE) as client:
            assert client.get("/state").status_code == 200


def _hung_up_on_in_second_request(address):
    """Return whether the first request was answered; on a busy machine the server may close the connection before."""
    answer = b""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as slow:
        try:
            slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while not answer.endswith(b"}") and (more := slow.recv(4096)):
                answer += more
            slow.sendall(b"GET /healthz HT")  # a second, incomplete request
            assert slow.recv(100) == b""
        except (ConnectionResetError, BrokenPipeError):
            pass
    return answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"}")


def test_number_of_connections_is_limited(rows_file, monkeypatch):
    monkeypatch.setattr(server, "CONNECTIONS", 3)
    with served(live_stream(rows_file)) as address:
        at = ("127.0.0.1", urlsplit(address).port)
        held = [socket.create_connection(at, timeout=PATIENCE) for _ in range(5)]
        try:
            cut = 0
            for one in held[3:]:
                try:
                    cut += one.recv(1) == b""
                except ConnectionResetError:
                    cut += 1
            assert cut == 2
        finally:
            for one in held:
                one.close()
        until(lambda: _answers(address))


def _answers(address):
    try:
        return httpx.get(address + "/healthz", timeout=PATIENCE).status_code == 200
    except httpx.TransportError:
        return False
