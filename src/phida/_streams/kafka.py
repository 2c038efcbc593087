"""Rows from a Kafka topic, and labelled rows to one.

Offsets are stored in the checkpoint, next to the model. Without a consumer group, nothing else can move them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.address import Address
from phida._streams.batch import Batch, DataError, RowReader
from phida._streams.lines import Signals
from phida._streams.messages import Message
from phida._streams.output import TextOutput

#: Seconds in which a broker must answer.
_PATIENCE = 30.0

#: Seconds between two checks for a signal.
_STEP = 0.1

#: Messages fetched at a time.
_MOST = 1000


def _kafka() -> Any:
    try:
        import confluent_kafka
    except ModuleNotFoundError as error:
        raise ImportError('kafka:// needs confluent-kafka: pip install "phida[kafka]"') from error
    return confluent_kafka


def _settings(address: Address, notify: Callable[[str], None]) -> dict[str, Any]:
    """Return settings of librdkafka; options of the address come last."""
    hosts = ",".join(host if ":" in host else f"{host}:9092" for host in address.hosts)
    settings: dict[str, Any] = {"bootstrap.servers": hosts, "log_level": 0}
    if address.user is not None:
        settings |= {"sasl.username": address.user, "sasl.password": address.password or ""}
    settings["error_cb"] = lambda error: notify(f"{address.shown}: {error.str()}")
    return settings | dict(address.options)


class TopicMessages:
    """Messages of all partitions of a topic, from given offsets on."""

    def __init__(self, consumer: Any, signals: Signals | None) -> None:
        self._consumer = consumer
        self._signals = signals

    def receive(self, most: int) -> list[Message]:
        """See :class:`phida._streams.messages.Messages`."""
        while True:
            self.check()
            found = self._consumer.consume(min(most, _MOST), _STEP)
            if found:
                return [self._message(one) for one in found]

    def check(self) -> None:
        """Stop if a signal has arrived."""
        if self._signals is not None:
            self._signals.check()

    def taken(self, count: int) -> bool:
        """Return False: Kafka sends without acknowledgements."""
        return False

    def kept(self, count: int) -> None:
        """Do nothing: the offsets are in the checkpoint."""

    def _message(self, found: Any) -> Message:
        error = found.error()
        if error is not None:
            raise OSError(f"Kafka: {error.str()}.")
        return Message(found.value() or b"", str(found.partition()), found.offset() + 1)


@contextmanager
def topic_messages(
    address: Address, offsets: Mapping[str, int], signals: Signals | None, notify: Callable[[str], None]
) -> Iterator[tuple[TopicMessages, dict[str, int]]]:
    """Return the messages of a topic, and the offset from which each partition is read."""
    kafka = _kafka()
    settings = _settings(address, notify)
    latest = settings.pop("auto.offset.reset", "earliest") == "latest"
    settings |= {
        "group.id": settings.get("group.id", "phida"),  # librdkafka requires a group; nothing is committed to it
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",  # report deleted messages instead of skipping them
    }
    try:
        consumer = kafka.Consumer(settings)
    except (kafka.KafkaException, TypeError, ValueError) as error:
        raise DataError(f"{address.shown}: {_reason(error)}") from error
    try:
        begin = _begin(kafka, consumer, address, offsets, latest)
        consumer.assign([kafka.TopicPartition(address.topic, int(name), at) for name, at in begin.items()])
        yield TopicMessages(consumer, signals), begin
    except kafka.KafkaException as error:
        raise OSError(f"{address.shown}: {_reason(error)}") from error
    finally:
        consumer.close()


def _begin(kafka: Any, consumer: Any, address: Address, offsets: Mapping[str, int], latest: bool) -> dict[str, int]:
    """Return the start of each partition: where the stream stopped, if those messages still exist."""
    topic = consumer.list_topics(address.topic, timeout=_PATIENCE).topics[address.topic]
    if topic.error is not None:
        raise DataError(f"{address.shown}: {topic.error.str()}.")
    begin = {}
    for number in sorted(topic.partitions):
        low, high = consumer.get_watermark_offsets(kafka.TopicPartition(address.topic, number), timeout=_PATIENCE)
        # A partition created after the checkpoint is read from its first message.
        at = offsets.get(str(number), high if latest and not offsets else low)
        if not low <= at <= high:
            raise DataError(
                f"{address.shown}: the stream stopped at offset {at} of partition {number}, "
                f"which holds {low} to {high}. "
                + ("Messages were deleted since" if at < low else "The topic was recreated")
                + "; start again with another --checkpoint."
            )
        begin[str(number)] = at
    return begin


class TopicOutput:
    """Labelled rows as messages, one JSON object each; ``sync`` returns when all have arrived."""

    format = "ndjson"

    def __init__(self, producer: Any, address: Address, reader: RowReader) -> None:
        self._producer = producer
        self._address = address
        self._text = io.BytesIO()
        self._lines = TextOutput(self._text, self.format, reader)
        self._error: Any = None
        self.offset = 0

    def write(self, batch: Batch, labels: NDArray[np.int64]) -> None:
        """Send the rows of a batch."""
        self._lines.write(batch, labels)
        for line in self._text.getvalue().splitlines():
            self._send(line)
        self._text.seek(0)
        self._text.truncate()
        self._producer.poll(0)
        self._check()

    def sync(self) -> None:
        """Wait until the broker has everything."""
        while self._producer.flush(_STEP):
            self._check()
        self._check()

    def close(self) -> None:
        """Wait likewise: a topic has no end."""
        self.sync()

    def _send(self, line: bytes) -> None:
        while True:
            try:
                self._producer.produce(self._address.topic, line, on_delivery=self._delivered)
                return
            except BufferError:  # the broker is slower than this process
                self._producer.poll(_STEP)
                self._check()

    def _delivered(self, error: Any, message: Any) -> None:
        self._error = self._error or error

    def _check(self) -> None:
        if self._error is not None:
            raise OSError(f"{self._address.shown}: {self._error.str()}.")


@contextmanager
def topic_output(address: Address, reader: RowReader, notify: Callable[[str], None]) -> Iterator[TopicOutput]:
    """Return an output to a topic."""
    kafka = _kafka()
    try:
        producer = kafka.Producer({"enable.idempotence": True, **_settings(address, notify)})
    except (kafka.KafkaException, TypeError, ValueError) as error:
        raise DataError(f"{address.shown}: {_reason(error)}") from error
    try:
        producer.list_topics(timeout=_PATIENCE)
    except kafka.KafkaException as error:
        raise OSError(f"{address.shown}: {_reason(error)}") from error
    output = TopicOutput(producer, address, reader)
    yield output
    output.close()


def _reason(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return f"{first.str() if hasattr(first, 'str') else first}."
