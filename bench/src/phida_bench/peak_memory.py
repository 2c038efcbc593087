"""Memory of a trial: the peak of the process since the trial began, minus its memory at that time."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil

_STATUS = Path("/proc/self/status")


def restart() -> int:
    """Forget earlier peaks, if the system can; return the bytes in use."""
    with suppress(OSError):  # other systems: the peak then covers earlier trials of the process too
        Path("/proc/self/clear_refs").write_text("5")
    return int(psutil.Process().memory_info().rss)


def since(before: int) -> int | None:
    """Return the bytes of the peak beyond ``before``; None if the system does not report them."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    peaks = [int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
    return max(peaks[0] - before, 0) if peaks else None
