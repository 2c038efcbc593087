"""``phida inspect``: a summary of a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import typer

from phida import _core, state_file
from phida._cli import options
from phida._cli.console import errors_as_messages, print_json
from phida._pipeline import Pipeline
from phida.answers.profile import named_features
from phida.answers.summary import Summary


def inspect(model: options.Model, as_json: options.Json = False) -> None:
    """Show a model's clusters, their sizes and their most distinctive features.

    Example: phida inspect flowers.safetensors
    """
    with errors_as_messages():
        content = state_file.read(model)
        found = Pipeline.of_content(model, *content)
        reading = found.model.reading()
        summary = found.summary(reading)
        if as_json:
            print_json(_facts(found, reading, summary, *content))
            return
        described = summary.described(found.settings.method.class_name.rpartition(".")[2], found.n_seen)
        typer.echo(f"{described}\n")
        for name, value in _file(found, *content).items():
            typer.echo(f"{name:>11}  {value}")


def _facts(
    model: Pipeline, reading: _core.Reading, summary: Summary, state: dict[str, Any], facts: dict[str, Any]
) -> dict[str, Any]:
    """Return everything that the command shows, as plain values."""
    found = summary.plain()
    return {
        "method": model.settings.method.name,
        "samples": model.n_seen,
        "features": list(named_features(model.names, summary.clusters.n_features)),
        "nodes": reading.n_nodes,
        "n_clusters": reading.n_clusters,
        "clusters": found.pop("found"),
        **found,
        **_figures(model),
        "parameters": facts["params"],
        "bytes": _size(state),
        "format_version": facts["format_version"],
        "library_version": facts["library_version"],
        "stream_position": facts["stream_position"],
    }


def _figures(model: Pipeline) -> dict[str, Any]:
    """Return the figures that only the model's method has."""
    return {name.removeprefix("n_"): value for name, value in model.model.figures().items()}


def _file(model: Pipeline, state: dict[str, Any], facts: dict[str, Any]) -> dict[str, str]:
    """Return the contents of the file apart from the clusters."""
    shown = {}
    if published := _figures(model):
        shown["nodes"] = f"{published['active_nodes']:,} active, in {published['components']:,} components"
        shown["vigilance"] = f"{published['vigilance']:.4f}, adjusted every {published['interval']} samples"
    shown["memory"] = f"{_size(state) / 1024:,.1f} KiB"
    shown["written by"] = f"phida {facts['library_version']}, format {facts['format_version']}"
    if model.position is not None:
        shown["stream"] = f"next row {model.position['row']:,}"
    return shown


def _size(state: dict[str, Any]) -> int:
    return int(sum(value.nbytes for value in state.values() if isinstance(value, np.ndarray)))
