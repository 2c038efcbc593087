"""JSON objects with one layout, as one program writes them: equal keys and blanks at equal places.

Lines like the first one differ only in their values. The bytes between values are compared eight at a time, and all
numbers are converted at once, in a third of the time of pyarrow's JSON reader. For any other line,
:meth:`Layout.numbers` returns None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._streams.arrays import as_column
from phida._streams.lines import portions

_MEMBER = re.compile(rb'([{,] *"([^"\\]*)": *)("[^"\\]*"|-?[0-9][0-9.eE+-]*)')

#: Precedes the first line: the end of a line, and room to compare complete words.
_BEFORE = b"\n" * 14 + b"}\n"

#: Bytes of lines read at a time. Arrays of this size reuse memory; larger ones are new to the system each time, which
#: takes as long as the work.
_PORTION = 1 << 17

_QUOTE, _MINUS, _ZERO, _NINE, _COLON = b'"-09:'


@dataclass(frozen=True)
class _Word:
    """Eight bytes before the values of some members, and a mask of those that count."""

    members: NDArray[np.int64]
    back: int
    """Distance to the value."""
    masks: NDArray[np.uint64]
    expected: NDArray[np.uint64]


class Layout:
    """Keys, blanks and value types of a line."""

    def __init__(self, names: list[str], literals: list[bytes], numeric: list[bool]) -> None:
        """``literals``: the bytes before each value; the first ones include the end of the line before."""
        self.names = [name for name, number in zip(names, numeric, strict=True) if number]
        """Of the members that are numbers."""
        self._blanks = np.array([len(text) - text.rindex(b":") for text in literals])  # from colon to value
        self._lengths = np.array([len(text) for text in literals])
        self._numeric = np.array(numeric)
        self._quotes = 2 * len(names) + 2 * numeric.count(False)
        self._words = list(_words(literals))

    @classmethod
    def of(cls, line: bytes) -> Layout | None:
        """Return a line's layout, without its line break; None if it has more than numbers and plain strings."""
        members = _MEMBER.findall(line)
        if not members or b"".join(before + value for before, _, value in members) + b"}" != line:
            return None
        literals = [before for before, _, _ in members]
        if not literals[0].startswith(b"{") or any(text.startswith(b"{") for text in literals[1:]):
            return None
        try:
            names = [name.decode() for _, name, _ in members]
        except UnicodeDecodeError:
            return None
        if len(set(names)) < len(names):
            return None
        literals[0] = _BEFORE[-2:] + literals[0]
        return cls(names, literals, [not value.startswith(b'"') for _, _, value in members])

    def numbers(self, lines: bytes) -> NDArray[np.float64] | None:
        """Return the numbers of lines that end with line breaks; None unless all lines are valid and of this layout."""
        found = []
        for portion in portions(lines, _PORTION):
            rows = self._numbers(portion)
            if rows is None:
                return None
            found.append(rows)
        return np.concatenate(found)

    def _numbers(self, lines: bytes) -> NDArray[np.float64] | None:
        count = lines.count(b"\n")
        block = _BEFORE + lines
        content = np.frombuffer(block, np.uint8)
        if np.count_nonzero(content < ord(" ")) != count + _BEFORE.count(b"\n") or not lines.endswith(b"}\n"):
            return None
        if b"\\" in lines or not (lines.isascii() or _is_utf8(lines)):
            return None
        colons = np.flatnonzero((content[1:] == _COLON) & (content[:-1] == _QUOTE)) + 1
        if len(colons) != count * len(self._lengths):
            return None
        begins = colons.reshape(count, -1) + self._blanks
        if begins.max() >= len(block) - len(b"}\n") or not self._all_literals_are_here(block, begins):
            return None
        ends = np.empty_like(begins)
        ends.reshape(-1)[:-1] = (begins - self._lengths).reshape(-1)[1:]
        ends[-1, -1] = len(block) - len(b"}\n")
        if not self._numeric.all() and not self._strings_are_plain(content, begins, ends):
            return None
        return self._converted(block, content, begins, ends)

    def _all_literals_are_here(self, block: bytes, begins: NDArray[np.int64]) -> bool:
        words: NDArray[np.uint64] = np.ndarray((len(block) - 7,), "<u8", block, 0, (1,))  # one word from each byte on
        return all(
            ((words[begins[:, word.members] - word.back] & word.masks) == word.expected).all() for word in self._words
        )

    def _strings_are_plain(
        self, content: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> bool:
        """Return whether the other values are in quotes, and there are no further quotes."""
        first, last = begins[:, ~self._numeric], ends[:, ~self._numeric] - 1
        in_quotes = (first < last) & (content[first] == _QUOTE) & (content[last] == _QUOTE)
        return bool(in_quotes.all()) and np.count_nonzero(content == _QUOTE) == self._quotes * len(begins)

    def _converted(
        self, block: bytes, content: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.float64] | None:
        import pyarrow as pa

        first, last = begins[:, self._numeric].reshape(-1), ends[:, self._numeric].reshape(-1) - 1
        if not _are_json(content, first, last):
            return None
        # Values and the bytes between them, alternating: a pyarrow array has no gaps.
        edges = np.empty(2 * begins.size, np.int64)
        edges[::2], edges[1::2] = begins.reshape(-1), ends.reshape(-1)
        pieces = pa.LargeStringArray.from_buffers(len(edges) - 1, pa.py_buffer(edges), pa.py_buffer(block))
        values = pieces.take(as_column(2 * np.flatnonzero(np.tile(self._numeric, len(begins)))))
        digits = memoryview(values.buffers()[2]).tobytes()
        if any(mark in digits and b"." + mark in digits for mark in (b"e", b"E")):  # 1.e5, which is not JSON
            return None
        try:
            found = values.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
        return np.frombuffer(found.buffers()[1], np.float64, len(found)).reshape(len(begins), len(self.names))


def _words(literals: list[bytes]) -> Any:
    """Return the words to compare, nearest to the values first."""
    lengths = np.array([len(text) for text in literals])
    for begin, back in pairwise(range(0, int(lengths.max()) + 8, 8)):
        members = np.flatnonzero(lengths > begin)
        parts = [literals[i][max(0, len(literals[i]) - back) : len(literals[i]) - begin] for i in members.tolist()]
        expected = [int.from_bytes(part.rjust(8, b"\0"), "little") for part in parts]
        masks = [int.from_bytes((b"\xff" * len(part)).rjust(8, b"\0"), "little") for part in parts]
        yield _Word(members, back, np.array(masks, np.uint64), np.array(expected, np.uint64))


def _are_json(content: NDArray[np.uint8], first: NDArray[np.int64], last: NDArray[np.int64]) -> bool:
    """Return whether numbers for pyarrow are also valid in JSON: no extra blanks, signs, points or zeros."""
    lead = first + (content[first] == _MINUS)
    begins = content[lead]
    if not (_is_digit(begins).all() and _is_digit(content[last]).all()):
        return False
    return not _is_digit(content[lead[begins == _ZERO] + 1]).any()


def _is_digit(marks: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (marks >= _ZERO) & (marks <= _NINE)


def _is_utf8(lines: bytes) -> bool:
    try:
        lines.decode()
    except UnicodeDecodeError:
        return False
    return True
