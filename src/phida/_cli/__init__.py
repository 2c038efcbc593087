"""The ``phida`` command: one module per command or group of commands."""

from __future__ import annotations

import os
import sys
from importlib import import_module

#: Exit code after Ctrl-C.
INTERRUPTED = 130


def main() -> None:
    """Run the command ``phida``."""
    # NumPy starts a thread per core for matrix products, which no command needs; that takes 50 ms of processor time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run("phida._cli.app", install='"phida[cli]"')


def run(module: str, install: str) -> None:
    """Run the command line of a module; if its packages are missing, print how to install them."""
    try:
        app = import_module(module).app
        app()
    except KeyboardInterrupt:  # during an import; a running command prints its own message
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.exit(f"phida: the command line needs typer: pip install {install}")
