"""Where the commands write, and how they end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

#: Results. Progress and messages go to ``notes``, so that results can be piped.
results = Console()
notes = Console(stderr=True, soft_wrap=True)

BAD_DATA, INTERRUPTED = 3, 130


@contextmanager
def ends_well() -> Iterator[None]:
    """One sentence instead of a traceback, and an exit code that tells what happened."""
    try:
        yield
    except KeyboardInterrupt:
        notes.print("interrupted; what was finished is kept")
        raise typer.Exit(INTERRUPTED) from None
    except ValueError as error:
        notes.print(f"phida: {error}", style="red", markup=False, highlight=False)
        raise typer.Exit(BAD_DATA) from None
