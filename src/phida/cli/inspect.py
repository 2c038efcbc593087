"""``phida inspect``: what a model has learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from phida import state_file
from phida.answers.profile import cluster_sizes, deviations, telling
from phida.cli import methods, options
from phida.cli.console import errors_as_messages, print_json, results
from phida.estimators import PHIDA, PHIDAPlus, load

#: Features shown per cluster.
_TELLING = 3


def inspect(model: options.Model, level: options.Level = None, as_json: options.Json = False) -> None:
    """Show what a model has learned: clusters, their sizes and their most telling features.

    Example: phida inspect flowers.safetensors
    """
    with errors_as_messages():
        found = load(model)
        methods.set_level(found, level)
        facts = summary(found, *state_file.read(model))
        if as_json:
            print_json(facts)
        else:
            _show(facts)


def summary(model: PHIDA | PHIDAPlus, state: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    """Everything that is shown, as plain numbers."""
    names = [f"feature {i}" for i in range(model.n_features_in_)]
    names = list(getattr(model, "feature_names_in_", names))
    nodes, centers, ids = model.nodes_, model.cluster_centers_, model.cluster_ids_
    away = deviations(centers, model.moments_)
    sizes = cluster_sizes(vars(nodes), model.n_clusters_)
    clusters = []
    for cluster in range(model.n_clusters_):
        members = nodes.cluster == cluster
        clusters.append(
            {
                "cluster": cluster,
                "id": int(ids[cluster]),
                "nodes": int(members.sum()),
                "support": float(sizes[cluster]),
                "telling": [
                    {"feature": names[j], "center": float(centers[cluster, j]), "deviations": float(away[cluster, j])}
                    for j in telling(away[cluster], _TELLING)
                ],
            }
        )
    arrays = [value for value in state.values() if isinstance(value, np.ndarray)]
    return {
        "method": methods.method_of(model),
        "level": methods.level_of(model),
        "samples": model.n_samples_seen_,
        "features": names,
        "nodes": model.n_nodes_,
        "active_nodes": model.n_active_nodes_,
        "components": model.n_components_,
        "counts": model._counts(),
        "clusters": clusters,
        "vigilance": model.vigilance_,
        "interval": model.interval_,
        "parameters": model.get_params(),
        "bytes": int(sum(array.nbytes for array in arrays)),
        "format_version": header["format_version"],
        "library_version": header["library_version"],
        "stream_position": header["stream_position"],
    }


def _show(facts: dict[str, Any]) -> None:
    from rich.table import Table

    level = facts["level"]
    shown = {
        "method": facts["method"],
        "samples": f"{facts['samples']:,}",
        "features": str(len(facts["features"])),
        "nodes": f"{facts['nodes']:,} ({facts['active_nodes']:,} active)",
        "components": str(facts["components"]),
        "clusters": methods.counted(facts["counts"]) + (f"; {level} are listed" if level else ""),
        "vigilance": f"{facts['vigilance']:.4f}, adjusted every {facts['interval']} samples",
        "memory": f"{facts['bytes'] / 1024:,.1f} KiB",
        "written by": f"phida {facts['library_version']}, format {facts['format_version']}",
    }
    if facts["stream_position"] is not None:
        shown["stream"] = f"next row {facts['stream_position']['row']:,}"
    for name, value in shown.items():
        results.print(f"{name:>11}  {value}", markup=False, highlight=False)
    results.print()
    table = Table(box=None)
    for name in ("cluster", "id", "support", "nodes"):
        table.add_column(name, justify="right")
    table.add_column("most telling features (centre; standard deviations from the mean)")
    for cluster in facts["clusters"]:
        telling = ", ".join(f"{t['feature']} {t['center']:.4g} ({t['deviations']:+.1f})" for t in cluster["telling"])
        table.add_row(
            str(cluster["cluster"]), str(cluster["id"]), f"{cluster['support']:,.0f}", str(cluster["nodes"]), telling
        )
    results.print(table)
