"""``phida inspect``: what a model has learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from phida import state_file
from phida.answers.profile import named_features
from phida.answers.summary import Summary
from phida.cli import methods, options
from phida.cli.console import errors_as_messages, print_json, results
from phida.estimators import PHIDA, PHIDAPlus, load


def inspect(model: options.Model, as_json: options.Json = False) -> None:
    """Show a model's clusters, their sizes and their most distinctive features.

    Example: phida inspect flowers.safetensors
    """
    with errors_as_messages():
        found, (state, header) = load(model), state_file.read(model)
        if as_json:
            print_json(_facts(found, state, header))
            return
        results.print(found.summary(), markup=False, highlight=False, soft_wrap=True)
        results.print()
        for name, value in _file(found, state, header).items():
            results.print(f"{name:>11}  {value}", markup=False, highlight=False, soft_wrap=True)


def _facts(model: PHIDA | PHIDAPlus, state: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    """Everything that is shown, as plain values."""
    found = Summary.of(model).plain()
    return {
        "method": methods.method_of(model),
        "samples": model.n_samples_seen_,
        "features": list(named_features(getattr(model, "feature_names_in_", None), model.n_features_in_)),
        "nodes": model.n_nodes_,
        "n_clusters": model.n_clusters_,
        "clusters": found.pop("found"),
        **found,
        **(_published(model) if isinstance(model, PHIDA) else {}),
        "parameters": model.get_params(),
        "bytes": _size(state),
        "format_version": header["format_version"],
        "library_version": header["library_version"],
        "stream_position": header["stream_position"],
    }


def _published(model: PHIDA) -> dict[str, Any]:
    """What only the published method has."""
    return {
        "active_nodes": model.n_active_nodes_,
        "components": model.n_components_,
        "vigilance": model.vigilance_,
        "interval": model.interval_,
    }


def _file(model: PHIDA | PHIDAPlus, state: dict[str, Any], header: dict[str, Any]) -> dict[str, str]:
    """What is in the file besides the clusters."""
    shown = {}
    if isinstance(model, PHIDA):
        shown["nodes"] = f"{model.n_active_nodes_:,} active, in {model.n_components_:,} components"
        shown["vigilance"] = f"{model.vigilance_:.4f}, adjusted every {model.interval_} samples"
    shown["memory"] = f"{_size(state) / 1024:,.1f} KiB"
    shown["written by"] = f"phida {header['library_version']}, format {header['format_version']}"
    if header["stream_position"] is not None:
        shown["stream"] = f"next row {header['stream_position']['row']:,}"
    return shown


def _size(state: dict[str, Any]) -> int:
    return int(sum(value.nbytes for value in state.values() if isinstance(value, np.ndarray)))
