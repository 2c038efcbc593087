"""The ``phida-bench`` command."""

from __future__ import annotations

from phida._cli import run


def main() -> None:
    """Run the command ``phida-bench``."""
    run("phida_bench.cli.app", install="./bench")
