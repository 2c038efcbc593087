"""Hostile HTTP: raw requests and the required status, with and without a token."""

import http.client
import socket
import time
from urllib.parse import urlsplit

import pytest
from serve_data import learned, live_stream, served
from waiting import PATIENCE

from phida._serve.server import LEFTOVER

TOKEN = "s3cret"
HUNG_UP = 0
CHUNKED = "Transfer-Encoding: chunked"


def request(line="GET /state HTTP/1.1", host="localhost", *headers, body=b""):
    named = [] if host is None else [f"Host: {host}"]
    return "\r\n".join([line, *named, *headers, "", ""]).encode("latin-1") + body


def answer(address, content):
    """Return the status of the first answer on a connection, or HUNG_UP."""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as connection:
        response = http.client.HTTPResponse(connection)
        try:
            connection.sendall(content)
            response.begin()
            return response.status
        except (ConnectionError, http.client.RemoteDisconnected):
            return HUNG_UP


@pytest.fixture(scope="module")
def open_server(rows_file):
    """Start a server without a token, for this machine only."""
    with learned(rows_file) as (client, live):
        yield str(client.base_url), live


@pytest.fixture(scope="module")
def token_server(rows_file):
    with learned(rows_file, token=TOKEN) as (client, live):
        yield str(client.base_url), live


PROTECTED = [
    "GET /state HTTP/1.1",
    "GET /metrics HTTP/1.1",
    "GET /events HTTP/1.1",
    "GET /predict?x=1,2,3 HTTP/1.1",
    "GET /explain?kind=node&a=0 HTTP/1.1",
    "GET /app.js HTTP/1.1",
    "POST /pause HTTP/1.1",
    "POST /resume HTTP/1.1",
    "POST /predict HTTP/1.1",
    "POST /learn HTTP/1.1",
]

MALFORMED_HOSTS = [
    "x/healthz?",
    "x/healthz#",
    "localhost/healthz?",
    "localhost:8750/style.css?",
    "/healthz?",
    "?",
    "#",
    "\\healthz?",
    "user@localhost",
    "localhost:port",
    "localhost:",
    "localhost:999999",
    "localhost, evil.example",
    "local host",
    "localhost%2fhealthz",
    "[::1",
    "::1",
    "[::1]x",
    "[/healthz?]",
    "h\xf6st",
    "",
]


@pytest.mark.parametrize("host", MALFORMED_HOSTS)
def test_malformed_host_is_refused_everywhere(open_server, token_server, host):
    for line in PROTECTED:
        for address, _ in (open_server, token_server):
            assert answer(address, request(line, host)) == 400
        with_token = request(line, host, f"Authorization: Bearer {TOKEN}")
        assert answer(token_server[0], with_token) == 400
    assert token_server[1].learning.progress.state == "ended"


