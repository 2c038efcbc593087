"""Addresses of message brokers: ``kafka://host:port/topic?option=value``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from phida._streams.batch import DataError

SCHEMES = ("kafka", "mqtt", "mqtts")


@dataclass(frozen=True)
class Address:
    """A topic of a broker."""

    scheme: str
    hosts: tuple[str, ...]
    """The host, or several for Kafka; each with its port if one was given."""
    topic: str
    options: Mapping[str, str]
    user: str | None = None
    password: str | None = None

    @property
    def shown(self) -> str:
        """Return the address for messages, without options and password, which may be secret."""
        return f"{self.scheme}://{','.join(self.hosts)}/{self.topic}"


def is_address(text: str) -> bool:
    """Return whether this names a topic, not a file."""
    return text.startswith(tuple(f"{scheme}://" for scheme in SCHEMES))


def address_of(text: str) -> Address:
    """Split an address into its parts."""
    # A "#" at the end of an MQTT topic means all topics below it, not a fragment.
    parts = urlsplit(text, allow_fragments=False)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    topic = unquote(parts.path.removeprefix("/"))
    if not hosts or not topic:
        raise DataError(f"{parts.scheme}:// needs a host and a topic, as in {parts.scheme}://localhost/readings.")
    return Address(
        parts.scheme,
        tuple(hosts.split(",")),
        topic,
        dict(parse_qsl(parts.query)),
        unquote(user) or None,
        unquote(password) or None,
    )
