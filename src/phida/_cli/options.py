"""Options that several commands share."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer

from phida._parameters import PLUS, Declaration

C = TypeVar("C", bound=Callable[..., None])


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from phida import __version__

        typer.echo(f"{context.command.name} {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")]
Data = Annotated[
    str, typer.Argument(help="Data file (CSV, TSV, NDJSON, Parquet, Arrow IPC, npy, npz); - for standard input.")
]
Model = Annotated[
    Path, typer.Argument(help="Model file that phida fit, update, stream or merge wrote.", dir_okay=False)
]
Format = Annotated[str | None, typer.Option(help="Input format (default: from the suffix; of -, csv or ndjson).")]
Delimiter = Annotated[str | None, typer.Option(help="CSV delimiter (default: detected).")]
Decimal = Annotated[str, typer.Option(help="CSV decimal separator.")]
Thousands = Annotated[str | None, typer.Option(help="CSV thousands separator (default: none).")]
Encoding = Annotated[str, typer.Option(help="CSV encoding, such as utf-8, cp1252 or latin-1.")]
Columns = Annotated[str | None, typer.Option(help="Feature columns, separated by commas (default: all).")]
Exclude = Annotated[str | None, typer.Option(help="Columns to leave out, separated by commas.")]
Convert = Annotated[
    str | None, typer.Option(help="Date columns (as days since 1970) and boolean columns (as 0 or 1) to use.")
]
Categories = Annotated[
    str | None,
    typer.Option(
        help="Category columns to learn, as COLUMN or COLUMN=WEIGHT, separated by commas; numbers are then scaled to a "
        "standard deviation of 1, and two categories are WEIGHT (1) apart (PHIDA+ only)."
    ),
]
Impute = Annotated[
    str | None, typer.Option(help="Missing values: median or mean (of earlier rows), or drop (skip the row).")
]
Label = Annotated[str | None, typer.Option(help="Column with the true classes, used for scores only.")]
Method = Annotated[str | None, typer.Option(help="Clustering method: phida+ (default) or phida (published).")]
Jobs = Annotated[
    int | None,
    typer.Option(
        help="Threads that learn 8 parts, which are merged; -1: one per core (PHIDA+ only; default: no parts)."
    ),
]
Ids = Annotated[bool, typer.Option("--ids", help="Write lasting cluster ids instead of labels.")]
OnBadRow = Annotated[str, typer.Option(help="Action for rows that cannot be read: fail, skip or log.")]
BadRowLog = Annotated[Path | None, typer.Option(help="File for bad rows, with --on-bad-row log.", dir_okay=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


@dataclass(frozen=True)
class Input:
    """The options for the format and the columns of an input."""

    format: Format = None
    delimiter: Delimiter = None
    decimal: Decimal = "."
    thousands: Thousands = None
    encoding: Encoding = "utf-8"
    columns: Columns = None
    exclude: Exclude = None


#: The options of an input that are not set.
INPUT = Input()


def names(text: str | None) -> tuple[str, ...]:
    """Split comma-separated names; a name with a comma is quoted with double quotes."""
    if text is None:
        return ()
    found = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(name.strip() for name in found if name.strip())


def weights(text: str | None) -> dict[str, float]:
    """Split comma-separated names with weights, such as plan=2,region; without a weight, it is 1."""
    found = {}
    for name in names(text):
        column, mark, weight = name.rpartition("=")
        try:
            value = float(weight) if mark else 1.0
        except ValueError:
            raise typer.BadParameter(f"--categories takes COLUMN=WEIGHT, and {weight!r} is not a number.") from None
        if not 0 < value < 1e140:
            raise typer.BadParameter(f"--categories takes weights above 0, not {weight}.")
        found[column if mark else name] = value
    return found


def option_name(parameter: str) -> str:
    """Return the option of a parameter."""
    return f"--{parameter.replace('_', '-')}"


def with_shared(command: C) -> C:
    """Add options to a command: those of an input, passed as ``given``, and those of PHIDA+, as ``parameters``."""
    found = []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if parameter.name == "given":
            types = get_type_hints(Input, include_extras=True)
            found += [_keyword(one.name, types[one.name], one.default) for one in fields(Input)]
        elif parameter.name != "parameters":
            found.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        if parameter.name == "method":
            found += [_option(one) for one in PLUS.values() if one.option]

    @wraps(command)
    def run(**options: Any) -> None:
        command(given=Input(**{one.name: options.pop(one.name) for one in fields(Input)}), **options)

    run.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
    return cast(C, run)


def _option(one: Declaration) -> inspect.Parameter:
    bounds: dict[str, Any] = {"min": one.least, "max": one.most} if one.type is int else {}
    default = "" if one.default is None else f"; default: {one.default}"
    choices = f": {', '.join(one.choices)} or none" if one.choices else ""
    option = typer.Option(help=f"{one.summary}{choices} (PHIDA+ only{default}).", **bounds)
    return _keyword(one.name, Annotated[one.type | None, option], None)


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
