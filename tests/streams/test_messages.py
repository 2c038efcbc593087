"""Addresses of topics, and rows from messages, without a broker."""

import json

import numpy as np
import pytest
from data import drifting
from typer.testing import CliRunner

from phida._cli.app import app
from phida._pipeline import BadRows
from phida._streams.address import address_of, is_address
from phida._streams.batch import DataError
from phida._streams.columns import Selection
from phida._streams.lines import Interrupted
from phida._streams.messages import Message, MessageLines, MessageRows

X = drifting(40)
NAMES = ("a", "b", "c")


@pytest.mark.parametrize("text", ["rows.csv", "-", "kafka", "file://rows.csv", "/kafka://x/y", "KAFKA/x"])
def test_file_names_are_not_addresses(text):
    assert not is_address(text)


def test_address_is_split_into_its_parts():
    found = address_of("kafka://a:9092,b/readings?security.protocol=SSL&client.id=x")
    assert (found.scheme, found.hosts, found.topic) == ("kafka", ("a:9092", "b"), "readings")
    assert found.options == {"security.protocol": "SSL", "client.id": "x"}
    found = address_of("mqtts://me:s3cret%40@host/plant/+/%2323/#?client_id=n")
    assert (found.hosts, found.topic, found.user, found.password) == (("host",), "plant/+/#23/#", "me", "s3cret@")
    assert found.options == {"client_id": "n"}
    assert found.shown == "mqtts://host/plant/+/#23/#"


@pytest.mark.parametrize("text", ["kafka://", "kafka://host", "kafka://host/", "mqtt:///topic"])
def test_address_needs_a_host_and_a_topic(text):
    with pytest.raises(DataError, match="needs a host and a topic"):
        address_of(text)


class Broker:
    """Messages of two partitions, a few at a time, then a signal."""

    def __init__(self, values):
        self.left = [Message(value, str(i % 2), i // 2 + 1) for i, value in enumerate(values)]
        self.unsafe = self.safe = 0

    def receive(self, most):
        if not self.left:
            raise Interrupted
        given = self.left[: min(most, 3)]
        del self.left[: len(given)]
        return given

    def check(self):
        pass

    def taken(self, count):
        self.unsafe += count
        return self.unsafe >= 5

    def kept(self, count):
        self.unsafe -= count - self.safe
        self.safe = count


def messages(rows=X):
    return [json.dumps(dict(zip(NAMES, row, strict=True))).encode() for row in rows.tolist()]


def batches(rows, size):
    """Return the batches before the signal."""
    found = []
    with pytest.raises(Interrupted):
        for batch in rows.batches(size):
            found.append(batch)
    return found


@pytest.mark.parametrize("size", [1, 3, 8])
def test_batches_have_the_offsets_after_them(size):
    rows = MessageRows(MessageLines(Broker(messages()), {"0": 0, "1": 0, "2": 7}), Selection(exclude=("b",)))
    assert rows.names == ("a", "c") and rows.all_names == NAMES
    found = batches(rows, size)
    whole = len(X) // size * size
    np.testing.assert_array_equal(np.concatenate([batch.rows for batch in found]), X[:whole, [0, 2]])
    for batch in found:
        assert batch.place.offsets == {"0": (batch.end + 1) // 2, "1": batch.end // 2, "2": 7}
    assert found[-1].end == whole


def test_stream_resumes_at_its_row():
    rows = MessageRows(MessageLines(Broker(messages(X[5:])), {}), Selection(), header=NAMES, row=5)
    found = batches(rows, 4)
    assert [batch.end for batch in found] == [8, *range(12, 41, 4)]
    assert found[0].numbers.tolist() == [5, 6, 7]


def test_received_messages_are_checkpointed_before_more_are_read():
    broker = Broker(messages(X[:12]))
    urgent = []
    with pytest.raises(Interrupted):
        for batch in MessageRows(MessageLines(broker, {}), Selection()).batches(1):
            urgent.append(batch.urgent)
            if batch.urgent:
                batch.place.kept()
    assert [i for i, flag in enumerate(urgent) if flag] == [4, 9]


def test_unlearned_batch_is_not_acknowledged():
    broker = Broker(messages(X[:12]))
    found = batches(MessageRows(MessageLines(broker, {}), Selection()), 4)
    found[1].place.kept()
    assert (broker.safe, broker.unsafe) == (8, 4)


def test_bad_message_does_not_block_earlier_messages_of_its_batch():
    sent = messages(X[:12])
    sent[6] = b"{"
    broker = Broker(sent)
    found = []
    with pytest.raises(DataError, match="row 6 is not JSON"):
        for batch in BadRows("fail").passed(MessageRows(MessageLines(broker, {}), Selection()).batches(4)):
            found.append(batch)
    assert [batch.end for batch in found] == [4, 6]
    assert found[1].place.offsets == {"0": 3, "1": 3}
    found[1].place.kept()
    assert broker.safe == 6


def test_line_breaks_in_messages_become_blanks_and_bad_messages_are_reported():
    pretty = json.dumps({"a": 1, "b": 2, "c": 3}, indent=1).replace("\n", "\r\n").encode()
    broker = Broker([pretty, b"", b"{", b'{"a": 1, "b": 2}', pretty])
    found = batches(MessageRows(MessageLines(broker, {}), Selection()), 5)[0]
    assert found.numbers.tolist() == [0, 4] and [row.number for row in found.bad] == [1, 2, 3]
    assert all("\n" not in text and "\r" not in text for text in found.texts)


@pytest.mark.parametrize("first", [b"", b"[1]", b"{", b"5"])
def test_first_object_defines_the_columns(first):
    broker = Broker([first, first, *messages(X[:3])])
    reader = MessageRows(MessageLines(broker, {}), Selection())
    (found,) = batches(reader, 5)
    assert reader.names == NAMES and [row.number for row in found.bad] == [0, 1]
    assert np.array_equal(found.rows, X[:3])
    with pytest.raises(DataError, match="none of the first 10 messages is a JSON object"):
        MessageRows(MessageLines(Broker([first] * 12), {}), Selection())


def test_commands_that_need_an_end_refuse_topics(tmp_path):
    words = ["fit", "kafka://localhost/rows", "--out", str(tmp_path / "model.safetensors")]
    found = CliRunner().invoke(app, words, env={"COLUMNS": "300"})
    assert found.exit_code == 3 and "a topic has no end" in found.output
