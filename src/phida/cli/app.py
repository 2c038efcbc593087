"""The table of contents of the command line. A command is imported when it is used, so that help comes at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from phida.cli.options import Debug, Version

#: Per command: its module, and the first line of its description.
COMMANDS = {
    "fit": ("models", "Learn a model from a file, afresh."),
    "update": ("models", "Go on learning with more rows; a model that fails on the way stays as it was."),
    "predict": ("models", "Give every row its cluster; the model does not change."),
    "stream": ("stream", "Learn and label rows as they come; every row comes out with its number and its cluster."),
    "serve": ("serve", "Learn a stream and show it live, on a page for the browser."),
    "inspect": ("inspect", "Show what a model has learned: clusters, their sizes and their most telling features."),
    "plot": ("pictures", "Draw a model: nodes, profile, lineage, persistence, hierarchy, history; a file each."),
    "report": ("pictures", "Write one page about a model and what it makes of some data; the model does not change."),
    "convert": ("convert", "Write data in another format, or a model as JSON or npz for other programs to read."),
    "merge": ("merge", "Make one model of several, approximately: rows drawn from their nodes are learned afresh."),
}


class Commands(TyperGroup):
    """Commands that are imported one by one."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; no more than its description while all are listed."""
        if cmd_name not in COMMANDS:
            return None
        module, described = COMMANDS[cmd_name]
        one = typer.Typer(add_completion=False, context_settings=_SETTINGS, pretty_exceptions_enable=False)
        one.command(cmd_name, help=described if self._listing else None)(
            _nothing if self._listing else getattr(import_module(f"phida.cli.{module}"), cmd_name)
        )
        return typer.main.get_command(one)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """As ever, without importing the commands."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def _nothing() -> None:
    """Stand in for a command in a list."""


_SETTINGS = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Commands,
    name="phida",
    help="Online clustering of numeric streams, with no K and nothing to tune.",
    no_args_is_help=True,
    context_settings=_SETTINGS,
    pretty_exceptions_enable=False,
)


@app.callback()
def root(version: Version = False, debug: Debug = False) -> None:
    """Online clustering of numeric streams, with no K and nothing to tune."""
    from phida.cli import console

    console.debug = debug
