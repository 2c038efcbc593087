"""``POST /learn``: rows of programs, learned once and in order, or refused as a whole."""

import contextlib
import json
import threading
import tracemalloc

import httpx
import numpy as np
import pytest
from serve_data import NAMES, Serving, X, live_stream, served, shows
from states import assert_same_state, estimator_of, stream_model
from waiting import PATIENCE, until

from phida import PHIDAPlus, load
from phida._serve import asking
from phida._serve.posting import WAITING
from phida._streams.columns import Selection


def ndjson(rows, names=NAMES, **more):
    return "".join(json.dumps(dict(zip(names, row, strict=True), **more)) + "\n" for row in rows.tolist())


def lists(rows):
    return "".join(f"{row}\n" for row in rows.tolist())


def answers(response):
    assert response.status_code == 200, response.text
    return [json.loads(line) for line in response.text.splitlines()]


@contextlib.contextmanager
def posting(path=None, *, columns=(), exclude=(), **options):
    """Return a client of a stream that accepts posted rows."""
    live = live_stream(path, posted=Selection(columns, exclude), **options)
    with served(live) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        yield client, live


def estimator(live):
    return estimator_of(live.learning.model)


@pytest.mark.parametrize("as_text", [ndjson, lists])
def test_posted_rows_are_learned_in_order_and_return_numbers_and_ids(as_text):
    model = PHIDAPlus()
    with posting() as (client, live):
        number = 0
        for rows in np.array_split(X, [1, 3, 250]):
            found = answers(client.post("/learn", content=as_text(rows)))
            model.partial_fit(rows)
            ids = model.cluster_ids_[model.predict(rows)]
            assert found == [{"row": number + i, "cluster": id} for i, id in enumerate(ids.tolist())]
            number += len(rows)
        assert_same_state(estimator(live), model)
        until(lambda: (facts := live.feed.latest.facts)["samples"] == facts["rows"] == len(X))
        assert client.get("/state").json()["state"] == "learning"
    assert live.learning.model.names == (NAMES if as_text is ndjson else None)


def test_named_features_are_used_and_others_ignored():
    with posting(exclude=("c",)) as (client, live):
        answers(client.post("/learn", content=ndjson(X[:50])))
        answers(client.post("/learn", content=ndjson(X[50:90], note="a text")))
        answers(client.post("/learn", content=lists(X[90:100, :2])))
    assert_same_state(estimator(live), PHIDAPlus().partial_fit(np.ascontiguousarray(X[:100, :2])))
    with posting(columns=("c", "a")) as (client, live):
        assert "chosen by name" in client.post("/learn", content=lists(X[:5])).json()["error"]
        answers(client.post("/learn", content=ndjson(X[:50])))
    assert_same_state(estimator(live), PHIDAPlus().partial_fit(np.ascontiguousarray(X[:50][:, [2, 0]])))


def test_rows_of_a_file_and_posted_rows_share_a_model(rows_file):
    with posting(rows_file) as (client, live):
        until(lambda: live.learning.progress.rows == len(X))
        found = answers(client.post("/learn", content=ndjson(X[:5])))
        assert [answer["row"] for answer in found] == list(range(len(X), len(X) + 5))
        assert live.learning.progress.state == "learning"
    assert_same_state(estimator(live), PHIDAPlus().partial_fit(X).partial_fit(X[:5]))


def test_posts_continue_an_existing_model():
    begun = stream_model(PHIDAPlus(compute_labels=False).partial_fit(X[:300]), NAMES)
    with posting(model=begun) as (client, live):
        assert client.post("/learn", content=ndjson(X[:3], names=("a", "b", "z"))).status_code == 400
        assert client.post("/learn", content=lists(X[:3, :2])).status_code == 400
        answers(client.post("/learn", content=ndjson(X[300:][:, ::-1], names=NAMES[::-1])))
    assert_same_state(estimator(live), PHIDAPlus().partial_fit(X))


