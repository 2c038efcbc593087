"""Options that several commands share."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from phida import __version__

        typer.echo(f"{context.command.name} {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]
Data = Annotated[str, typer.Argument(help="CSV, TSV, NDJSON, Parquet, Arrow IPC, npy or npz; - is standard input.")]
Model = Annotated[Path, typer.Argument(help="A model that phida fit, update or stream wrote.", dir_okay=False)]
Format = Annotated[str | None, typer.Option(help="Format of the data, where its suffix does not tell.")]
Delimiter = Annotated[str | None, typer.Option(help="CSV delimiter (default: detected).")]
Decimal = Annotated[str, typer.Option(help="Decimal separator of CSV.")]
Thousands = Annotated[str | None, typer.Option(help="Thousands separator of CSV (default: none).")]
Encoding = Annotated[str, typer.Option(help="Encoding of CSV: utf-8, cp1252, latin-1 and others that Python knows.")]
Columns = Annotated[str | None, typer.Option(help="The features, with commas between.")]
Exclude = Annotated[str | None, typer.Option(help="Columns to leave out, with commas between.")]
Convert = Annotated[
    str | None, typer.Option(help="Columns of dates (as days since 1970) or booleans (as 0 and 1) to learn.")
]
Impute = Annotated[
    str | None, typer.Option(help="Missing values: median or mean of earlier rows fills them; drop skips their rows.")
]
Label = Annotated[str | None, typer.Option(help="Column with true classes: never learned, scored against.")]
Method = Annotated[str | None, typer.Option(help="phida+ (default), or phida: the published method.")]
Level = Annotated[
    str | None, typer.Option(help="Clusters of PHIDA+: groups (default), or parts, which also divide what has no gap.")
]
MaxNodes = Annotated[int | None, typer.Option(min=3, help="Most nodes; PHIDA+ only.")]
HalfLife = Annotated[float | None, typer.Option(help="Rows after which a row counts half; PHIDA+ only.")]
OnBadRow = Annotated[str, typer.Option(help="fail, skip, or log: what to do with a row that cannot be read.")]
BadRowLog = Annotated[Path | None, typer.Option(help="Where such rows go with --on-bad-row log.", dir_okay=False)]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no messages but errors.")]


def names(text: str | None) -> tuple[str, ...]:
    """Names with commas between; one that has a comma itself stands in double quotes."""
    if text is None:
        return ()
    found = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(name.strip() for name in found if name.strip())
