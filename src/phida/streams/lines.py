"""Lines of a file, a pipe, or a file that grows."""

from __future__ import annotations

import codecs
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
        self._woken, self._wake = os.pipe()

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
        os.write(self._wake, b".")

    def stop(self) -> None:
        """As if a signal had come; any thread may call this."""
        self._note(signal.SIGTERM, None)

    def wait(self, handle: int) -> None:
        """Until there is something to read."""
        select.select([handle, self._woken], [], [])
        self.check()

    def sleep(self, seconds: float) -> None:
        """For a while."""
        select.select([self._woken], [], [], seconds)
        self.check()

    def check(self) -> None:
        """Stop here if a signal came."""
        if self.received is not None:
            raise Interrupted


class Lines:
    """Lines with something on them, and where each ends. With a ``delimiter``, a quoted field may hold line breaks."""

    def __init__(
        self, handle: int, *, follow: str | None = None, delimiter: bytes | None = None, signals: Signals | None = None
    ):
        """``follow``: the path of a file that grows."""
        self._handle = handle
        self._follow = follow
        self._delimiter = delimiter
        self._first = True
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
        self._ended = self._first = False
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
        if not block and self._follow is not None:
            self._check_growth(self._follow)
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
            line = pieces[begin:end]
            if self._first:
                line = line.removeprefix(codecs.BOM_UTF8)
                self._first = False
            if line.strip():
                self._ready.append((line.rstrip(b"\r"), length + skipped))
                skipped = 0
            else:
                skipped += length
            begin += length
        # Blank lines wait with the bytes of the line that they stand before.
        del self._pieces[: begin - skipped]

    def _end_of_line(self, pieces: bytes, begin: int) -> int:
        """Where a line ends; a line break in quotes does not end one, and a quote opens only where a field begins."""
        if self._delimiter is None:
            return pieces.find(b"\n", begin)
        while True:
            if pieces.startswith(b'"', begin):
                begin = _closing_quote(pieces, begin)
                if begin < 0:
                    return -1
            end = pieces.find(b"\n", begin)
            separator = pieces.find(self._delimiter, begin, len(pieces) if end < 0 else end)
            if separator < 0 or pieces.find(b'"', separator, len(pieces) if end < 0 else end) < 0:
                return end
            begin = separator + 1

    def _check_growth(self, path: str) -> None:
        """A file that is followed grows and does nothing else."""
        here = os.fstat(self._handle)
        if not os.path.exists(path) or not os.path.samestat(here, os.stat(path)):
            raise DataError(f"{path} is not the file any more that was followed; it was moved or replaced.")
        if here.st_size < os.lseek(self._handle, 0, os.SEEK_CUR):
            raise DataError(f"{path} became shorter while it was followed.")

    def _sleep(self) -> None:
        if self._signals is not None:
            self._signals.sleep(_PATIENCE)
        else:
            time.sleep(_PATIENCE)


def _closing_quote(pieces: bytes, at: int) -> int:
    """The place behind the quote that closes the one here; two in a row are one that is meant."""
    while True:
        at = pieces.find(b'"', at + 1)
        if at < 0 or pieces[at + 1 : at + 2] != b'"':
            return at + 1 if at >= 0 else -1
        at += 1
