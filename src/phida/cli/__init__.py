"""The ``phida`` command: one module per command or group of commands."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; say what is missing where its packages are not installed."""
    try:
        from phida.cli.app import app
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit('phida: the command line needs typer and rich: pip install "phida[cli]"')
    app()
