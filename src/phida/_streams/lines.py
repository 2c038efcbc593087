"""Lines of a file, a pipe, or a growing file."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import stat
import sys
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

import numpy as np
from numpy.typing import NDArray

from phida._streams.batch import DataError
from phida._streams.identity import BLOCK, FilePart

#: Bytes read at a time: few, so that a signal is handled quickly.
_BLOCK = 1 << 18

#: Consecutive blank lines.
_BLANK = re.compile(rb"(?:[ \t\r\f\v]*+\n)++")

#: Bytes of complete lines from which a bulk search for blank ones is faster than line by line.
_MANY = 1 << 12

#: Lines taken together if available: numbers are parsed faster in bulk.
_TOGETHER = 1 << 13

#: Maximum length of a line in bytes.
_LONGEST = 1 << 24

#: Seconds between two checks of a growing file.
_PATIENCE = 0.1


class Interrupted(KeyboardInterrupt):
    """A signal to stop has arrived."""


class Signals:
    """Records SIGINT and SIGTERM. Wakes waiting readers; a busy reader checks the flag after its batch."""

    def __init__(self) -> None:
        self.received: int | None = None
        self._woken, self._wake = os.pipe()

    def __del__(self) -> None:
        for handle in (self._woken, self._wake):
            os.close(handle)

    @contextmanager
    def caught(self) -> Iterator[Signals]:
        """Record signals instead of ending the process."""
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
        """Act as for a signal; any thread may call this."""
        self._note(signal.SIGTERM, None)

    def wait(self, handle: int) -> None:
        """Wait until there is something to read."""
        select.select([handle, self._woken], [], [])
        self.check()

    def sleep(self, seconds: float) -> None:
        """Sleep, but wake up for a signal."""
        select.select([self._woken], [], [], seconds)
        self.check()

    def check(self) -> None:
        """Stop if a signal has arrived."""
        if self.received is not None:
            raise Interrupted


@dataclass(frozen=True, eq=False)
class Taken:
    """Consecutive lines."""

    count: int
    block: bytes
    """All lines, each with its line break."""
    single: list[bytes] | None
    """The lines without their line breaks; None if ``block`` can be split at every line break."""
    offset: int = 0
    """Offset of the next line in the file."""
    begins: tuple[tuple[int, int, bytes], ...] = ()
    """Runs of lines that are adjacent in the file: (position of the first line, its offset, the lines as bytes)."""
    places: tuple[tuple[int, int], ...] = ()
    """Line numbers of the first line and of each line after blank lines: (position here, number in the file)."""

    def number_in_file(self, position: int) -> int:
        """Return the line number of a line in the file, counting blank lines, from where reading began."""
        at, number = self.places[bisect_right(self.places, (position, sys.maxsize)) - 1]
        return number + position - at

    def offset_of(self, position: int) -> int:
        """Return the offset of a line, or of the next line after these."""
        if position == self.count or not self.begins:
            return self.offset
        at, offset, block = self.begins[bisect_right(self.begins, position, key=lambda piece: piece[0]) - 1]
        if position == at:
            return offset
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
        return offset + int(ends[position - at - 1]) + 1

    def without_first(self) -> Taken:
        """Return all lines except the first."""
        rest = self.lines()[1:]
        begins = tuple((at - 1, offset, block) for at, offset, block in self.begins)
        block = b"".join(line + b"\n" for line in rest)
        return Taken(len(rest), block, rest, self.offset, begins, ((0, self.number_in_file(1)),))

    def __len__(self) -> int:
        return self.count

    @property
    def plain(self) -> bool:
        """Return whether no line contains a quote or a line break of its own."""
        return self.single is None

    def lines(self) -> list[bytes]:
        """Return the lines without their line breaks."""
        if self.single is not None:
            return self.single
        found = self.block.split(b"\n")
        found.pop()
        return [line.rstrip(b"\r") for line in found] if b"\r" in self.block else found


class _Run:
    """Consecutive complete lines without quotes or blank lines."""

    __slots__ = ("_at", "_block", "_ends", "blank", "skipped")

    def __init__(self, block: bytes, ends: NDArray[np.int64], skipped: int, blank: int) -> None:
        self._block = block
        self._ends = ends  # after the line break of each
        self._at = 0  # the next line
        self.skipped = skipped
        """Bytes before the first line, of blank lines."""
        self.blank = blank
        """How many blank lines those are."""

    def __len__(self) -> int:
        return len(self._ends) - self._at

    def take(self, count: int) -> bytes:
        """Return the bytes of the next lines."""
        begin = int(self._ends[self._at - 1]) if self._at else 0
        self._at += count
        return self._block[begin : int(self._ends[self._at - 1])]


class Lines:
    """Non-blank lines and their ends. With a ``delimiter``, a quoted field may contain line breaks.

    The work is linear in the bytes for any length of lines and of the parts in which they arrive.
    """

    def __init__(
        self,
        handle: int,
        *,
        is_file: bool = False,
        follow: str | None = None,
        delimiter: bytes | None = None,
        signals: Signals | None = None,
        notify: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """``is_file``: not a pipe; ``follow``: the path of a growing file; ``notify``: called when it is replaced."""
        self.handle = handle
        self._follow = follow
        self.set_delimiter(delimiter)
        self._signals = signals
        self._notify = notify
        self._is_file = is_file
        self._pieces = bytearray()  # bytes of incomplete lines
        self._at = 0  # how far they were scanned
        self._quoted = False  # whether that position is inside quotes
        self._skipped = 0  # bytes of blank lines and of a byte order mark before the line
        self._blank = 0  # number of those blank lines
        self._ready: deque[tuple[bytes, int, int] | _Run] = (
            deque()
        )  # line, bytes to its end, blank lines; or many lines
        self._n_ready = 0
        self._peeked = False  # whether some bytes were not split yet
        self._ended = False
        self._replaced = False  # whether the followed file ended because another replaced it
        self._first = True  # whether nothing of the file was read yet
        self._head = b""
        self.offset = 0
        self._began = 0  # the offset from which lines are counted
        self._n_taken = 0  # lines since then, including blank ones
        self.begins_file = False
        """Whether what was taken last is the beginning of a file that took the place of another."""

    def set_delimiter(self, delimiter: bytes | None) -> None:
        """Set the delimiter before the first line; it separates quotes around fields from marks inside."""
        self._opening = None if delimiter is None else delimiter + b'"'

    def peek(self) -> bytes:
        """Return the first bytes, up to at least a line break, without taking them."""
        self._peeked = True
        while b"\n" not in self._pieces.lstrip() and not (self._ended or self._replaced):
            self._fill()
        return bytes(self._pieces)

    def seek(self, offset: int) -> None:
        """Continue at the first byte of a line."""
        around = os.pread(self.handle, 2, offset - 1)
        if not (around[:1] == b"\n" or around[1:] in (b"\n", b"\r", b"")) or not around:
            raise DataError(
                f"no row begins at byte {offset}, where the stream stopped; check that the file is the same."
            )
        self._start(offset)

    def _start(self, offset: int) -> None:
        """Drop all buffers, and read from an offset."""
        os.lseek(self.handle, offset, os.SEEK_SET)
        self._ready.clear()
        self._pieces.clear()
        self._at = self._skipped = self._blank = self._n_ready = self._n_taken = 0
        self._began = offset
        self._ended = self._quoted = self._replaced = self._peeked = False
        self._first = offset == 0
        self._head = os.pread(self.handle, min(BLOCK, offset), 0)
        self.offset = offset

    def take(self, count: int) -> Taken:
        """Return the next lines; fewer at the end, and at the end of a followed file that another one replaced."""
        self.begins_file = False
        if self._peeked:
            self._peeked = False
            self._split()
        while self._n_ready < count and not self._ended:
            if self._replaced:
                if self._ready:
                    break
                self._next_file()
            try:
                self._fill()
            except DataError:
                if not self._n_ready:  # return the lines before an invalid one first
                    raise
                break
        number = min(count, self._n_ready)
        self._n_ready -= number
        return self._taken(number)

    def take_batches(self, first: int, size: int) -> list[Taken]:
        """Return the next ``first`` lines, and more batches of ``size`` if already available, within one file."""
        taken = [self.take(first)]
        begins_file, total = self.begins_file, len(taken[0])
        while not begins_file and total < _TOGETHER and self._n_ready >= size:
            taken.append(self.take(size))
            total += size
        self.begins_file = begins_file
        return taken if total else []

    def _taken(self, count: int) -> Taken:
        blocks: list[bytes] = []
        single: list[bytes] = []
        begins: list[tuple[int, int, bytes]] = []
        places: list[tuple[int, int]] = []
        plain, left, many_breaks = True, count, False
        while left:
            first = self._ready[0]
            if isinstance(first, _Run):
                found = min(left, len(first))
                block = first.take(found)
                begins.append((count - left, self.offset + first.skipped, block))
                self.offset += len(block) + first.skipped
                self._n_taken += first.blank
                places.append((count - left, self._n_taken + 1))
                self._n_taken += found
                first.skipped = first.blank = 0
                if not first:
                    self._ready.popleft()
                if not plain:
                    single += Taken(found, block, None).lines()
            else:
                found = 1
                line, length, blank = first
                self._ready.popleft()
                begins.append((count - left, self.offset, b""))
                self.offset += length
                self._n_taken += blank
                if not places or blank or many_breaks:
                    places.append((count - left, self._n_taken + 1))
                many_breaks = b"\n" in line
                self._n_taken += 1 + (line.count(b"\n") if many_breaks else 0)
                block = line + b"\n"
                if plain and self._opening is not None and (b'"' in line or b"\n" in line):
                    plain, single = False, Taken(count - left, b"".join(blocks), None).lines()
                if not plain:
                    single.append(line)
            blocks.append(block)
            left -= found
        block = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return Taken(count, block, None if plain else single, self.offset, tuple(begins), tuple(places))

    def put_back(self, line: bytes, length: int) -> None:
        """Put the last line back."""
        self._ready.appendleft((line, length, 0))
        self._n_ready += 1
        self.offset -= length
        self._n_taken -= 1

    def lines_before(self) -> int:
        """Return the number of lines before the start of reading; 0 for a pipe."""
        breaks = at = 0
        while at < self._began and (block := os.pread(self.handle, min(_BLOCK, self._began - at), at)):
            breaks, at = breaks + block.count(b"\n"), at + len(block)
        return breaks

    def check_signals(self) -> None:
        """Stop if a signal has arrived."""
        if self._signals is not None:
            self._signals.check()

    def file_part(self, offset: int) -> FilePart | None:
        """Return the part of the file read up to an offset; None for a pipe."""
        if not self._is_file:
            return None
        found = os.fstat(self.handle)
        begin = max(0, offset - BLOCK)
        tail = os.pread(self.handle, offset - begin, begin)
        return FilePart(found.st_dev, found.st_ino, self._head[:offset], tail)

    def _fill(self) -> None:
        if self._signals is not None:
            self._signals.wait(self.handle)
        if self._follow is not None and self._was_rewritten():
            self._end_file()
            return
        block = os.read(self.handle, _BLOCK)
        if not block and self._follow is not None:
            if self._was_replaced(self._follow):
                # Bytes written between the last read and the replacement.
                while block := os.read(self.handle, _BLOCK):
                    self._add(block)
                self._end_file()
            else:
                self._sleep()
            return
        self._ended = not block
        self._add(block)

    def _add(self, block: bytes) -> None:
        if len(self._head) < BLOCK:
            self._head += block[: BLOCK - len(self._head)]
        self._pieces += block
        if not self._peeked:
            self._split()
        if len(self._pieces) > _LONGEST:
            raise DataError(f"a line is longer than {_LONGEST >> 20} MiB; check that the input is a text table.")

    def _split(self) -> None:
        """Move complete lines out of the bytes; at the end, the rest is a line too."""
        pieces = self._pieces
        last = self._ended or self._replaced
        begin = 0
        if self._first:
            if not last and len(pieces) < len(codecs.BOM_UTF8):
                return
            self._first = False
            if pieces.startswith(codecs.BOM_UTF8):
                begin = self._at = self._skipped = len(codecs.BOM_UTF8)
        one_by_one = 0  # up to here, since some lines are blank or there are few
        while begin < len(pieces):
            if begin >= one_by_one and self._at <= begin and not self._quoted:
                end = self._end_of_plain_lines(begin)
                run = self._run(begin, end)
                if run is not None:
                    self._ready.append(run)
                    self._n_ready += len(run)
                    self._skipped = self._blank = 0
                    begin = self._at = end
                    continue
                one_by_one = end
            if pieces[begin] <= 32 and self._at <= begin and not self._quoted:  # a blank, or a control character
                blank = _BLANK.match(pieces, begin)
                if blank is not None:
                    self._skipped += blank.end() - begin
                    self._blank += pieces.count(b"\n", begin, blank.end())
                    begin = self._at = blank.end()
                    del blank  # keeps the bytes alive
                    continue
            end = self._end_of_line(begin)
            if end < 0:
                if not last:
                    break
                end = len(pieces)
            length = min(end + 1, len(pieces)) - begin
            line = bytes(pieces[begin:end])
            if line.strip():
                self._ready.append((line.rstrip(b"\r"), length + self._skipped, self._blank))
                self._n_ready += 1
                self._skipped = self._blank = 0
            else:
                self._skipped += length
                self._blank += 1
            begin += length
            self._at, self._quoted = begin, False
        del pieces[:begin]
        self._at = max(0, self._at - begin)

    def _end_of_plain_lines(self, begin: int) -> int:
        """Return the end of the complete lines before the next quote; ``begin`` if there are none."""
        quote = -1 if self._opening is None else self._pieces.find(b'"', begin)
        return max(begin, self._pieces.rfind(b"\n", begin, len(self._pieces) if quote < 0 else quote) + 1)

    def _run(self, begin: int, end: int) -> _Run | None:
        """Return a run of lines; None if they are few, or some may be blank."""
        if end - begin < _MANY:
            return None
        with memoryview(self._pieces) as pieces:
            block = bytes(pieces[begin:end])
        values = np.frombuffer(block, np.uint8)
        ends = np.flatnonzero(values == ord("\n")) + 1
        begins = np.append(0, ends[:-1])
        for line in np.flatnonzero(values[begins] <= ord(" ")).tolist():
            if not block[begins[line] : ends[line]].strip():
                return None
        return _Run(block, ends, self._skipped, self._blank)

    def _end_of_line(self, begin: int) -> int:
        """Return the end of the line from ``begin`` on, or -1; continues an earlier scan.

        A line break in quotes does not end a line, and a quote opens only at the start of a field.
        """
        pieces, opening = self._pieces, self._opening
        at = max(self._at, begin)
        if opening is None:
            end = pieces.find(b"\n", at)
            self._at = len(pieces) if end < 0 else end
            return end
        if at == begin and not self._quoted and pieces.startswith(b'"', begin):
            at, self._quoted = begin + 1, True
        end = -1
        while True:
            if self._quoted:
                at, self._quoted = _behind_quotes(pieces, at, self._ended or self._replaced)
                if self._quoted:
                    self._at = at
                    return -1
            if end < at:
                end = pieces.find(b"\n", at)
            stop = len(pieces) if end < 0 else end
            quote = pieces.find(opening, at, stop)
            if quote < 0:
                # After a delimiter at the very end, a quote may follow in the next bytes.
                self._at = stop - 1 if stop > at and end < 0 and pieces[-1] == opening[0] else stop
                return end
            at, self._quoted = quote + 2, True

    def _was_rewritten(self) -> bool:
        """Return whether the followed file was truncated and written again; an empty file is waited for."""
        size = os.fstat(self.handle).st_size
        if size == 0:
            return False
        return size < os.lseek(self.handle, 0, os.SEEK_CUR) or os.pread(self.handle, len(self._head), 0) != self._head

    def _was_replaced(self, path: str) -> bool:
        """Return whether the path of the followed file leads to another file with content.

        As long as that file is empty, the writer may still use the old one.
        """
        try:
            found = os.stat(path)
        except OSError:  # moved, and not replaced yet
            return False
        if os.path.samestat(os.fstat(self.handle), found) or found.st_size == 0:
            return False
        if not stat.S_ISREG(found.st_mode):
            raise DataError(f"{path} was a file when following began, but is not a file now.")
        return True

    def _end_file(self) -> None:
        """Treat the rest as the last line of the followed file."""
        self._replaced = True
        self._split()

    def _next_file(self) -> None:
        """Continue with the first byte of the file that replaced the followed one."""
        assert self._follow is not None
        read = self.offset
        handle = os.open(self._follow, os.O_RDONLY)
        same = os.path.samestat(os.fstat(handle), os.fstat(self.handle))
        os.dup2(handle, self.handle, inheritable=False)
        os.close(handle)
        self._start(0)
        self.begins_file = True
        what = "truncated" if same else "replaced by a new file"
        self._notify(f"{self._follow} was {what} after byte {read:,}; reading it from its first row")

    def _sleep(self) -> None:
        if self._signals is not None:
            self._signals.sleep(_PATIENCE)
        else:
            time.sleep(_PATIENCE)


def _behind_quotes(pieces: bytearray, at: int, last: bool) -> tuple[int, bool]:
    """Return the position after a field's closing quote, and whether it is yet to come; doubled quotes do not close."""
    while True:
        quote = pieces.find(b'"', at)
        if quote < 0:
            return len(pieces), True
        if quote + 1 == len(pieces) and not last:
            return quote, True  # the next bytes decide
        if pieces[quote + 1 : quote + 2] != b'"':
            return quote + 1, False
        at = quote + 2


def portions(block: bytes, most: int) -> Iterator[bytes]:
    """Yield parts of complete lines with at most so many bytes together, or single lines."""
    begin = 0
    while len(block) - begin > most:
        end = block.rfind(b"\n", begin, begin + most) + 1 or block.index(b"\n", begin) + 1
        yield block[begin:end]
        begin = end
    if begin < len(block):
        yield block[begin:] if begin else block
