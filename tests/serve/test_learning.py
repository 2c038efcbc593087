"""The learning thread: same model as without a page; paused, stopped and failing."""

import os

import httpx
import numpy as np
import pytest
from serve_data import X, as_csv, learned, live_stream, served, shows
from states import assert_same_state, estimator_of, stream_model
from waiting import PATIENCE, until

from phida import PHIDAPlus
from phida._pipeline import BadRows
from phida._serve.learning import Learning
from phida._streams.columns import Selection
from phida._streams.opening import Source


def model_of(live):
    return estimator_of(live.learning.model)


def test_rows_of_a_pipe_are_shown_on_arrival(tmp_path):
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    live = live_stream(pipe)
    live.start()
    lines = as_csv().splitlines(keepends=True)
    with pipe.open("w") as writing:
        for count in (1, 3, 40):
            writing.writelines(lines[:1] * (count == 1) + lines[count : count + 1])
            writing.flush()
            until(lambda n={1: 1, 3: 2, 40: 3}[count]: live.feed.latest and live.feed.latest.facts["samples"] == n)
    until(shows(live, "ended"))
    live.stop()
    assert model_of(live).n_samples_seen_ == 3


def test_growing_file_is_followed_until_stopped(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(as_csv(X[:10]))
    live = live_stream(path, follow=True)
    live.start()
    until(lambda: live.learning.progress.rows == 10)
    with path.open("a") as more:
        more.write("1,2,3\n")
    until(lambda: live.learning.progress.rows == 11)
    assert live.learning.progress.state == "learning"
    live.stop()
    assert model_of(live).n_samples_seen_ == 11


def test_pause_stops_learning_without_losing_rows(rows_file):
    live = live_stream(rows_file)
    live.learning.pause()  # before learning starts, so that it cannot have ended
    with served(live) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        until(shows(live, "paused"))
        assert client.get("/healthz").json()["state"] == "paused"
        assert client.post("/pause").json()["state"] == "paused"
        assert client.get("/state").json()["rows"] == 0
        client.post("/resume")
        until(shows(live, "ended"))
        assert client.post("/pause").json()["state"] == "ended"
    assert_same_state(model_of(live), PHIDAPlus(compute_labels=False).partial_fit(X))


def test_paused_stream_can_be_stopped(rows_file):
    live = live_stream(rows_file, rate=10)
    live.learning.pause()
    live.start()
    live.stop()
    assert live.learning.progress.rows == 0


def test_bad_rows_are_skipped_and_counted(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\nx,3\n4,5\n")
    live = live_stream(path, on_bad_row="skip")
    live.start()
    until(shows(live, "ended"))
    live.stop()
    assert live.feed.latest.facts["bad_rows"] == 1 and live.feed.latest.facts["samples"] == 2


def test_bad_row_ends_the_stream_with_a_message(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(as_csv(X[:500]) + "1,x,3\n")
    live = live_stream(path)
    with served(live) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        until(shows(live, "failed"))
        facts = client.get("/state").json()
        assert facts["samples"] == 500 and "ended with an error" in facts["note"] and "'x'" in facts["note"]
        answer = client.get("/healthz")
        assert answer.status_code == 503 and "ended with an error" in answer.json()["error"]
        assert client.post("/predict", json=X[:3].tolist()).status_code == 200
    assert live.learning.error is not None


def test_model_of_another_width_is_refused(rows_file):
    other = stream_model(PHIDAPlus(compute_labels=False).partial_fit(np.eye(5)))
    live = live_stream(rows_file, model=other)
    live.start()
    until(lambda: live.learning.error)
    live.stop()
    assert "3 in the input, 5 in the model" in live.learning.progress.note
    assert estimator_of(other).n_samples_seen_ == 5


@pytest.mark.parametrize("text", ["a,b\n", ""])
def test_stream_without_rows_ends(tmp_path, text):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    live = live_stream(path)
    live.start()
    until(lambda: live.learning.progress.state in ("ended", "failed"))
    live.stop()
    assert live.feed.latest.facts["samples"] == 0


def test_label_column_is_scored_and_not_learned(tmp_path):
    path = tmp_path / "rows.csv"
    lines = as_csv(X).splitlines()
    kinds = ["kind", *("xy"[row[0] > 0] for row in X.tolist())]
    path.write_text("".join(f"{line},{kind}\n" for line, kind in zip(lines, kinds, strict=True)))
    model = stream_model(PHIDAPlus(compute_labels=False))
    learning = Learning(model, Source(str(path), selection=Selection(label="kind")), BadRows())
    learning.start()
    until(lambda: learning.progress.state == "ended")
    assert model.names == ("a", "b", "c") and set(learning.progress.scores) == {"ari", "ami"}


def test_axes_are_named_by_their_strongest_features(rows_file):
    with learned(rows_file) as (client, _):
        across, up = client.get("/state").json()["axes"]
    assert {name.lstrip("−") for name in f"{across}, {up}".split(", ")} <= {"a", "b", "c"} and across


def test_missing_values_of_a_pipe_are_filled(tmp_path):
    """A pipe cannot be read twice, so columns are not inspected before learning."""
    pipe = tmp_path / "rows.csv"
    os.mkfifo(pipe)
    model = stream_model(PHIDAPlus(compute_labels=False))
    source = Source(str(pipe), selection=Selection(keep_missing=True))
    learning = Learning(model, source, BadRows(), impute="mean")
    learning.start()
    with pipe.open("w") as writing:
        writing.write("a,b\n1,2\n3,\n,4\n")
    until(lambda: learning.progress.state == "ended")
    learning.stop()
    assert model.preparation.imputer.filled == 2
    assert_same_state(estimator_of(model), PHIDAPlus(compute_labels=False).partial_fit([[1.0, 2], [3, 2], [2, 4]]))
