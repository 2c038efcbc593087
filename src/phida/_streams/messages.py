"""Rows from messages of a broker, one JSON object each."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count as count_from
from itertools import islice
from typing import Protocol

from phida._streams.batch import Batch, DataError, Place
from phida._streams.columns import Selection
from phida._streams.identity import FilePart
from phida._streams.lines import Taken
from phida._streams.ndjson_rows import NdjsonRows

#: Messages among which the columns are looked for. Brokers of MQTT send about 20 before they wait for an answer.
_FIRST = 10


@dataclass(frozen=True)
class Message:
    """One row, and what is to be known once it was taken."""

    value: bytes
    partition: str = ""
    next_offset: int = 0
    """Where its partition goes on, for brokers that have offsets."""


class Messages(Protocol):
    """Interface of message sources."""

    def receive(self, most: int) -> list[Message]:
        """Some messages, waited for; a signal ends the wait with :class:`phida._streams.lines.Interrupted`."""

    def check(self) -> None:
        """Stop if a signal has arrived."""

    def taken(self, count: int) -> bool:
        """So many more messages are on their way into the model; whether the broker waits for them to be kept."""

    def kept(self, count: int) -> None:
        """Of all messages taken so far, the first ``count`` are safe: a crash would not lose them."""


class MessageLines:
    """Messages as lines, for the reader of NDJSON."""

    def __init__(self, messages: Messages, offsets: Mapping[str, int]) -> None:
        self._messages = messages
        self._ready: deque[Message] = deque()
        self._taken: list[Message] = []
        self._before: dict[str, int] = {}
        self.offsets = dict(offsets)
        """Where each partition goes on, after what was taken."""
        self.waits = False
        """Whether the broker sends no more until what was taken is kept."""
        self.count = 0
        """Messages taken."""

    def take(self, count: int) -> Taken:
        """The next messages, as many as asked for."""
        while len(self._ready) < count:
            self._ready.extend(self._messages.receive(count - len(self._ready)))
        taken = [self._ready.popleft() for _ in range(count)]
        self._taken, self._before = taken, dict(self.offsets)
        self.offsets = self.offsets_after(count)
        self.waits = self._messages.taken(count)
        self.count += count
        # JSON has line breaks between its tokens only, where a blank does as well.
        lines = [message.value.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for message in taken]
        return Taken(count, b"".join(lines), None)

    def offsets_after(self, count: int) -> dict[str, int]:
        """Where each partition goes on after the first ``count`` of the messages that were taken last."""
        next_offsets = {one.partition: one.next_offset for one in self._taken[:count] if one.partition}
        return self._before | next_offsets

    def take_batches(self, first: int, size: int) -> list[Taken]:
        """The next ``first`` messages, and no more, since the offsets are those of a whole batch."""
        return [self.take(first)]

    def ahead(self) -> Iterator[bytes]:
        """The next messages, which are not taken."""
        for place in count_from(0):
            while len(self._ready) <= place:
                self._ready.extend(self._messages.receive(1))
            yield self._ready[place].value

    def check_signals(self) -> None:
        """Stop if a signal has arrived."""
        self._messages.check()

    def file_part(self, offset: int) -> FilePart | None:
        """There is no file."""
        return None

    def kept(self, count: int) -> None:
        """The first ``count`` messages are safe."""
        self._messages.kept(count)


class MessageRows(NdjsonRows):
    """JSON objects; the keys of the first one are the columns, and later ones may have more."""

    def __init__(
        self, lines: MessageLines, selection: Selection, *, header: tuple[str, ...] | None = None, row: int = 0
    ) -> None:
        """``header`` and ``row`` where a stream is resumed."""
        self._source = lines
        super().__init__(lines, selection, header=header, start=(row, 0))  # type: ignore[arg-type]

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`; without end."""
        for batch in super().batches(size):
            yield replace(batch, urgent=self._source.waits)

    def _place(self, taken: Taken, begin: int, number: int) -> Place:
        source, count = self._source, number - begin
        # Not the count of a later batch, which may fail.
        kept = partial(source.kept, source.count - len(taken) + count)
        return Place(offsets=source.offsets_after(count), kept=kept)

    def _look_at_first(self, selection: Selection) -> tuple[str, ...]:
        for message in islice(self._source.ahead(), _FIRST):
            try:
                first = json.loads(message)
            except (ValueError, RecursionError):
                continue  # a bad row like any other
            if isinstance(first, dict):
                return tuple(first)
        raise DataError(f"none of the first {_FIRST} messages is a JSON object.")
