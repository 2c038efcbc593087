"""From what a user typed to rows: sources, bad rows, and a pass over a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import typer

from phida.cli.options import names
from phida.streams.address import is_address
from phida.streams.batch import Batch, DataError, RowReader
from phida.streams.columns import Selection
from phida.streams.learning import BadRows
from phida.streams.lines import Signals
from phida.streams.model import StreamModel
from phida.streams.opening import FORMATS, NAMELESS, Source, format_of, opened

#: Rows of a batch, where labels do not depend on it.
BATCH = 10_000


def source(
    data: str,
    format: str | None,
    delimiter: str | None,
    columns: str | None,
    exclude: str | None,
    label: str | None,
    model: StreamModel | None = None,
) -> Source:
    """What is to be read; a model that has names chooses the columns by them, where the format has names too."""
    if format is not None and format not in FORMATS:
        raise typer.BadParameter(f"there is no format {format!r}; choose one of {', '.join(FORMATS)}.")
    if delimiter is not None and len(delimiter.encode()) != 1:
        raise typer.BadParameter("--delimiter takes one character.")
    chosen = names(columns)
    if model is not None and model.names is not None and not chosen and format_of(data, format) not in NAMELESS:
        chosen = model.names
    return Source(data, format, Selection(chosen, names(exclude), label), delimiter=delimiter)


def check_targets(data: str, *targets: Path | None, model: Path | None = None) -> None:
    """Refuse to write over an input, twice to one file, or where there is no folder, before anything is touched."""
    written: set[Path] = set()
    for target in targets:
        if target is None:
            continue
        if str(target) == "-":
            raise typer.BadParameter("- is no file; give the output a name.")
        if not target.parent.is_dir():
            raise OSError(f"there is no folder {target.parent}; make it first.")
        if target.exists() and os.path.exists(data) and target.samefile(data):
            raise typer.BadParameter(f"{target} is the input; give the output another name.")
        if target.exists() and model is not None and model.exists() and target.samefile(model):
            raise typer.BadParameter(f"{target} is the model; give the output another name.")
        if target.resolve() in written:
            raise typer.BadParameter(f"{target} is to be written twice; give each output a name of its own.")
        written.add(target.resolve())


def standard_output() -> IO[bytes]:
    """Where results go that are not for people."""
    if sys.stdout is None:
        raise OSError("standard output is closed; give --output FILE.")
    return sys.stdout.buffer


@contextmanager
def bad_rows(
    data: str, action: str, log: Path | None, output: Path | None = None, *, offset: int = 0
) -> Iterator[BadRows]:
    """What becomes of bad rows; a log is continued at an offset. What is to be written is checked first."""
    if action not in ("fail", "skip", "log"):
        raise typer.BadParameter(f"--on-bad-row takes fail, skip or log, not {action!r}.")
    if (action == "log") != (log is not None):
        raise typer.BadParameter("--on-bad-row log and --bad-row-log FILE go together.")
    check_targets(data, output, log)
    if log is None:
        if offset:
            raise typer.BadParameter("the stream was begun with --on-bad-row log; it cannot change on the way.")
        yield BadRows(action)
        return
    with continued(log, offset) as file:
        yield BadRows(action, file)


@contextmanager
def continued(path: Path, offset: int) -> Iterator[IO[bytes]]:
    """A file that is written on from an offset; what stands behind it is written anew."""
    if offset and (not path.is_file() or path.stat().st_size < offset):
        raise ValueError(f"{path} is not the file that the stream was begun with.")
    with path.open("r+b" if offset else "wb") as file:
        file.truncate(offset)
        file.seek(offset)
        yield file


def each_batch(
    source: Source, model: StreamModel | None, bad: BadRows, progress: Callable[[int], None]
) -> Iterator[tuple[RowReader, Batch]]:
    """The batches of a file; Ctrl-C ends it between two of them."""
    if is_address(source.path):
        raise DataError("a topic has no end; learn it with phida stream or phida serve.")
    signals = Signals()
    with signals.caught(), opened(source, signals) as reader:
        if model is not None:
            model.check_width(len(reader.features))
        for batch in reader.batches(BATCH):
            bad.take(batch.bad)
            yield reader, batch
            progress(len(batch))
            signals.check()
