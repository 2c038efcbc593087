"""The ``phida`` command: one module per command or group of commands."""

from __future__ import annotations

import sys
from importlib import import_module

#: Exit code after Ctrl-C.
INTERRUPTED = 130


def main() -> None:
    """Run the command ``phida``."""
    run("phida._cli.app", install='"phida[cli]"')


def run(module: str, install: str) -> None:
    """Run the command line of a module; if its packages are missing, print how to install them."""
    try:
        app = import_module(module).app
        app()
    except KeyboardInterrupt:  # during an import; a running command prints its own message
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.exit(f"phida: the command line needs typer and rich: pip install {install}")
