"""``phida merge``: one model from several."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from phida import state_file
from phida._cli import methods, options
from phida._cli.console import errors_as_messages, print_json, say
from phida._model import PLUS, PUBLISHED, Model, from_file
from phida._validation import Columns


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
        (merged, parameters), *others = [_loaded(path) for path in models]
        merged.merge([other for other, _ in others], [str(path) for path in models[1:]])
        state_file.replace(out, merged.content(parameters, merged.features.names, None))
        reading = merged.reading()
        counts = {"clusters": reading.n_clusters, "nodes": reading.n_nodes}
        if as_json:
            print_json({"models": len(models), "samples": merged.n_seen, **counts, "model": str(out)})
            return
        merged_models = methods.counted({"models": len(models)})
        rows = methods.counted({"rows": merged.n_seen})
        say(f"{merged_models} merged, of {rows}: {methods.counted(counts)}. Model: {out}", quiet=quiet)


def _loaded(path: Path) -> tuple[Model[Columns], dict[str, Any]]:
    model, parameters = from_file(path, *state_file.read(path), PLUS, PUBLISHED)
    if not model.method.merges:
        raise ValueError(f"{path} is a model of phida, the published method; only models of phida+ can be merged.")
    return model, parameters
