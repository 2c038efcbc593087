"""The memory that a method may use, and the error if that is not enough."""

from __future__ import annotations

import math
import os


class DoesNotFit(MemoryError):
    """A method would need more memory than it may use.

    Parameters
    ----------
    method : str
        Name of the method.
    needed, allowed : int
        Bytes.
    """

    def __init__(self, method: str, needed: int, allowed: int) -> None:
        super().__init__(method, needed, allowed)
        self.method = method
        self.needed = needed
        self.allowed = allowed

    def __str__(self) -> str:
        return (
            f"{self.method} would need {_readable(self.needed)} for these rows and may use {_readable(self.allowed)}. "
            "Give it fewer rows, raise max_memory, or use a machine with more memory."
        )


def allowed_memory(max_memory: int | None) -> float:
    """Return the bytes that a method may use: those given, or the physical memory if the system reports it."""
    if max_memory is not None:
        return max_memory
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else math.inf


def require(method: str, needed: int, max_memory: int | None) -> None:
    """Raise :class:`DoesNotFit` if a method needs more bytes than it may use."""
    allowed = allowed_memory(max_memory)
    if needed > allowed:
        raise DoesNotFit(method, needed, int(allowed))


def _readable(size: int) -> str:
    """Return a number of bytes as text, in the largest unit that fits at least once."""
    units = ("bytes", "KiB", "MiB", "GiB", "TiB")
    power = min((max(size, 1).bit_length() - 1) // 10, len(units) - 1)
    return f"{size} bytes" if power == 0 else f"{size / 1024**power:.1f} {units[power]}"
