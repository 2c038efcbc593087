"""``mqtt://`` against Mosquitto: every message at least once, also if phida or the broker is killed."""

import json
import shutil
import signal
import socket
import subprocess
import sys
from collections import Counter

import pytest
from serve_data import NAMES, Serving, X
from typer.testing import CliRunner
from waiting import PATIENCE, until

from phida import PHIDAPlus, load, state_file
from phida._cli.app import app
from phida._streams.address import address_of
from phida._streams.mqtt import subscribed

mqtt = pytest.importorskip("paho.mqtt.client", reason="belongs to the extra phida[mqtt]: make test-integrations")
MOSQUITTO = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
if MOSQUITTO is None:
    pytest.skip("on Debian and Ubuntu, as root: apt-get install mosquitto", allow_module_level=True)


class Mosquitto:
    """A broker that stores its sessions on disk."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\nmax_queued_messages 0\n"
            f"persistence_location {folder}/\nautosave_on_changes true\nautosave_interval 1\nuser root\n"
        )
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [MOSQUITTO, "-c", self._settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(self._answers)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

    def url(self, topic, options=""):
        return f"mqtt://127.0.0.1:{self.port}/{topic}{options}"

    def send(self, rows, topic="plant/press"):
        """Publish rows, and wait until the broker has them."""
        self.publish([json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows.tolist()], topic)

    def publish(self, messages, topic="plant/press"):
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        until(client.is_connected)  # earlier messages may be sent twice
        for message in messages:
            sent = client.publish(topic, message, qos=1)
        sent.wait_for_publish(PATIENCE)
        client.disconnect()
        client.loop_stop()


@pytest.fixture
def broker(tmp_path):
    folder = tmp_path / "mosquitto"
    folder.mkdir()
    made = Mosquitto(folder)
    yield made
    made.stop()


def begun(*words):
    """Return a stream that has subscribed."""
    command = [sys.executable, "-m", "phida", "stream", *map(str, words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_for_subscription(process)
    return process


def wait_for_subscription(process):
    while not (line := process.stderr.readline()).endswith(": subscribed\n"):
        assert line, "it ended"


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)


def rows(path):
    """Return the rows that a stream has written."""
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    return [tuple(row[name] for name in NAMES) for row in found]


def test_killed_subscriber_resumes_without_losing_messages(broker, tmp_path):
    output, folder = tmp_path / "rows.ndjson", tmp_path / "state"
    words = (broker.url("plant/#"), "--checkpoint", folder, "--output", output)
    first = begun(*words)
    broker.send(X[:100])
    until(lambda: len(rows(output)) >= 60)
    first.send_signal(signal.SIGSTOP)  # so that SIGKILL hits it in the middle of the stream
    broker.send(X[100:200])  # test_bad_message_that_ends_the_stream_loses_no_good_message
    end(first, signal.SIGKILL)
    assert len(rows(output)) <= 100
    broker.send(X[200:250], "plant/saw")  # while no subscriber is connected
    second = begun(*words, "--resume")
    broker.send(X[250:300])
    until(lambda: {*map(tuple, X[:300].tolist())} <= set(rows(output)))
    end(second)
    found = rows(output)
    model = load(folder / "model.safetensors")
    position = state_file.read(folder / "model.safetensors")[1]["stream_position"]
    assert model.n_samples_seen_ == position["row"] == len(found)
    assert max(Counter(found).values()) <= 2  # acknowledgements in transit are lost when the process is killed
    third = begun(*words, "--resume")  # all messages were acknowledged
    broker.send(X[300:301])
    until(lambda: rows(output)[-1] == tuple(X[300].tolist()))
    end(third)
    assert len(rows(output)) == len(found) + 1


@pytest.mark.parametrize("checkpoint", [True, False], ids=["checkpoint", "no checkpoint"])
def test_bad_message_that_ends_the_stream_loses_no_good_message(broker, tmp_path, checkpoint):
    output, more = tmp_path / "rows.ndjson", tmp_path / "more.ndjson"
    words = (broker.url("plant/#"), "--batch", "5", *(("--checkpoint", tmp_path / "state") if checkpoint else ()))
    first = begun(*words, "--output", output)  # --on-bad-row fail
    broker.send(X[:7])
    broker.publish(["no JSON"])
    end_of_rows = 19 if checkpoint else 21  # whole batches of 5, with the bad message, from the start of the second run
    broker.send(X[7:end_of_rows])
    assert "Fix it, or skip such rows" in first.communicate(timeout=PATIENCE)[1] and first.returncode == 3
    # the first two rows of the second batch precede the bad message
    assert rows(output) == list(map(tuple, X[:7].tolist()))
    again = ("--output", output, "--resume") if checkpoint else ("--output", more)
    second = begun(*words, *again, "--on-bad-row", "skip")
    wanted = sorted(map(tuple, X[:end_of_rows].tolist()))
    until(lambda: {*wanted} <= {*rows(output), *rows(more)})
    end(second)
    assert sorted(rows(output) + rows(more)) == wanted  # and acknowledged messages are not sent again


def test_acknowledgements_arrive_before_the_connection_closes(broker):
    address = address_of(broker.url("plant/press"))
    with subscribed(address, None, lambda message: None) as subscription:
        broker.publish(list(map(str, range(30))))
        received = 0
        while received < 15:
            received += len(subscription.receive(15 - received))
        subscription.taken(15)
        subscription.kept(15)
    with subscribed(address, None, lambda message: None) as subscription:
        assert subscription.receive(1)[0].value == b"15"


def test_restarted_broker_loses_no_message(broker, tmp_path):
    output = tmp_path / "rows.ndjson"
    process = begun(broker.url("plant/#"), "--output", output)
    broker.send(X[:100])
    until(lambda: len(rows(output)) == 100)
    broker.stop()
    broker.start()
    wait_for_subscription(process)
    broker.send(X[100:200])
    until(lambda: {*map(tuple, X[:200].tolist())} <= set(rows(output)))
    end(process)


def test_live_page_learns_topics(broker, tmp_path):
    target = tmp_path / "model.safetensors"
    name = "?client_id=press"
    with Serving("--from", broker.url("plant/+", name), "--save", target) as serving:
        wait_for_subscription(serving.process)
        broker.send(X[:100])
        until(lambda: serving.state()["samples"] == 100)
        assert serving.state()["source"] == "plant/+"
        assert serving.end()[0] == 0
    model = load(target)
    assert type(model) is PHIDAPlus and tuple(model.feature_names_in_) == NAMES and model.n_samples_seen_ == 100


def refused(*words):
    found = CliRunner().invoke(app, ["stream", *map(str, words)], env={"COLUMNS": "300"})
    assert found.exit_code in (1, 2, 3)
    return " ".join(found.output.split())


def test_invalid_addresses_and_options_are_refused(broker, tmp_path):
    assert "unknown option 'qos'" in refused(broker.url("t", "?qos=2"))
    assert "needs exactly one host" in refused("mqtt://a,b/t")
    assert "needs a host and a topic" in refused("mqtt://localhost/")
    broker.stop()
    assert "refused" in refused(broker.url("t"))
    broker.start()
    assert "rows cannot be written to mqtt://" in refused(tmp_path / "rows.csv", "--output", broker.url("t"))
