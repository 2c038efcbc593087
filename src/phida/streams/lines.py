"""Lines of a file, a pipe, or a file that grows."""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from phida.streams.batch import DataError

#: Bytes that are read at a time.
_BLOCK = 1 << 20

#: A line beyond this is no line of a table.
_LONGEST = 1 << 24

#: Seconds between two looks at a file that grows.
_PATIENCE = 0.1


class Interrupted(KeyboardInterrupt):
    """A signal asked to stop."""


class Signals:
    """SIGINT and SIGTERM, noted down: whoever waits is woken, whoever works looks when it is ready."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._wake, self._woken = os.pipe()

    @contextmanager
    def caught(self) -> Iterator[Signals]:
        """Note signals down instead of dying of them."""
        before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.received = number
        os.write(self._woken, b".")

    def wait(self, handle: int) -> None:
        """Until there is something to read."""
        select.select([handle, self._wake], [], [])
        self.check()

    def sleep(self, seconds: float) -> None:
        """For a while."""
        select.select([self._wake], [], [], seconds)
        self.check()

    def check(self) -> None:
        """Stop here if a signal came."""
        if self.received is not None:
            raise Interrupted


class Lines:
    """Lines with something on them, and where each ends. With ``quoted``, a quoted line break does not end one."""

    def __init__(self, handle: int, *, follow: bool = False, quoted: bool = False, signals: Signals | None = None):
        self._handle = handle
        self._follow = follow
        self._quoted = quoted
        self._signals = signals
        self._pieces = bytearray()
        self._ready: deque[tuple[bytes, int]] = deque()  # a line, and the bytes up to its end
        self._ended = False
        self.offset = 0

    def seek(self, offset: int) -> None:
        """Go on at a byte that a line begins at."""
        around = os.pread(self._handle, 2, offset - 1)
        if not (around[:1] == b"\n" or around[1:] in (b"\n", b"\r", b"")) or not around:
            raise DataError(f"no row begins at byte {offset}, where the stream stopped; is it another file?")
        os.lseek(self._handle, offset, os.SEEK_SET)
        self._ready.clear()
        self._pieces.clear()
        self._ended = False
        self.offset = offset

    def take(self, count: int) -> list[bytes]:
        """The next lines; fewer only at the end."""
        while len(self._ready) < count and not self._ended:
            self._fill()
        taken = []
        for _ in range(min(count, len(self._ready))):
            line, length = self._ready.popleft()
            self.offset += length
            taken.append(line)
        return taken

    def put_back(self, line: bytes, length: int) -> None:
        """Undo the taking of the last line."""
        self._ready.appendleft((line, length))
        self.offset -= length

    def _fill(self) -> None:
        if self._signals is not None:
            self._signals.wait(self._handle)
        block = os.read(self._handle, _BLOCK)
        if not block and self._follow:
            self._sleep()
            return
        self._ended = not block
        self._pieces += block
        self._split()
        if len(self._pieces) > _LONGEST:
            raise DataError(f"a line is longer than {_LONGEST >> 20} MiB; is this a table?")

    def _split(self) -> None:
        """Move whole lines out of the bytes that were read; at the end, what is left is a line too."""
        begin = skipped = 0
        pieces = bytes(self._pieces)
        while begin < len(pieces):
            end = self._end_of_line(pieces, begin)
            if end < 0:
                if not self._ended:
                    break
                end = len(pieces)
            length = min(end + 1, len(pieces)) - begin
            line = pieces[begin:end].strip()
            if line:
                self._ready.append((pieces[begin:end].rstrip(b"\r"), length + skipped))
                skipped = 0
            else:
                skipped += length
            begin += length
        # Blank lines wait with the bytes of the line that they stand before.
        del self._pieces[: begin - skipped]

    def _end_of_line(self, pieces: bytes, begin: int) -> int:
        end = pieces.find(b"\n", begin)
        while self._quoted and end >= 0 and pieces.count(b'"', begin, end) % 2:
            end = pieces.find(b"\n", end + 1)
        return end

    def _sleep(self) -> None:
        if self._signals is not None:
            self._signals.sleep(_PATIENCE)
        else:
            time.sleep(_PATIENCE)
