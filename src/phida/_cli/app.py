"""The commands of ``phida``. Each is imported on first use, which keeps ``--help`` fast."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from phida._cli.options import Debug, Version

#: Per command: its module, and the first line of its description.
COMMANDS = {
    "fit": ("models", "Train a new model on a data file."),
    "update": (
        "models",
        "Train a model on more rows. A bad row ends the training; the rows before it are learned and saved.",
    ),
    "predict": ("models", "Predict the cluster of each row. The model does not change."),
    "stream": ("stream", "Learn rows as they arrive, and write each one with its row number and cluster."),
    "serve": ("serve", "Learn a stream and show its clusters live in the browser."),
    "inspect": ("inspect", "Show a model's clusters, their sizes and their most distinctive features."),
    "plot": ("pictures", "Plot a model's nodes, profile, lineage, persistence, hierarchy and history, one file each."),
    "report": (
        "pictures",
        "Write an HTML report on a model and its clusters in a data file. The model does not change.",
    ),
    "merge": ("merge", "Merge models that learned different rows into one."),
}


class Commands(TyperGroup):
    """A group whose commands are imported on first use."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or only its description while the commands are listed."""
        if cmd_name not in COMMANDS:
            return None
        module, described = COMMANDS[cmd_name]
        one = typer.Typer(add_completion=False, context_settings=_SETTINGS, pretty_exceptions_enable=False)
        one.command(cmd_name, help=described if self._listing else None)(
            _nothing if self._listing else getattr(import_module(f"phida._cli.{module}"), cmd_name)
        )
        return typer.main.get_command(one)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


def _nothing() -> None:
    """Do nothing; a placeholder for a listed command."""


_SETTINGS = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Commands,
    name="phida",
    help="Online clustering of numeric streams. The number of clusters is found, not chosen.",
    no_args_is_help=True,
    context_settings=_SETTINGS,
    pretty_exceptions_enable=False,
)


@app.callback()
def root(version: Version = False, debug: Debug = False) -> None:
    """Online clustering of numeric streams. The number of clusters is found, not chosen."""
    from phida._cli import console

    console.debug = debug
