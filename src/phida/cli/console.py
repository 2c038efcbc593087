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

from phida.cli import INTERRUPTED
from phida.state_file import StateFileError

#: Results. Progress and messages go to ``notes``, so that results can be piped.
results = Console()
notes = Console(stderr=True, soft_wrap=True)

FAILURE, BAD_DATA, BAD_MODEL = 1, 3, 4

#: Set by ``phida --debug``: errors come with their traceback.
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
def counting(unit: str, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show a progress line with a count, on a terminal."""
    if quiet or not notes.is_terminal:
        yield lambda count: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} " + unit), TimeElapsedColumn())
    with Progress(*columns, console=notes, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda count: bar.advance(task, count)
