"""Where the commands write, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

#: Results. Progress and messages go to ``notes``, so that results can be piped.
results = Console()
notes = Console(stderr=True)

USAGE, BAD_DATA, INTERRUPTED = 2, 3, 130


@contextmanager
def ends_well(bad_data: type[Exception] = ValueError) -> Iterator[None]:
    """One sentence instead of a traceback, and an exit code that tells what happened."""
    try:
        yield
    except KeyboardInterrupt:
        notes.print("interrupted; what was finished is kept")
        raise typer.Exit(INTERRUPTED) from None
    except bad_data as error:
        notes.print(f"phida: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(BAD_DATA) from None


def usage(message: str) -> typer.BadParameter:
    """An argument that cannot be used."""
    return typer.BadParameter(message)
