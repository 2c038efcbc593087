"""Records: one file per trial, with its raw output. Metrics and tables use nothing else."""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from phida_bench.protocol import ALL_SETTINGS, Setting

#: Increased when the content of a record changes; trials with records of another format are run again.
FORMAT = 1

_COMMANDS = "commands.txt"

#: File with cells of an earlier run whose trials were not kept: only means and standard deviations.
EARLIER = "earlier_cells.csv"


@dataclass(frozen=True)
class Trial:
    """The identity of a record."""

    setting: Setting
    dataset: str
    method: str
    seed: int

    def path(self, folder: Path) -> Path:
        """Path of the record."""
        return folder / self.setting / self.dataset / self.method / f"{self.seed:03d}.npz"


@dataclass(frozen=True, eq=False)
class Record:
    """The output of one trial."""

    trial: Trial
    status: str
    """ok, failed, timeout, memory or declined."""
    reason: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[NDArray[np.integer[Any]], ...] = ()
    """Labels after each stage, of all rows learned so far, in the order in which they were learned."""
    n_nodes: int | None = None
    n_clusters: int | None = None
    learn_seconds: tuple[float, ...] = ()
    """Seconds per stage, with the end of learning and without prediction."""
    label_seconds: tuple[float, ...] = ()
    peak_memory: int | None = None
    """Peak memory in bytes, minus the memory before the trial."""
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    digest: str = ""
    """Digest of the data set."""
    fixed: str = ""
    """Decisions for the method on details that publications leave open."""
    shuffled: bool = True
    """Whether the order of the rows was drawn by the seed."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def order_seed(self) -> int | None:
        """The seed of the order of the rows; None for the data set's own order."""
        return self.trial.seed if self.shuffled else None


def write(record: Record, folder: Path) -> None:
    """Write a record atomically."""
    path = record.trial.path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {key: value for key, value in asdict(record).items() if key != "labels"} | {"format": FORMAT}
    arrays: dict[str, Any] = {f"stage{i:03d}": _small(labels) for i, labels in enumerate(record.labels)}
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
        try:
            np.savez_compressed(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def read(trial: Trial, folder: Path, *, with_labels: bool = True) -> Record | None:
    """Read a record; None if there is no readable one."""
    try:
        with open(trial.path(folder), "rb") as file, np.load(file, allow_pickle=False) as archive:
            facts = json.loads(archive["facts"].tobytes())
            stages = sorted(name for name in archive.files if name != "facts") if with_labels else ()
            labels = tuple(archive[name] for name in stages)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
    if facts.pop("format", None) != FORMAT:
        return None
    for name in ("learn_seconds", "label_seconds"):
        facts[name] = tuple(facts[name])
    return Record(**facts | {"trial": trial, "labels": labels})


def add_command(command: str, folder: Path) -> None:
    """Save a command that makes records here, once."""
    folder.mkdir(parents=True, exist_ok=True)
    if command not in commands(folder):
        with open(folder / _COMMANDS, "a", encoding="utf-8") as file:
            file.write(command + "\n")


def commands(folder: Path) -> list[str]:
    """The commands that made the records of a folder, in order."""
    path = folder / _COMMANDS
    return path.read_text("utf-8").splitlines() if path.is_file() else []


def pack(folder: Path, archive: Path) -> str:
    """Pack all records of a folder into one compressed file, the same bytes for the same records; return its SHA-256.

    The file also contains tuned parameters, commands, and cells whose trials were not kept.
    """
    names = [trial.path(folder) for trial in trials(folder)]
    names += [*folder.glob("tuned/*/*/*.json"), *(p for p in (folder / _COMMANDS, folder / EARLIER) if p.is_file())]
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT, preset=1) as tar:  # records are already compressed
        for path in sorted(names):
            facts = tarfile.TarInfo(str(path.relative_to(folder)))
            facts.size = path.stat().st_size
            with open(path, "rb") as file:
                tar.addfile(facts, file)
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def earlier_cells(folder: Path) -> pd.DataFrame | None:
    """Cells of an earlier run whose trials were not kept, in the layout of the summary; None if there are none."""
    path = folder / EARLIER
    return pd.read_csv(path, keep_default_na=False, na_values=[""]).fillna({"reason": ""}) if path.is_file() else None


def unpack(archive: Path, folder: Path) -> None:
    """Unpack the records of an archive into a folder."""
    try:
        with tarfile.open(archive, "r:xz") as tar:
            tar.extractall(folder, filter="data")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise ValueError(f"{archive} is not an archive of records ({error}).") from error


def trials(folder: Path) -> Iterator[Trial]:
    """The trials with a record, in order."""
    for path in sorted(folder.glob("*/*/*/*.npz")):
        setting, dataset, method = path.relative_to(folder).parts[:3]
        if setting in ALL_SETTINGS and path.stem.isdigit():
            yield Trial(setting, dataset, method, int(path.stem))


def _small(labels: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Convert labels to the smallest type that holds them."""
    return labels.astype(np.result_type(np.min_scalar_type(labels.min()), np.min_scalar_type(labels.max())))
