"""Checkpoints: the position of a stream, saved with the model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from phida._streams.identity import Identity
from phida.errors import StateFileError

NAME = "model.safetensors"


@dataclass(frozen=True)
class Position:
    """The state that a stream needs to resume, besides the model."""

    row: int = 0
    """Number of the next row."""
    input_offset: int = 0
    """Offset of that row in its file."""
    input_tail: str = ""
    """Digest of the bytes before the offset, which identifies the file; "pipe" for a pipe."""
    input_head: str = ""
    """Digest of the first bytes of the input; empty for pipes and topics."""
    input_head_length: int = 0
    input_device: int = 0
    input_inode: int = 0
    output_offset: int = 0
    output_tail: str = ""
    """Digest of the last bytes of the output."""
    output_format: str = ""
    bad_rows: int = 0
    bad_row_log_offset: int = 0
    events_offset: int = 0
    events_tail: str = "pipe"
    """Digest of the last bytes of the file of events; "pipe" if there is none."""
    ids: bool = False
    """Whether the output has lasting ids instead of labels."""
    topic: str = ""
    """The topic, if the input is one, and the next offset of each of its partitions."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    output_topic: str = ""
    batch: int = 1
    header: tuple[str, ...] = ()

    @classmethod
    def of_file(cls, path: Path, found: Any) -> Self:
        """Restore the position in a model file."""
        try:
            return cls(**{**found, "header": tuple(found["header"])})
        except (KeyError, TypeError) as error:
            raise StateFileError(f"{path} is a model, but not a checkpoint of phida stream.") from error

    @property
    def input(self) -> Identity:
        """Return the digests that identify the file."""
        return Identity(self.input_device, self.input_inode, self.input_head_length, self.input_head, self.input_tail)

    def with_input(self, found: Identity) -> Position:
        """Return the same position with the digests of a file."""
        return replace(
            self,
            input_device=found.device,
            input_inode=found.inode,
            input_head_length=found.head_length,
            input_head=found.head,
            input_tail=found.tail,
        )


@dataclass
class Schedule:
    """Interval of checkpoints, in rows or seconds."""

    rows: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        self._row = 0
        self._time = time.monotonic()

    def start(self, row: int) -> None:
        """Restart the interval."""
        self._row, self._time = row, time.monotonic()

    def due(self, row: int) -> bool:
        """Return whether a checkpoint is due."""
        if self.rows is not None:
            return row - self._row >= self.rows
        return self.seconds is not None and time.monotonic() - self._time >= self.seconds


def every(text: str) -> Schedule:
    """Parse an interval: ``5000`` rows, or ``30s``, ``5m``, ``1h``."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    try:
        if text[-1:] in units:
            schedule = Schedule(seconds=float(text[:-1]) * units[text[-1]])
        else:
            schedule = Schedule(rows=int(text))
    except ValueError:
        raise ValueError(f"--every must be a number of rows (5000) or a time (30s, 5m, 1h), not {text!r}.") from None
    if (schedule.rows or schedule.seconds or 0) <= 0:
        raise ValueError("--every must be positive.")
    return schedule


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder for one run at a time, if the system supports it."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.name != "posix":
        yield
        return
    import fcntl

    for part in folder.glob(f".{NAME}.*.part"):  # from a run that was killed during a write
        part.unlink(missing_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise OSError(
                f"another run is using the checkpoints in {folder}; stop it first, or use another folder."
            ) from error
        yield