BAD = {
    "nothing": ("", "the body has no rows"),
    "blank lines": ("\n \n", "the body has no rows"),
    "no JSON": ('{"a": 1, "b": 2, "c": 3}\n{"a":', "row 1 is not JSON"),
    "nested too deeply": ("[" * 100_000, "row 0 is not JSON"),
    "a number": ("5\n", "row 0 must be an object"),
    "an empty list": ("[]\n", "row 0 must be an object"),
    "an empty object": ("{}\n", "no columns are left"),
    "a missing feature": ('{"a": 1, "b": 2}\n{"a": 1}\n', "row 1 has no 'b'"),
    "another width": ("[1, 2]\n[1, 2, 3]\n", "row 1 must be a list of 2 numbers"),
    "text": ('{"a": 1, "b": "x"}\n', "in row 0, b is not a finite number"),
    "a boolean": ("[1, true]\n", "is not a finite number"),
    "not a number": ("[1, NaN]\n", "is not a finite number"),
    "infinite": ("[1, 2]\n[1, -Infinity]\n", "in row 1"),
    "huge": ("[1, 1e200]\n", "is not a finite number"),
    "a long integer": (f"[1, {10**400}]\n", "is not a finite number"),
    "more columns than a table": (f"[{'1,' * 200_000}1]\n", "row 0 has 200,001 columns; at most 131,072 are read"),
    "bytes that are no text": (b"\xff\xfe\n", "row 0 is not JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_row_refuses_the_whole_request(name):
    body, said = BAD[name]
    with posting() as (client, live):
        answer = client.post("/learn", content=body)
        assert answer.status_code == 400 and said in answer.json()["error"]
        assert live.learning.progress.rows == 0 and not live.learning.model.fitted
        answers(client.post("/learn", content="[1, 2, 3, 4]\n"))  # no refused row remains


def test_memory_of_a_request_is_limited_by_its_body():
    """One wide row among many short ones must not allocate a matrix of its width and their length."""
    features = tuple(map(str, range(1 << 17)))
    tracemalloc.start()
    with pytest.raises(asking.BadRequestError, match="row 1 must be a list"):
        asking.rows([[1] * len(features), *([1] for _ in range(9_999))], features, text=False)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50e6


def test_size_limits_and_methods_are_enforced():
    with posting() as (client, live):
        assert client.post("/learn", content="[1]\n" * 10_001).status_code == 413
        assert client.post("/learn", content=b" " * (1 << 20) + b"[1]\n").status_code == 413
        assert client.get("/learn").status_code == 405
        assert client.post("/learn", content="[1]\n", headers={"origin": "http://evil.example"}).status_code == 403
        assert live.learning.progress.rows == 0
    with posting(token="s3cret") as (client, live):
        assert client.post("/learn", content="[1]\n").status_code == 401
        assert len(answers(client.post("/learn", content="[1]\n", headers={"authorization": "Bearer s3cret"}))) == 1


def test_posting_is_off_by_default(client, live):
    before = live.learning.progress.rows
    assert client.post("/learn", content="[1, 2, 3]\n").status_code == 404
    assert live.learning.progress.rows == before


def test_concurrent_requests_are_learned_in_turn():
    with posting() as (client, live):
        found = []

        def send(part):
            for row in part:
                answer = client.post("/learn", content=lists(row[None]))
                while answer.status_code == 429:
                    answer = client.post("/learn", content=lists(row[None]))
                found.extend((answer["row"], *row) for answer in answers(answer))

        threads = [threading.Thread(target=send, args=(part,)) for part in np.array_split(X[:200], 12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found.sort()
    assert [int(number) for number, *_ in found] == list(range(200))
    assert_same_state(estimator(live), PHIDAPlus().partial_fit(np.array([row for _, *row in found])))


def test_too_many_requests_are_told_to_retry():
    with posting() as (client, live):
        statuses = []

        def send():
            answer = httpx.post(f"{client.base_url}/learn", content="[1, 2]\n", timeout=PATIENCE)
            statuses.append((answer.status_code, answer.headers.get("retry-after")))

        threads = [threading.Thread(target=send) for _ in range(WAITING + 3)]
        with live.learning.lock:  # learning is blocked meanwhile
            for thread in threads:
                thread.start()
            until(lambda: len(statuses) == 3)
            assert statuses == [(429, "1")] * 3
        for thread in threads:
            thread.join()
        assert statuses[3:] == [(200, None)] * WAITING
        assert live.learning.progress.rows == WAITING


def test_paused_stream_refuses_posted_rows():
    with posting() as (client, live):
        client.post("/pause")
        answer = client.post("/learn", content="[1, 2]\n")
        assert answer.status_code == 429 and "paused" in answer.json()["error"]
        client.post("/resume")
        answers(client.post("/learn", content="[1, 2]\n"))
        assert live.learning.progress.rows == 1


def test_posting_after_the_end_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n1,x\n")
    with posting(path) as (client, live):
        until(shows(live, "failed"))
        answer = client.post("/learn", content="[1, 2]\n")
        assert answer.status_code == 503 and "ended with an error" in answer.json()["error"]


def test_command_learns_posted_rows_and_saves_the_model(tmp_path):
    target = tmp_path / "model.safetensors"
    with Serving("--learn", "--save", target, "--exclude", "time") as serving:
        for number, rows in enumerate(np.array_split(X, 3)):
            answer = httpx.post(serving.address + "/learn", content=ndjson(rows, time=number), timeout=PATIENCE)
            assert answers(answer)[0]["row"] == number * 200
        code, messages = serving.end()
    assert code == 0 and messages == f"600 rows read; model: {target}\n"
    model = load(target)
    assert_same_state(model, PHIDAPlus().partial_fit(X))
    assert tuple(model.feature_names_in_) == NAMES
