"""From what a user typed to rows: sources, bad rows, and a pass over a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from phida.cli.options import names
from phida.streams.batch import Batch, RowReader
from phida.streams.columns import Selection
from phida.streams.learning import BadRows
from phida.streams.lines import Signals
from phida.streams.model import StreamModel
from phida.streams.opening import NAMELESS, Source, format_of, opened

#: Rows of a batch, where labels do not depend on it.
BATCH = 10_000


def source(
    data: str, format: str | None, columns: str | None, exclude: str | None, label: str | None, model: Any = None
) -> Source:
    """What is to be read; a model that has names chooses the columns by them, where the format has names too."""
    chosen = names(columns)
    if model is not None and model.names is not None and not chosen and format_of(data, format) not in NAMELESS:
        chosen = model.names
    return Source(data, format, Selection(chosen, names(exclude), label))


@contextmanager
def bad_rows(action: str, log: Path | None, offset: int = 0) -> Iterator[BadRows]:
    """What becomes of bad rows; a log is continued at an offset."""
    if action not in ("fail", "skip", "log"):
        raise typer.BadParameter(f"--on-bad-row takes fail, skip or log, not {action!r}.")
    if (action == "log") != (log is not None):
        raise typer.BadParameter("--on-bad-row log and --bad-row-log FILE go together.")
    if log is None:
        yield BadRows(action)
        return
    with log.open("r+b" if offset else "wb") as file:
        file.truncate(offset)
        file.seek(offset)
        yield BadRows(action, file)


def each_batch(
    source: Source, model: StreamModel | None, bad: BadRows, progress: Callable[[int], None]
) -> Iterator[tuple[RowReader, Batch]]:
    """The batches of a file; Ctrl-C ends it between two of them."""
    signals = Signals()
    with signals.caught(), opened(source, signals) as reader:
        if model is not None:
            model.check_width(len(reader.names or reader.all_names))
        for batch in reader.batches(BATCH):
            bad.take(batch.bad)
            yield reader, batch
            progress(len(batch))
            signals.check()
