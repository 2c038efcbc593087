"""``phida merge``: models that learned apart become one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phida.cli import options
from phida.cli.console import errors_as_messages, print_json, say
from phida.estimators import PHIDA


def merge(
    models: Annotated[list[Path], typer.Argument(help="Models of the same features.", dir_okay=False)],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the merged model goes.", dir_okay=False)],
    n_samples: Annotated[
        int | None, typer.Option(min=1, help="Rows drawn from the models; else as many as they learned, up to 100,000.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawing.")] = 0,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make one model of several, approximately: rows drawn from their nodes are learned afresh.

    Example: phida merge monday.safetensors tuesday.safetensors -o both.safetensors
    """
    with errors_as_messages():
        merged = PHIDA.merge([PHIDA.load(path) for path in models], n_samples=n_samples, random_state=seed)
        merged.save(out)
        facts = {
            "models": len(models),
            "samples": merged.n_samples_seen_,
            "nodes": merged.n_nodes_,
            "clusters": merged.n_clusters_,
            "model": str(out),
        }
        if as_json:
            print_json(facts)
            return
        say(
            f"{facts['models']} models merged, of {facts['samples']:,} rows: {facts['clusters']} clusters, "
            f"{facts['nodes']} nodes. Model: {out}",
            quiet=quiet,
        )
