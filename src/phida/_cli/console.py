"""Output, error messages and exit codes of the commands."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console

from phida._cli import INTERRUPTED
from phida.errors import StateFileError

#: Console for results. Progress and messages go to ``notes``, so that results can be piped.
results = Console()
notes = Console(stderr=True, soft_wrap=True)

FAILURE, BAD_DATA, BAD_MODEL = 1, 3, 4

#: Set by ``phida --debug``: errors are printed with their traceback.
debug = False


def say(text: str, *, quiet: bool = False) -> None:
    """Print a message to standard error."""
    if not quiet:
        notes.print(text, markup=False, highlight=False)


def print_json(facts: Any) -> None:
    """Print a result to standard output as JSON."""
    sys.stdout.write(json.dumps(facts, indent=1) + "\n")


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn errors and warnings into one-line messages, and errors into exit codes."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: say(f"phida: {message}")
            yield
    except KeyboardInterrupt:
        notes.print("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of the pipe has closed it; without this, Python prints an error when it closes standard output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(FAILURE) from None
    except StateFileError as error:
        _fail(error, BAD_MODEL)
    except ValueError as error:
        _fail(error, BAD_DATA)
    except (ImportError, OSError, MemoryError) as error:
        _fail(error, FAILURE)


def _fail(error: BaseException, code: int) -> None:
    if debug:
        raise error
    notes.print(f"phida: {error}", style="red", markup=False, highlight=False)
    raise typer.Exit(code) from None


@contextmanager
def counting(
    unit: str, *, quiet: bool, size: Callable[[], int | None] = lambda: None
) -> Iterator[Callable[[int, int], None]]:
    """Show a progress line on a terminal: a count and, if the size of the input is known, percentage and time left.

    The function takes the rows of a batch, and the offset of the next batch in the units of the size.
    """
    if quiet or not notes.is_terminal:
        yield lambda count, place: None
        return
    from rich.progress import (
        Progress,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    total = size()
    counted = (SpinnerColumn(), TextColumn("{task.fields[rows]:,} " + unit))
    left = (TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*counted, *(left if total else (TimeElapsedColumn(),)), console=notes, transient=True) as bar:
        task = bar.add_task("", total=total, rows=0)
        rows = 0

        def advance(count: int, place: int) -> None:
            nonlocal rows
            rows += count
            bar.update(task, rows=rows, completed=place)

        yield advance
