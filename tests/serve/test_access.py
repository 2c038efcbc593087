"""Access: tokens, hosts, origins and limits."""

import httpx
import pytest
from serve_data import learned
from waiting import PATIENCE

from phida._serve.access import is_loopback

TOKEN = "a token, with = signs; and more"
QUESTIONS = ("/state", "/metrics", "/events", "/predict?x=1,2,3", "/explain?kind=node&a=0", "/app.js", "/nothing")


@pytest.fixture(scope="module")
def guarded(rows_file):
    with learned(rows_file, token=TOKEN) as (client, live):
        yield client, live


@pytest.fixture
def stranger(guarded):
    """A client from elsewhere that has no token yet."""
    with httpx.Client(base_url=guarded[0].base_url, headers={"host": "data.example"}, timeout=PATIENCE) as client:
        yield client


@pytest.mark.parametrize("path", QUESTIONS)
def test_missing_token_gets_no_answer(stranger, path):
    for headers in ({}, {"authorization": "Bearer guess"}, {"authorization": TOKEN}, {"cookie": "phida_token=x"}):
        answer = stranger.get(path, headers=headers)
        assert answer.status_code == 401
        assert "token is needed" in answer.json()["error"]
        assert answer.headers["www-authenticate"] == "Bearer"
    assert stranger.post("/pause").status_code == 401


def test_valid_token_is_accepted(stranger):
    for scheme in ("Bearer", "bearer"):
        assert stranger.get("/state", headers={"authorization": f"{scheme} {TOKEN}"}).status_code == 200


def test_page_stores_the_token_and_removes_it_from_the_address(stranger):
    answer = stranger.get("/", params={"token": TOKEN})
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert stranger.get("/").status_code == 200
    assert stranger.get("/state").status_code == 200


def test_token_in_the_address_works_only_for_the_page(stranger):
    assert stranger.get("/state", params={"token": TOKEN}).status_code == 401
    assert stranger.get("/", params={"token": "guess"}).status_code == 401


def test_browser_is_asked_for_the_token(stranger):
    answer = stranger.get("/", headers={"accept": "text/html,*/*"})
    assert answer.status_code == 401
    assert 'name="token"' in answer.text


def test_health_needs_no_token(stranger):
    assert stranger.get("/healthz").status_code == 200


@pytest.mark.parametrize("host", ["localhost", "localhost:8750", "127.0.0.1:1", "127.1.2.3", "[::1]:8750"])
def test_local_host_names_are_accepted(client, host):
    assert client.get("/state", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:8750", "192.168.0.7", "0.0.0.0", "[::]:8750"])
def test_other_host_names_are_refused(client, host):
    for path in ("/", "/state", "/healthz"):
        answer = client.get(path, headers={"host": host})
        assert answer.status_code == 403
        assert "loopback" in answer.json()["error"]


def test_bodies_and_queries_are_limited(client):
    answer = client.post("/predict", content=b" " * (2**20 + 1))
    assert answer.status_code == 413 and "larger than" in answer.json()["error"]
    answer = client.post("/predict", content=iter([b" " * 2**19] * 3))  # of unknown length
    assert answer.status_code == 413 and "larger than" in answer.json()["error"]
    assert client.get("/predict?x=" + "1," * 3000).status_code == 414


def test_every_answer_has_the_security_headers(client):
    for path in ("/", "/state", "/nothing", "/app.js", "/metrics"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
        assert "cache-control" in headers


def test_loopback_addresses_are_recognised():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.1.1", "example.org", "")))
