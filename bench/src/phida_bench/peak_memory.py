"""How much memory a trial needed: the process' peak since the trial began, beyond what it held then."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

_STATUS = Path("/proc/self/status")


def restart() -> int:
    """Forget earlier peaks, where the system can; answer the bytes held now."""
    with suppress(OSError):  # other systems: the peak then covers earlier trials of the process too
        Path("/proc/self/clear_refs").write_text("5")
    return int(psutil.Process().memory_info().rss)


def since(before: int) -> int | None:
    """Bytes of the peak beyond ``before``; None where the system does not tell."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    peaks = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
    return max(peaks[0] - before, 0) if peaks else None
