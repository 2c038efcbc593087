"""``phida merge``: one model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phida._cli import methods, options
from phida._cli.console import errors_as_messages, print_json, say
from phida.estimators import PHIDAPlus, load


def merge(
    models: Annotated[list[Path], typer.Argument(help="Model files of PHIDA+ with the same features.", dir_okay=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", dir_okay=False)],
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Merge models that learned different rows into one.

    Example: phida merge monday.safetensors tuesday.safetensors -o both.safetensors
    """
    with errors_as_messages():
        for number, path in enumerate(models):
            if any(path.samefile(other) for other in models[:number] if path.exists() and other.exists()):
                raise ValueError(f"{path} is given twice; its rows would count twice. Name each model once.")
        merged, *others = [_loaded(path) for path in models]
        merged.merge(*others).save(out)
        counts = {"clusters": merged.n_clusters_, "nodes": merged.n_nodes_}
        if as_json:
            print_json({"models": len(models), "samples": merged.n_samples_seen_, **counts, "model": str(out)})
            return
        merged_models = methods.counted({"models": len(models)})
        rows = methods.counted({"rows": merged.n_samples_seen_})
        say(f"{merged_models} merged, of {rows}: {methods.counted(counts)}. Model: {out}", quiet=quiet)


def _loaded(path: Path) -> PHIDAPlus:
    model = load(path)
    if not isinstance(model, PHIDAPlus):
        raise ValueError(f"{path} is a model of phida, the published method; only models of phida+ can be merged.")
    return model
