"""A Kafka broker inside this process: the mock cluster of librdkafka, which listens on the loopback address."""

import contextlib
import json

import pytest
from waiting import PATIENCE, until

kafka = pytest.importorskip("confluent_kafka", reason="belongs to the extra phida[kafka]: make test-integrations")


class Broker:
    """A mock broker and its contents. The first write creates a topic of four partitions."""

    def __init__(self):
        self._cluster = kafka.Producer({"test.mock.num.brokers": 1, "log_level": 0})
        found = next(iter(self._cluster.list_topics(timeout=PATIENCE).brokers.values()))
        self.address = f"{found.host}:{found.port}"
        self._producer = kafka.Producer({"bootstrap.servers": self.address, "log_level": 0})

    def url(self, topic, options=""):
        return f"kafka://{self.address}/{topic}{options}"

    def send(self, topic, values, partition=0):
        for value in values:
            self._producer.produce(topic, value, partition=partition)
        assert self._producer.flush(60) == 0

    @contextlib.contextmanager
    def consumer(self):
        made = kafka.Consumer(
            {"bootstrap.servers": self.address, "group.id": "test", "enable.auto.commit": False, "log_level": 0}
        )
        yield made
        made.close()

    def count(self, topic):
        """Return the number of messages in a topic."""
        with self.consumer() as consumer:
            found = consumer.list_topics(topic, timeout=PATIENCE).topics[topic]
            if found.error is not None:
                return 0
            places = [kafka.TopicPartition(topic, number) for number in found.partitions]
            return sum(consumer.get_watermark_offsets(place, timeout=PATIENCE)[1] for place in places)

    def values(self, topic):
        """Return all messages in a topic as decoded JSON."""
        left = self.count(topic)
        with self.consumer() as consumer:
            found = consumer.list_topics(topic, timeout=PATIENCE).topics[topic]
            consumer.assign([kafka.TopicPartition(topic, number, 0) for number in found.partitions])
            values = []

            def fetched():
                values.extend(json.loads(message.value()) for message in consumer.consume(500, 0.1))
                return len(values) >= left

            until(fetched)
            return values