# (request, status without a configured token, status if the client lacks the token)
REQUESTS = {
    "plain": (request(), 200, 401),
    "public": (request("GET /healthz HTTP/1.1"), 200, 200),
    "public in percent signs": (request("GET /%68ealthz HTTP/1.1"), 200, 200),
    "another name": (request(host="evil.example"), 403, 401),
    "another name with a loopback label": (request(host="127.0.0.1.evil.example"), 403, 401),
    "HTTP/1.0 without a host": (request("GET /state HTTP/1.0", None), 403, 401),
    "HTTP/1.1 without a host": (request(host=None), 400, 400),
    "two hosts": (request("GET /state HTTP/1.1", "localhost", "Host: localhost"), 400, 400),
    "forwarded host": (request("GET /state HTTP/1.1", "evil.example", "X-Forwarded-Host: localhost"), 403, 401),
    "forwarded prefix": (request("GET /state HTTP/1.1", "localhost", "X-Forwarded-Prefix: /healthz"), 200, 401),
    "original URL": (request("GET /state HTTP/1.1", "localhost", "X-Original-URL: /healthz"), 200, 401),
    "dots": (request("GET /healthz/../state HTTP/1.1"), 404, 401),
    "encoded dots": (request("GET /healthz/%2e%2e/state HTTP/1.1"), 404, 401),
    "two slashes": (request("GET //healthz HTTP/1.1"), 404, 401),
    "slash at the end": (request("GET /healthz/ HTTP/1.1"), 404, 401),
    "path parameter": (request("GET /healthz;/state HTTP/1.1"), 404, 401),
    "encoded question mark": (request("GET /healthz%3f/state HTTP/1.1"), 404, 401),
    "encoded zero": (request("GET /healthz%00 HTTP/1.1"), 404, 401),
    "bytes that are not UTF-8": (request("GET /%ff%fe HTTP/1.1"), 404, 401),
    "no slash": (request("GET healthz HTTP/1.1"), 404, 401),
    "user part as the path": (request("GET @localhost/healthz HTTP/1.1"), 404, 401),
    "absolute address": (request("GET http://localhost/healthz HTTP/1.1"), 404, 401),
    "absolute address of the state": (request("GET http://localhost/state HTTP/1.1"), 404, 401),
    "asterisk": (request("OPTIONS * HTTP/1.1"), 404, 401),
    "connect": (request("CONNECT localhost:80 HTTP/1.1"), 404, 401),
    "trace": (request("TRACE /state HTTP/1.1"), 405, 401),
    "method that nobody knows": (request("HEALTHZ /state HTTP/1.1"), 405, 401),
    "method override": (request("GET /pause HTTP/1.1", "localhost", "X-HTTP-Method-Override: POST"), 405, 401),
    "upgrade": (request("GET /state HTTP/1.1", "localhost", "Upgrade: websocket", "Connection: Upgrade"), 200, 401),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 403, 401),
    "space before the colon": (request("GET /state HTTP/1.1", "localhost", "A : b"), 400, 400),
    "zero in a header": (request("GET /state HTTP/1.1", "localhost", "A: b\0c"), 400, 400),
    "very long query": (request("GET /state?at=" + "1" * 5000 + " HTTP/1.1"), 414, 414),
    "length and chunks": (
        request("POST /predict HTTP/1.1", "localhost", "Content-Length: 5", CHUNKED, body=b"0\r\n\r\n"), 400, 401,
    ),
    "two lengths": (request("POST /predict HTTP/1.1", "localhost", "Content-Length: 1", "Content-Length: 2"), 400, 400),
    "negative length": (request("POST /predict HTTP/1.1", "localhost", "Content-Length: -1"), 400, 400),
    "length in superscript": (request("POST /predict HTTP/1.1", "localhost", "Content-Length: \xb2"), 400, 400),
    "very long length": (request("POST /predict HTTP/1.1", "localhost", "Content-Length: " + "9" * 5000), 400, 400),
    "large length": (request("POST /predict HTTP/1.1", "localhost", "Content-Length: 1048577"), 413, 401),
    "encoding not chunked": (request("POST /predict HTTP/1.1", "localhost", "Transfer-Encoding: gzip"), 400, 400),
    "chunk of negative size": (
        request("POST /predict HTTP/1.1", "localhost", CHUNKED, body=b"-1\r\n\r\n"), 400, 400,
    ),
    "GET with a body": (request("GET /state HTTP/1.1", "localhost", "Content-Length: 2", body=b"[]"), 400, 401),
    "events with chunks": (request("GET /events HTTP/1.1", "localhost", CHUNKED), 400, 401),
    "Arabic digits": (request("GET /predict?x=%D9%A1,%D9%A2,%D9%A3 HTTP/1.1"), 400, 401),
    "full-width digits": (request("GET /predict?x=%EF%BC%91,2,3 HTTP/1.1"), 400, 401),
    "underscores in digits": (request("GET /predict?x=1_0,2,3 HTTP/1.1"), 400, 401),
    "Arabic digits by name": (request("GET /predict?a=%D9%A1&b=2&c=3 HTTP/1.1"), 400, 401),
    "Arabic digits of a cluster": (request("GET /explain?kind=node&a=%D9%A0 HTTP/1.1"), 400, 401),
    "origin of another site": (request("POST /pause HTTP/1.1", "localhost", "Origin: http://evil.example"), 403, 403),
    "origin of another scheme": (request("POST /pause HTTP/1.1", "localhost", "Origin: https://localhost"), 403, 403),
    "origin without a scheme": (request("POST /pause HTTP/1.1", "localhost", "Origin: localhost"), 403, 403),
    "origin of another port": (request("POST /pause HTTP/1.1", "localhost", "Origin: http://localhost:1"), 403, 403),
    "origin that is null": (request("POST /pause HTTP/1.1", "localhost", "Origin: null"), 403, 403),
    "origin of an extension": (request("POST /pause HTTP/1.1", "localhost", "Origin: app://localhost"), 403, 403),
    "our origin": (request("POST /resume HTTP/1.1", "localhost", "Origin: http://localhost"), 200, 401),
    "our origin behind TLS": (
        request("POST /resume HTTP/1.1", "localhost", "Origin: https://localhost", "X-Forwarded-Proto: https"),
        200, 401,
    ),
    "wrong token": (request("GET /state HTTP/1.1", "localhost", "Authorization: Bearer guess"), 200, 401),
    "empty token": (request("GET /state HTTP/1.1", "localhost", "Authorization: Bearer "), 200, 401),
    "beginning of the token": (request("GET /state HTTP/1.1", "localhost", "Authorization: Bearer s3cre"), 200, 401),
    "token of another scheme": (request("GET /state HTTP/1.1", "localhost", f"Authorization: Basic {TOKEN}"), 200, 401),
    "token that is not ASCII": (request("GET /state HTTP/1.1", "localhost", "Authorization: Bearer \xff"), 200, 401),
    "token in the query": (request(f"GET /state?token={TOKEN} HTTP/1.1"), 200, 401),
    "broken cookie": (request("GET /state HTTP/1.1", "localhost", "Cookie: \x22;=;[]=;;phida_token"), 200, 401),
}  # fmt: skip


