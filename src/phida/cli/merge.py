"""``phida merge``: one model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phida.cli import methods, options
from phida.cli.console import errors_as_messages, print_json, say
from phida.estimators import load


def merge(
    models: Annotated[list[Path], typer.Argument(help="Model files with the same features.", dir_okay=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", dir_okay=False)],
    n_samples: Annotated[
        int | None, typer.Option(min=1, help="Rows to sample (default: as many as the models learned, up to 100,000).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the sample.")] = 0,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Merge models approximately: train a new model on rows sampled from their nodes.

    Example: phida merge monday.safetensors tuesday.safetensors -o both.safetensors
    """
    with errors_as_messages():
        loaded = [load(path) for path in models]
        merged = type(loaded[0]).merge(loaded, n_samples=n_samples, random_state=seed)
        merged.save(out)
        counts = merged._counts() | {"nodes": merged.n_nodes_}
        facts = {
            "models": len(models),
            "samples": merged.n_samples_seen_,
            "clusters": merged.n_clusters_,
            **counts,
            "model": str(out),
        }
        if as_json:
            print_json(facts)
            return
        merged_models = methods.counted({"models": len(models)})
        rows = methods.counted({"rows": merged.n_samples_seen_})
        say(f"{merged_models} merged, of {rows}: {methods.counted(counts)}. Model: {out}", quiet=quiet)
