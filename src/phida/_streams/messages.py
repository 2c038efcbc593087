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

#: Messages used to find the columns. MQTT brokers send about 20 before they wait for an acknowledgement.
_FIRST = 10


@dataclass(frozen=True)
class Message:
    """One row, and its acknowledgement data."""

    value: bytes
    partition: str = ""
    next_offset: int = 0
    """Next offset of its partition, for brokers that have offsets."""


class Messages(Protocol):
    """Interface of message sources."""

    def receive(self, most: int) -> list[Message]:
        """Wait for messages; a signal ends the wait with :class:`phida._streams.lines.Interrupted`."""

    def check(self) -> None:
        """Stop if a signal has arrived."""

    def taken(self, count: int) -> bool:
        """Count messages passed on to the model; return whether the broker waits for acknowledgements."""

    def kept(self, count: int) -> None:
        """Mark the first ``count`` of all messages taken as safe: a crash would not lose them."""


class MessageLines:
    """Messages as lines, for the reader of NDJSON."""

    begins_file = False

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
        """Return the next messages, as many as requested."""
        while len(self._ready) < count:
            self._ready.extend(self._messages.receive(count - len(self._ready)))
        taken = [self._ready.popleft() for _ in range(count)]
        self._taken, self._before = taken, dict(self.offsets)
        self.offsets = self.offsets_after(count)
        self.waits = self._messages.taken(count)
        self.count += count
        # JSON has line breaks only between tokens, where a blank is equivalent.
        lines = [message.value.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for message in taken]
        return Taken(count, b"".join(lines), None)

    def offsets_after(self, count: int) -> dict[str, int]:
        """Return the offset of each partition after the first ``count`` of the messages taken last."""
        next_offsets = {one.partition: one.next_offset for one in self._taken[:count] if one.partition}
        return self._before | next_offsets

    def take_batches(self, first: int, size: int) -> list[Taken]:
        """Return the next ``first`` messages and no more, since offsets belong to a complete batch."""
        return [self.take(first)]

    def ahead(self) -> Iterator[bytes]:
        """Yield the next messages without taking them."""
        for place in count_from(0):
            while len(self._ready) <= place:
                self._ready.extend(self._messages.receive(1))
            yield self._ready[place].value

    def check_signals(self) -> None:
        """Stop if a signal has arrived."""
        self._messages.check()

    def file_part(self, offset: int) -> FilePart | None:
        """Return None: there is no file."""
        return None

    def kept(self, count: int) -> None:
        """Mark the first ``count`` messages as safe."""
        self._messages.kept(count)


class MessageRows(NdjsonRows):
    """JSON objects; the keys of the first one are the columns, and later ones may have more."""

    def __init__(
        self, lines: MessageLines, selection: Selection, *, header: tuple[str, ...] | None = None, row: int = 0
    ) -> None:
        """``header`` and ``row`` to resume from."""
        self._source = lines
        super().__init__(lines, selection, header=header, start=(row, 0))  # type: ignore[arg-type]

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`; never ends."""
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
                continue  # handled like any other bad row
            if isinstance(first, dict):
                return tuple(first)
        raise DataError(f"none of the first {_FIRST} messages is a JSON object.")
