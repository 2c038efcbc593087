"""Digests that distinguish a file from another one with the same name."""

from __future__ import annotations

import hashlib
import os
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Bytes of a block by which a file is recognised.
BLOCK = 4096

#: Stands in place of a digest where there is no file to look at.
PIPE = "pipe"


@dataclass(frozen=True)
class FilePart:
    """The part of a file that was read, up to an offset: its first bytes and its last.

    Where a file is not text, the bytes are those of its rows.
    """

    device: int
    inode: int
    head: bytes
    tail: bytes

    def identity(self) -> Identity:
        """What a checkpoint keeps of it."""
        return Identity(self.device, self.inode, len(self.head), _digest(self.head), _digest(self.tail))


@dataclass(frozen=True)
class Identity:
    """Digests of a part of a file."""

    device: int = 0
    inode: int = 0
    head_length: int = 0
    head: str = ""
    tail: str = PIPE

    def same_content(self, path: str, offset: int) -> bool:
        """Whether a file begins with the part that was read, which ended at an offset.

        Device and inode are not compared: a file may be copied, or moved to another disk.
        """
        if not os.path.isfile(path):
            return self.tail == PIPE
        with open(path, "rb") as file:
            head = file.read(self.head_length)
            return self.tail == tail(path, offset) and (not self.head or self.head == _digest(head))

    def same_part(self, found: FilePart) -> bool:
        """Whether a file begins with the part that was read, which is as long as the one found."""
        return (self.head, self.tail) == (_digest(found.head), _digest(found.tail))

    def same_file(self, path: str) -> bool:
        """Whether a path leads to the very file, whatever it holds now."""
        found = os.stat(path)
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


class RowsRead:
    """The first and the last rows that were read of a file that is not text."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        found = os.stat(path)
        self._device, self._inode = found.st_dev, found.st_ino
        self._head = self._tail = b""

    @staticmethod
    def enough(width: int) -> int:
        """So many rows fill a block."""
        return -(-BLOCK // (8 * width))

    def add(self, rows: NDArray[np.float64]) -> None:
        """Rows that were read next."""
        enough = self.enough(rows.shape[1])
        self._head += rows[:enough].tobytes()[: BLOCK - len(self._head)]
        self._tail = (self._tail + rows[-enough:].tobytes())[-BLOCK:]

    def and_then(self, rows: NDArray[np.float64]) -> FilePart:
        """The part that is read after some more rows."""
        more = copy(self)
        more.add(rows)
        return more.part()

    def part(self) -> FilePart:
        """The part that was read up to now."""
        return FilePart(self._device, self._inode, self._head, self._tail)


def tail(path: str | os.PathLike[str] | None, offset: int) -> str:
    """Digest of the last bytes before an offset."""
    if path is None or not os.path.isfile(path):
        return PIPE
    begin = max(0, offset - BLOCK)
    with open(path, "rb") as content:
        content.seek(begin)
        return _digest(content.read(offset - begin))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
