"""Digests that distinguish a file from another one with the same name."""

from __future__ import annotations

import hashlib
import os
from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Bytes of a block that identifies a file.
BLOCK = 4096

#: Replaces a digest if the input is not a file.
PIPE = "pipe"


@dataclass(frozen=True)
class FilePart:
    """The part of a file that was read, up to an offset: its first and its last bytes.

    In other formats than text, the bytes are those of its rows.
    """

    device: int
    inode: int
    head: bytes
    tail: bytes

    def identity(self) -> Identity:
        """Return the digests for a checkpoint."""
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
        """Return whether a file begins with the part that was read, which ended at an offset.

        Device and inode are not compared: a file may be copied, or moved to another disk.
        """
        if not os.path.isfile(path):
            return self.tail == PIPE
        with open(path, "rb") as file:
            head = file.read(self.head_length)
            return self.tail == tail(path, offset) and self.head == _digest(head)

    def same_part(self, found: FilePart) -> bool:
        """Return whether a file begins with the part that was read, which is as long as the one found."""
        return (self.head, self.tail) == (_digest(found.head), _digest(found.tail))

    def same_file(self, path: str) -> bool:
        """Return whether a path leads to the same file, with any content."""
        found = os.stat(path)
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


class RowsRead:
    """The first and the last rows read from a non-text file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        found = os.stat(path)
        self._device, self._inode = found.st_dev, found.st_ino
        self._head = self._tail = b""

    @staticmethod
    def enough(width: int) -> int:
        """Return the number of rows that fill a block."""
        return -(-BLOCK // (8 * width))

    def add(self, rows: NDArray[np.float64]) -> None:
        """Add the next rows."""
        enough = self.enough(rows.shape[1])
        self._head += rows[:enough].tobytes()[: BLOCK - len(self._head)]
        self._tail = (self._tail + rows[-enough:].tobytes())[-BLOCK:]

    def and_then(self, rows: NDArray[np.float64]) -> FilePart:
        """Return the part that includes some more rows."""
        more = copy(self)
        more.add(rows)
        return more.part()

    def part(self) -> FilePart:
        """Return the part read so far."""
        return FilePart(self._device, self._inode, self._head, self._tail)


def tail(path: str | os.PathLike[str] | None, offset: int) -> str:
    """Return the digest of the last bytes before an offset."""
    if path is None or not os.path.isfile(path):
        return PIPE
    begin = max(0, offset - BLOCK)
    with open(path, "rb") as content:
        content.seek(begin)
        return _digest(content.read(offset - begin))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
