"""``phida plot`` and ``phida report``. Optional dependencies are imported when the commands run."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from phida._cli import inputs, methods, options
from phida._cli.console import counting, errors_as_messages, print_json, say
from phida._pipeline import Pipeline, Score


def plot(
    model: options.Model,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write the pictures to.", file_okay=False)],
    format: Annotated[str, typer.Option(help="Picture format: png or svg.")] = "png",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Plot a model's nodes, profile, lineage, persistence, hierarchy and history, one file each.

    Example: phida plot flowers.safetensors --out pictures/
    """
    with errors_as_messages():
        from phida.estimators import load
        from phida.plots.gallery import FORMATS, rendered

        if format not in FORMATS:
            raise typer.BadParameter(f"--format takes {' or '.join(FORMATS)}, not {format!r}.")
        found = load(model)
        out.mkdir(parents=True, exist_ok=True)
        written = []
        for picture in rendered(found, format):
            path = out / f"{picture.name}.{format}"
            with inputs.writable(path) as file:
                file.write(picture.data)
            written.append(str(path))
            if not as_json:
                say(f"{path}: {picture.title}", quiet=quiet)
        if as_json:
            print_json({"pictures": written})


@options.with_shared
def report(
    model: options.Model,
    data: options.Data,
    out: Annotated[Path, typer.Option("--out", "-o", help="HTML file to write.", dir_okay=False)],
    given: options.Input = options.INPUT,
    label: options.Label = None,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    quiet: options.Quiet = False,
) -> None:
    """Write an HTML report on a model and its clusters in a data file. The model does not change.

    Example: phida report flowers.safetensors more_flowers.csv --label species -o report.html
    """
    with errors_as_messages(), ExitStack() as stack:
        from phida._report import DataSummary, contents, html
        from phida.estimators import load
        from phida.plots.gallery import rendered

        inputs.check_targets(data, out, bad_row_log, model=model)
        bad = stack.enter_context(inputs.bad_rows(data, on_bad_row, bad_row_log))
        found = Pipeline.load(model)
        source = inputs.source(data, given, label, model=found)
        progress = stack.enter_context(counting("rows", quiet=quiet))
        summary = DataSummary()
        score = Score()
        _, batches = stack.enter_context(inputs.prepared(source, found, bad, progress))
        for taken in batches:
            labels = taken.labels()
            summary.add(labels, found.scores(taken.rows), taken.batch.truth)
            if label is not None:
                score.add(taken.batch.truth, labels)
        summary.bad_rows = bad.count
        if score.pairs:
            summary.scores = score.values()
        drawn = load(model)  # with its feature names
        told = contents(drawn, summary, f"{model.name} on {'standard input' if data == '-' else Path(data).name}")
        page = html(told, rendered(drawn, "svg"), rendered(drawn, "svg", dark=True))
        with inputs.writable(out) as file:
            file.write(page.encode())
        rows, clusters = methods.counted({"rows": summary.rows}), methods.counted({"clusters": drawn.n_clusters_})
        say(f"{rows} in {clusters}. Report: {out}", quiet=quiet)
