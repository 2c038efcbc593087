"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phida import __version__


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        typer.echo(f"{context.command.name} {__version__}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks.")]
Data = Annotated[str, typer.Argument(help="CSV, TSV, NDJSON, Parquet, Arrow IPC, npy or npz; - is standard input.")]
Model = Annotated[Path, typer.Argument(help="A model that phida fit, update or stream wrote.", dir_okay=False)]
Format = Annotated[str | None, typer.Option(help="Format of the data, where its suffix does not tell.")]
Delimiter = Annotated[str | None, typer.Option(help="What stands between the fields of CSV, if not a comma.")]
Columns = Annotated[str | None, typer.Option(help="The features, with commas between.")]
Exclude = Annotated[str | None, typer.Option(help="Columns to leave out, with commas between.")]
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
    """Names with commas between."""
    return () if text is None else tuple(name.strip() for name in text.split(",") if name.strip())
