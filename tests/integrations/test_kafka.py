"""``phida stream kafka://...`` against the mock cluster of librdkafka: killed, resumed, refused."""

import json
import signal
import subprocess
import sys

import numpy as np
import pytest
from serve_data import NAMES, Serving, X
from states import assert_same_state
from typer.testing import CliRunner

pytest.importorskip("confluent_kafka", reason="belongs to the extra phida[kafka]: make test-integrations")

from kafka_data import Broker
from waiting import PATIENCE, until

from phida import PHIDAPlus, load, state_file
from phida._cli.app import app
from phida._cli.console import INTERRUPTED

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def broker():
    return Broker()


def messages(rows):
    return [json.dumps(dict(zip(NAMES, row, strict=True))).encode() for row in rows.tolist()]


def begun(*words, **options):
    command = [sys.executable, "-m", "phida", "stream", *map(str, words)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def ended(process, number=signal.SIGTERM):
    """Stop a stream; return its messages."""
    process.send_signal(number)
    messages = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == (INTERRUPTED if number != signal.SIGKILL else -number), messages
    return messages


def kept(folder):
    """Return the model and the position of a checkpoint."""
    path = folder / "model.safetensors"
    return load(path), state_file.read(path)[1]["stream_position"]


def rows_of(found):
    """Return labelled rows by number; a row written twice must be the same twice."""
    by_number = {}
    for row in found:
        assert by_number.setdefault(row["row"], row) == row
    return [by_number[number] for number in sorted(by_number)]


def test_killed_stream_resumes_without_losing_messages(broker, tmp_path):
    """Each message is learned once, and each labelled row arrives at least once."""
    source, target, folder = "killed", "killed-out", tmp_path / "state"
    broker.send(source, messages(X[:200]))
    words = (broker.url(source), "--checkpoint", folder, "--output", broker.url(target), "--every", "40", "--format")
    words = (*words, "ndjson", "--ids")
    first = begun(*words)
    until(lambda: broker.count(target) >= 100)
    first.send_signal(signal.SIGSTOP)  # stopped here, the stream is killed in the middle on any machine
    broker.send(source, messages(X[200:300]))
    ended(first, signal.SIGKILL)
    model, position = kept(folder)
    assert 0 < position["row"] == model.n_samples_seen_ <= 200
    assert position["offsets"] == {"0": position["row"], "1": 0, "2": 0, "3": 0}

    broker.send(source, messages(X[300:]))
    second = begun(*words, "--resume")
    until(lambda: {row["row"] for row in broker.values(target)} == set(range(len(X))))
    ended(second, signal.SIGKILL)

    third = begun(*words, "--resume")  # once more, in case the last checkpoint lacks the last rows
    until(lambda: f"resuming at row {kept(folder)[1]['row']:,}" in third.stderr.readline())
    broker.send(source, messages(X[:1]))
    until(lambda: len(X) in {row["row"] for row in broker.values(target)})
    ended(third)

    model, position = kept(folder)
    expected = PHIDAPlus()
    ids = []
    for row in [*X, X[0]]:
        ids.append(int(expected.partial_fit(row[None]).predict_id(row[None])[0]))
    assert_same_state(model, expected)
    assert position["offsets"]["0"] == position["row"] == len(X) + 1
    found = rows_of(broker.values(target))
    assert [row["cluster"] for row in found] == ids
    assert [[row[name] for name in NAMES] for row in found] == [*X.tolist(), X[0].tolist()]


def test_all_partitions_are_learned_once(broker, tmp_path):
    source, folder = "many", tmp_path / "state"
    for partition, rows in enumerate(np.array_split(X, 4)):
        broker.send(source, messages(rows), partition)
    words = (broker.url(source), "--checkpoint", folder, "--output", tmp_path / "rows.ndjson", "--every", "10")
    first = begun(*words)
    until(lambda: (folder / "model.safetensors").is_file())
    ended(first, signal.SIGKILL)
    second = begun(*words, "--resume")
    until(lambda: kept(folder)[0].n_samples_seen_ == len(X))
    ended(second)
    model, position = kept(folder)
    assert position["offsets"] == {str(partition): len(X) // 4 for partition in range(4)}
    found = [json.loads(line) for line in (tmp_path / "rows.ndjson").read_text().splitlines()]
    assert [row["row"] for row in found] == list(range(len(X)))
    order = np.array([[row[name] for name in NAMES] for row in found])
    assert sorted(order.tolist()) == sorted(X.tolist())
    assert_same_state(model, PHIDAPlus().partial_fit(order))


def test_bad_messages_are_skipped_and_line_breaks_allowed(broker, tmp_path):
    source, folder, output = "bad", tmp_path / "state", tmp_path / "rows.ndjson"
    good = json.dumps(dict(zip(NAMES, X[0].tolist(), strict=True)), indent=2).encode()
    broker.send(source, [good, b"{", None, b"[1]", b'{"a": 1, "b": "x", "c": 1}', good])
    words = (broker.url(source), "--checkpoint", folder, "--output", output, "--every", "1", "--on-bad-row", "skip")
    process = begun(*words)
    until(lambda: output.is_file() and output.read_text().count("\n") == 2)
    ended(process)
    assert [json.loads(line)["row"] for line in output.read_text().splitlines()] == [0, 5]
    assert kept(folder)[1]["bad_rows"] == 4 and kept(folder)[1]["offsets"]["0"] == 6


def refused(*words):
    found = CliRunner().invoke(app, ["stream", *map(str, words)], env={"COLUMNS": "300"})
    assert found.exit_code not in (0, INTERRUPTED)
    return " ".join(found.output.split())


def test_invalid_addresses_and_options_are_refused(broker, tmp_path):
    folder = tmp_path / "state"
    broker.send("one", messages(X[:50]))
    broker.send("other", messages(X[:50]))
    process = begun(broker.url("one"), "--checkpoint", folder, "--every", "1", stdout=subprocess.DEVNULL)
    until(lambda: (folder / "model.safetensors").is_file() and kept(folder)[1]["row"] == 50)
    ended(process)
    resumed = ("--checkpoint", folder, "--resume")
    assert "was started with kafka:one" in refused(broker.url("other"), *resumed)
    assert "was started with another output" in refused(broker.url("one"), *resumed, "--output", broker.url("out"))
    assert "Unknown topic" in refused(broker.url("nothing"))
    assert "messages are read as ndjson" in refused(broker.url("one"), "--format", "csv")
    assert "messages are written as ndjson" in refused(
        broker.url("one"), "--output", broker.url("out"), "--output-format", "csv"
    )
    assert "needs a host and a topic" in refused("kafka://localhost")
    assert "no.such.option" in refused(broker.url("one", "?no.such.option=1"))

    # Another cluster, whose topic of the same name is shorter, is not the one that was read.
    empty = Broker()
    empty.send("one", messages(X[:1]))
    said = refused(empty.url("one"), *resumed)
    assert "which holds 0 to 1. The topic was recreated" in said


def test_latest_offset_reads_only_new_messages(broker, tmp_path):
    folder = tmp_path / "state"
    broker.send("late", messages(X[:50]))
    words = (broker.url("late", "?auto.offset.reset=latest"), "--checkpoint", folder, "--every", "1")
    process = begun(*words, stdout=subprocess.DEVNULL)

    def learned():
        broker.send("late", messages(X[50:51]))  # messages from before the subscription are ignored
        return (folder / "model.safetensors").is_file()

    until(learned)
    ended(process)
    model, position = kept(folder)
    assert model.n_samples_seen_ == position["row"] < position["offsets"]["0"] - 49


def test_live_page_learns_a_topic(broker, tmp_path):
    target = tmp_path / "model.safetensors"
    broker.send("live", messages(X))
    with Serving("--from", broker.url("live", "?client.id=hidden"), "--save", target) as serving:
        until(lambda: serving.state()["samples"] == len(X))
        assert serving.state()["source"] == "live"
        assert serving.end()[0] == 0
    assert_same_state(load(target), PHIDAPlus().partial_fit(X))


@pytest.mark.parametrize(
    ("package", "address"), [("confluent_kafka", "kafka://localhost/t"), ("paho", "mqtt://localhost/t")]
)
def test_missing_kafka_client_names_the_extra(package, address):
    code = f"import sys; sys.modules[{package!r}] = None; from phida._cli.app import app; app()"
    found = subprocess.run(
        [sys.executable, "-c", code, "stream", address], capture_output=True, text=True, timeout=PATIENCE
    )
    extra = {"kafka": "kafka", "mqtt": "mqtt"}[address.partition(":")[0]]
    assert found.returncode == 1 and f'pip install "phida[{extra}]"' in found.stderr
