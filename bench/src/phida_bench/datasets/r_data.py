"""Read data frames of R packages: ``.rda`` files in R's binary format, versions 2 and 3."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zlib
from typing import Any

import numpy as np

_SYMBOL, _PAIRS, _TEXT, _LOGICAL, _INTEGER, _REAL, _TEXTS, _LIST = 1, 2, 9, 10, 13, 14, 16, 19
_REFERENCE, _NOTHING = 255, 254
_TYPES = {_LOGICAL: ">i4", _INTEGER: ">i4", _REAL: ">f8"}


def data_frame(content: bytes) -> dict[str, tuple[np.ndarray[Any, Any], list[str] | None]]:
    """Columns of the first data frame of a file by name: values, and the levels if they are codes of a factor."""
    try:
        ((_, (columns, facts)), *_) = _Reader(_uncompressed(content)).pairs_of_file()
        return {name: (values, own.get("levels")) for name, (values, own) in zip(facts["names"], columns, strict=True)}
    except (struct.error, KeyError, TypeError, IndexError, EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"the file is not a data frame of R ({error!r})") from error


def _uncompressed(content: bytes) -> bytes:
    for magic, open_ in ((b"\xfd7zXZ", lzma.decompress), (b"\x1f\x8b", gzip.decompress), (b"BZh", bz2.decompress)):
        if content.startswith(magic):
            return open_(content)
    return content


class _Reader:
    """Reads consecutive values. A value with attributes is returned as a pair (value, attributes)."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0
        self.symbols: list[str] = []

    def pairs_of_file(self) -> list[tuple[str, Any]]:
        start = self.take(7)
        if start not in (b"RDX2\nX\n", b"RDX3\nX\n"):
            raise ValueError("the file is not one of R's")
        self.take(12)  # versions of the format and of R
        if start[3:4] == b"3":
            self.take(self.number())  # native encoding
        return self.value()  # type: ignore[no-any-return]

    def take(self, count: int) -> bytes:
        self.place += count
        if count < 0 or self.place > len(self.content):
            raise EOFError("it ends too early")
        return self.content[self.place - count : self.place]

    def number(self) -> int:
        return int(struct.unpack(">i", self.take(4))[0])

    def value(self) -> Any:
        flags = self.number()
        kind, has_attributes = flags & 0xFF, bool(flags & 0x200)
        if kind == _NOTHING:
            return []
        if kind == _PAIRS:
            found = []
            while kind != _NOTHING:  # the attributes of a pair list are not needed
                if flags & 0x200:
                    self.value()
                tag = self.value() if flags & 0x400 else ""
                found.append((tag, self.value()))
                flags = self.number()
                kind = flags & 0xFF
            return found
        if kind == _SYMBOL:
            self.symbols.append(self.value())
            return self.symbols[-1]
        if kind == _REFERENCE:
            return self.symbols[(flags >> 8 or self.number()) - 1]
        if kind == _TEXT:
            length = self.number()
            return "" if length == -1 else self.take(length).decode("utf-8", "replace")
        if kind not in (*_TYPES, _TEXTS, _LIST):
            raise ValueError(f"R's type {kind} is not read")
        length = self.number()
        if kind in _TYPES:
            stored = np.dtype(_TYPES[kind])
            value: Any = np.frombuffer(self.take(length * stored.itemsize), stored).astype(stored.newbyteorder("="))
        else:
            value = [self.value() for _ in range(length)]
        attributes = dict(self.value()) if has_attributes else {}
        if kind == _TEXTS:
            return value
        return value, {name: held if isinstance(held, list) else held[0] for name, held in attributes.items()}
