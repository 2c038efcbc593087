"""The table of contents of the command line."""

from __future__ import annotations

import typer

from phida.cli import console
from phida.cli.convert import convert
from phida.cli.inspect import inspect
from phida.cli.merge import merge
from phida.cli.models import fit, predict, update
from phida.cli.options import Debug, Version
from phida.cli.pictures import plot, report
from phida.cli.serve import serve
from phida.cli.stream import stream

app = typer.Typer(
    name="phida",
    help="Online clustering of numeric streams, with no K and nothing to tune.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
for command in (fit, update, predict, stream, serve, inspect, plot, report, convert, merge):
    app.command()(command)


@app.callback()
def root(version: Version = False, debug: Debug = False) -> None:
    """Online clustering of numeric streams, with no K and nothing to tune."""
    console.debug = debug