@pytest.mark.parametrize("name", REQUESTS)
def test_hostile_request_gets_the_expected_status(open_server, token_server, name):
    content, without_token, with_token = REQUESTS[name]
    assert answer(open_server[0], content) == without_token
    assert answer(token_server[0], content) == with_token
    assert answer(open_server[0], request("GET /healthz HTTP/1.1")) == 200


def test_endless_headers_are_cut(open_server, token_server):
    """The server may close the connection before the client has read the reason."""
    for address, _ in (open_server, token_server):
        assert answer(address, request("GET /state HTTP/1.1", "localhost", "A: " + "b" * (4 << 20))) in (
            400,
            HUNG_UP,
        )


def test_answers_never_repeat_the_host(open_server, token_server):
    """Otherwise a cache could store a page with links to another site."""
    for path in ("/", "/state/", "/healthz/", "/nothing", "/?token=" + TOKEN):
        for address, _ in (open_server, token_server):
            with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as connection:
                connection.sendall(request(f"GET {path} HTTP/1.1", "127.7.7.7"))
                connection.shutdown(socket.SHUT_WR)
                assert b"127.7.7.7" not in b"".join(iter(lambda: connection.recv(65536), b""))


def test_two_requests_on_one_connection_are_checked_separately(token_server):
    first = request("GET /healthz HTTP/1.1")
    with socket.create_connection(("127.0.0.1", urlsplit(token_server[0]).port), timeout=PATIENCE) as connection:
        connection.sendall(first + request())
        connection.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: connection.recv(65536), b""))
    assert got.startswith(b"HTTP/1.1 200") and got.count(b"HTTP/1.1 401") == 1


@pytest.mark.parametrize(
    "line",
    [
        "POST /predict",
        "GET /predict?x=1,2,3",
        "GET /events",
        "GET /state",
        "POST /pause",
        "POST /events",
        "GET /nothing",
    ],
)
def test_endless_body_is_cut(rows_file, line):
    """The limit plus the bytes that a system may buffer."""
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    allowed, sent = LEFTOVER + (1 << 20) + (32 << 20), 0
    with served(live_stream(rows_file)) as address:
        with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as connection:
            connection.sendall(request(f"{line} HTTP/1.1", "localhost", CHUNKED))
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                while sent <= allowed:
                    connection.sendall(chunk)
                    sent += len(chunk)
        assert answer(address, request("GET /healthz HTTP/1.1")) == 200


def test_slow_body_is_cut(rows_file, monkeypatch):
    monkeypatch.setattr("phida._serve.asking._PATIENCE", 0.2)
    monkeypatch.setattr("phida._serve.server.PATIENCE", 0.2)
    with served(live_stream(rows_file)) as address:
        for line in ("POST /predict", "POST /pause", "GET /events"):
            with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=PATIENCE) as connection:
                connection.sendall(request(f"{line} HTTP/1.1", "localhost", CHUNKED))
                with pytest.raises((ConnectionResetError, BrokenPipeError)):
                    for _ in range(600):
                        connection.sendall(b"1\r\n \r\n")
                        time.sleep(0.05)
