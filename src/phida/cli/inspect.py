"""``phida inspect``: what a model has learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from phida import state_file
from phida.answers.profile import Profile
from phida.cli import methods, options
from phida.cli.console import errors_as_messages, print_json, results
from phida.estimators import PHIDA, PHIDAPlus, load

#: Features shown per cluster.
_TELLING = 3


def inspect(model: options.Model, as_json: options.Json = False) -> None:
    """Show a model's clusters, their sizes and their most distinctive features.

    Example: phida inspect flowers.safetensors
    """
    with errors_as_messages():
        facts = summary(load(model), *state_file.read(model))
        if as_json:
            print_json(facts)
        else:
            _show(facts)


def summary(model: PHIDA | PHIDAPlus, state: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    """Everything that is shown, as plain numbers."""
    profile = Profile.of(model)
    clusters = [
        {
            "id": int(profile.id[at]),
            "labels": np.flatnonzero(model.cluster_ids_ == profile.id[at]).tolist(),
            "rows": int(profile.rows[at]),
            "share": float(profile.share[at]),
            "nodes": int(profile.nodes[at]),
            "telling": [
                {
                    "feature": profile.feature_names[j],
                    "center": float(profile.center[at, j]),
                    "deviations": float(profile.deviations[at, j]),
                }
                for j in profile.telling(at, _TELLING)
            ],
        }
        for at in range(len(profile.id))
    ]
    arrays = [value for value in state.values() if isinstance(value, np.ndarray)]
    return {
        "method": methods.method_of(model),
        "samples": model.n_samples_seen_,
        "features": list(profile.feature_names),
        "nodes": model.n_nodes_,
        "n_clusters": model.n_clusters_,
        "clusters": clusters,
        **(_published(model) if isinstance(model, PHIDA) else {}),
        "parameters": model.get_params(),
        "bytes": int(sum(array.nbytes for array in arrays)),
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


def _show(facts: dict[str, Any]) -> None:
    from rich.table import Table

    shown = {
        "method": facts["method"],
        "samples": f"{facts['samples']:,}",
        "features": str(len(facts["features"])),
        "nodes": f"{facts['nodes']:,}",
        "clusters": f"{facts['n_clusters']:,}{_listed(facts)}",
        "memory": f"{facts['bytes'] / 1024:,.1f} KiB",
        "written by": f"phida {facts['library_version']}, format {facts['format_version']}",
    }
    if "components" in facts:
        shown["nodes"] += f" ({facts['active_nodes']:,} active), in {facts['components']:,} components"
        shown["vigilance"] = f"{facts['vigilance']:.4f}, adjusted every {facts['interval']} samples"
    if facts["stream_position"] is not None:
        shown["stream"] = f"next row {facts['stream_position']['row']:,}"
    for name, value in shown.items():
        results.print(f"{name:>11}  {value}", markup=False, highlight=False)
    results.print()
    labels = any(cluster["labels"] != [cluster["id"]] for cluster in facts["clusters"])
    table = Table(box=None)
    for name in ("id", "rows", "nodes", *(["label"] if labels else [])):
        table.add_column(name, justify="right")
    table.add_column("most distinctive features (centre; standard deviations from the mean)")
    for cluster in facts["clusters"]:
        telling = ", ".join(f"{t['feature']} {t['center']:.4g} ({t['deviations']:+.1f})" for t in cluster["telling"])
        now = [", ".join(map(str, cluster["labels"])) or "none"] if labels else []
        table.add_row(str(cluster["id"]), f"{cluster['rows']:,}", str(cluster["nodes"]), *now, telling)
    results.print(table)
    if labels:
        results.print("The column id holds lasting cluster ids. The column label holds what phida predict writes now.")


def _listed(facts: dict[str, Any]) -> str:
    """Which clusters the table has: those with ids, which are others while a split or merge is not confirmed."""
    listed = len(facts["clusters"])
    return "" if listed == facts["n_clusters"] else f"; {listed} are confirmed and listed"
