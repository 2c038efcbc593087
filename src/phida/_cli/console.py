"""Output, error messages and exit codes of the commands."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from phida._cli import INTERRUPTED
from phida.errors import StateFileError

FAILURE, BAD_DATA, BAD_MODEL = 1, 3, 4

#: Set by ``phida --debug``: errors are printed with their traceback.
debug = False


def say(text: str, *, quiet: bool = False, color: str | None = None) -> None:
    """Print a message to standard error, so that results can be piped; on a terminal, in a color."""
    if not quiet:
        _progress.erase()
        plain = color is None or os.environ.get("NO_COLOR")
        typer.echo(text if plain else typer.style(text, fg=color), err=True)


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
        say("interrupted")
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
        if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "pyarrow":
            error = ImportError('files are read and written with pyarrow: pip install "phida[cli]"')
        _fail(error, FAILURE)


def _fail(error: BaseException, code: int) -> None:
    if debug:
        raise error
    say(f"phida: {error}", color="red")
    raise typer.Exit(code) from None


class _ProgressLine:
    """The progress line on standard error. ``rich`` has one, but takes 50 ms to import."""

    def __init__(self) -> None:
        self._width = 0
        self._drawn = 0.0

    def show(self, text: str) -> None:
        """Draw the line, at most ten times a second."""
        now = time.monotonic()
        if now - self._drawn >= 0.1:
            self._drawn = now
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def erase(self) -> None:
        """Remove the line, if there is one."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            self._width = 0


_progress = _ProgressLine()


@contextmanager
def counting(
    unit: str, *, quiet: bool, size: Callable[[], int | None] = lambda: None
) -> Iterator[Callable[[int, int], None]]:
    """Show a progress line on a terminal: a count and, if the size of the input is known, percentage and time left.

    The function takes the rows of a batch, and the offset of the next batch in the units of the size.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield lambda count, place: None
        return
    total, begin, rows = size(), time.monotonic(), 0

    def advance(count: int, place: int) -> None:
        nonlocal rows
        rows += count
        seconds = time.monotonic() - begin
        if not total:
            _progress.show(f"{rows:,} {unit} {_clock(seconds)}")
        elif place:
            share = min(1.0, place / total)
            _progress.show(f"{rows:,} {unit} {share:4.0%} {_clock(seconds / share - seconds)} left")

    try:
        yield advance
    finally:
        _progress.erase()


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
