"""Input of the commands: sources, bad rows, and a pass over a file."""

from __future__ import annotations

import io
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import typer

from phida._cli.options import Input, names
from phida._missing import RULES
from phida._pipeline import BadRows, Pipeline, Taken
from phida._streams.address import is_address
from phida._streams.batch import Batch, DataError, RowReader
from phida._streams.columns import Selection
from phida._streams.dialect import Dialect
from phida._streams.lines import Signals
from phida._streams.opening import FORMATS, NAMELESS, Source, format_of, opened
from phida._threads import ahead

#: Rows of a batch, for commands whose labels do not depend on batches.
BATCH = 10_000


def source(
    data: str,
    given: Input,
    label: str | None = None,
    convert: str | None = None,
    model: Pipeline | None = None,
    impute: str | None = None,
    categories: Iterable[str] = (),
) -> Source:
    """Return the source that the options describe.

    A model with feature names selects the columns by name, if the format has names. The model also defines conversions
    and the handling of missing values.
    """
    dialect = _dialect(given)
    if impute is not None and impute not in RULES:
        raise typer.BadParameter(f"--impute takes {', '.join(RULES)}, not {impute!r}.")
    imputer = None if model is None else model.preparation.imputer
    kept = None if imputer is None else imputer.rule
    if None not in (kept, impute) and kept != impute:
        raise typer.BadParameter(f"the model was started with --impute {kept}, which cannot change.")
    if given.format is not None and given.format not in FORMATS:
        raise typer.BadParameter(f"unknown format {given.format!r}; choose one of {', '.join(FORMATS)}.")
    chosen = names(given.columns)
    if model is not None and model.names is not None and not chosen and format_of(data, given.format) not in NAMELESS:
        chosen = model.columns or ()
    converted = {**dict.fromkeys(names(convert)), **({} if model is None else model.preparation.conversions)}
    encoded = tuple(categories) if model is None else model.categories
    keep = (impute or kept) is not None or bool(encoded)
    selection = Selection(chosen, names(given.exclude), label, converted, categories=encoded, keep_missing=keep)
    return Source(data, given.format, selection, dialect=dialect)


def _dialect(given: Input) -> Dialect:
    """Return the CSV dialect that the options describe."""
    named = {"tab": "\t", "\\t": "\t", "space": " "}
    try:
        return Dialect(
            named.get(given.delimiter or "", given.delimiter), given.decimal, given.thousands, given.encoding
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def check_targets(data: str, *targets: Path | None, model: Path | None = None) -> None:
    """Refuse to overwrite an input, write a file twice, or write to a missing folder, before any file changes."""
    written: set[Path] = set()
    for target in targets:
        if target is None:
            continue
        if str(target) == "-":
            raise typer.BadParameter("- is not a file name here; give the output file a name.")
        if target.is_dir():
            raise typer.BadParameter(f"{target} is a folder; give the name of a file.")
        if not target.parent.is_dir():
            raise OSError(f"folder {target.parent} does not exist; create it first.")
        if target.exists() and os.path.exists(data) and target.samefile(data):
            raise typer.BadParameter(f"{target} is the input; give the output another name.")
        if target.exists() and model is not None and model.exists() and target.samefile(model):
            raise typer.BadParameter(f"{target} is the model; give the output another name.")
        if target.resolve() in written:
            raise typer.BadParameter(f"{target} is the name of two outputs; give each its own name.")
        written.add(target.resolve())


class _NamedFile(io.FileIO):
    """A file whose errors name it: a failing write, for example to a full disk, does not."""

    def write(self, content: Any) -> int:
        with self._named():
            return super().write(content)

    def truncate(self, size: int | None = None) -> int:
        with self._named():
            return super().truncate(size)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = os.fspath(self.name)
            raise


def writable(path: Path, *, keep: bool = False) -> IO[bytes]:
    """Open an output; its earlier content is kept or removed."""
    return io.BufferedRandom(_NamedFile(path, "r+")) if keep else io.BufferedWriter(_NamedFile(path, "w"))


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Open a file that replaces another one when it is complete or ends before a bad row."""
    if path.exists() and not path.is_file():  # renaming would replace a device or a pipe
        with writable(path) as file:
            yield file
        return
    target = path.resolve()
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            with writable(part) as file:
                yield file
        except DataError:
            os.replace(part, target)
            raise
        os.replace(part, target)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == os.fspath(part):
            error.filename = os.fspath(path)
        raise


def standard_output() -> IO[bytes]:
    """Return standard output as a binary file."""
    if sys.stdout is None:
        raise OSError("standard output is closed; pass --output FILE.")
    return sys.stdout.buffer


@contextmanager
def bad_rows(
    data: str, action: str, log: Path | None, output: Path | None = None, *, offset: int = 0
) -> Iterator[BadRows]:
    """Check the options for bad rows, and open their log; a resumed log continues at an offset."""
    if action not in ("fail", "skip", "log"):
        raise typer.BadParameter(f"--on-bad-row takes fail, skip or log, not {action!r}.")
    if (action == "log") != (log is not None):
        raise typer.BadParameter("--on-bad-row log and --bad-row-log FILE go together.")
    check_targets(data, output, log)
    if log is None:
        if offset:
            raise typer.BadParameter(
                "the stream was started with --on-bad-row log, which cannot change; pass it again."
            )
        yield BadRows(action)
        return
    with continued(log, offset) as file:
        yield BadRows(action, file)


@contextmanager
def continued(path: Path, offset: int) -> Iterator[IO[bytes]]:
    """Open a file to write from an offset; truncate it there."""
    if offset and (not path.is_file() or path.stat().st_size < offset):
        raise ValueError(
            f"{path} is not the file that the stream was started with; use that one, or another --checkpoint."
        )
    with writable(path, keep=bool(offset)) as file:
        if offset:
            file.truncate(offset)
            file.seek(offset)
        yield file


@contextmanager
def batches(
    source: Source,
    bad: BadRows,
    progress: Callable[[int, int], None],
    notify: Callable[[str], None] = lambda sentence: None,
    *,
    signals: Signals | None = None,
) -> Iterator[tuple[RowReader, Iterator[Batch]]]:
    """Open a file as batches, read ahead in a thread; Ctrl-C stops between batches."""
    if is_address(source.path):
        raise DataError("a topic has no end; use phida stream or phida serve.")
    signals = signals or Signals()
    with (
        signals.caught(),
        opened(source, signals, notify) as reader,
        ahead(reader.batches(BATCH), 0 if source.is_pipe else 1) as batches,
    ):

        def each() -> Iterator[Batch]:
            for read in bad.passed(batches):
                yield read
                progress(len(read), read.place.offset)
                signals.check()

        yield reader, each()


@contextmanager
def prepared(
    source: Source, model: Pipeline, bad: BadRows, progress: Callable[[int, int], None]
) -> Iterator[tuple[RowReader, Iterator[Taken]]]:
    """Open a file as batches for a model that does not learn, without empty ones."""
    with batches(source, bad, progress) as (reader, read):
        model.begin(reader.names, reader.features)
        yield reader, (taken for taken in map(model.prepared, read) if len(taken.batch))
