"""``phida serve``: a live page of a stream."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from phida._cli import inputs, methods, options
from phida._cli.console import errors_as_messages, say
from phida._cli.models import warn_of_ids
from phida._pipeline import Pipeline
from phida._streams.address import address_of, is_address
from phida._streams.columns import Selection
from phida._streams.lines import Signals
from phida._streams.opening import Source, opened


@options.with_shared
def serve(
    data: Annotated[
        str | None, typer.Option("--from", help="Data file or topic, as for phida stream; - for standard input.")
    ] = None,
    learn: Annotated[bool, typer.Option("--learn", help="Accept rows from other programs at POST /learn.")] = False,
    model: Annotated[Path | None, typer.Option(help="Model file to start from.", dir_okay=False)] = None,
    save: Annotated[Path | None, typer.Option(help="Model file to write at the end.", dir_okay=False)] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; all but loopback addresses need a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free port.")] = 8750,
    token: Annotated[str | None, typer.Option(envvar="PHIDA_TOKEN", help="Token that visitors must provide.")] = None,
    rate: Annotated[float | None, typer.Option(help="Maximum number of rows to learn per second.")] = None,
    follow: Annotated[bool, typer.Option(help="Keep reading as the file grows or is rotated, like tail -F.")] = False,
    given: options.Input = options.INPUT,
    convert: options.Convert = None,
    impute: options.Impute = None,
    label: options.Label = None,
    method: options.Method = None,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    quiet: options.Quiet = False,
    **parameters: Any,
) -> None:
    """Learn a stream and show its clusters live in the browser.

    Example: tail -f readings.csv | phida serve --from - --save readings.safetensors
    """
    with errors_as_messages(), ExitStack() as stack:
        _check(token, rate)
        if data is None and not learn:
            raise typer.BadParameter("there is no input; pass --from FILE, --learn, or both.")
        if data is None:
            for_reading = {
                "--rate": rate,
                "--follow": follow,
                "--format": given.format,
                "--delimiter": given.delimiter,
                "--decimal": given.decimal != ".",
                "--thousands": given.thousands,
                "--encoding": given.encoding != "utf-8",
                "--convert": convert,
                "--impute": impute,
                "--label": label,
                "--on-bad-row": on_bad_row != "fail",
                "--bad-row-log": bad_row_log,
            }
            if useless := [name for name, value in for_reading.items() if value]:
                raise typer.BadParameter(f"{', '.join(useless)}: only for input from --from; add --from FILE.")
        try:
            from phida._serve.access import is_loopback
            from phida._serve.learning import Learning
            from phida._serve.live import Live
            from phida._serve.server import listen
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "h11"):
                raise
            raise ImportError('phida serve needs Starlette and uvicorn: pip install "phida[serve]"') from error
        if token is None and not is_loopback(host):
            raise typer.BadParameter(
                f"{host} can be reached from other machines; set a --token that visitors must provide."
            )
        inputs.check_targets(data or "", save)
        bad = stack.enter_context(inputs.bad_rows(data or "", on_bad_row, bad_row_log))
        learned = None if model is None else Pipeline.load(model)
        if learned is not None and learned.categories:
            raise typer.BadParameter(f"{model} learned categories, which the page does not show; use phida stream.")
        source = None
        if data is not None:
            source = inputs.source(data, given, label, convert, learned, impute)
        if learned is None:
            learned = methods.new_model(method, parameters)
        methods.check_begun(learned.settings, method, parameters)
        if source is not None:
            if not source.is_pipe:
                _check_columns(source, learned, quiet)
            source = replace(source, follow=follow)
        learning = Learning(
            learned,
            source,
            bad,
            selection=Selection(options.names(given.columns), options.names(given.exclude), label) if learn else None,
            impute=impute,
            rate=rate,
            notify=partial(say, quiet=quiet),
        )
        live = Live(learning, _name(data), token)
        stack.enter_context(Signals().caught())
        listening = stack.enter_context(listen(host, port))
        shown = f"[{host}]" if ":" in host else host
        say(f"http://{shown}:{listening.getsockname()[1]}/ shows the stream; press Ctrl-C to stop", quiet=quiet)
        live.run(listening)
        saved = save is not None and learned.fitted
        if save is not None and saved:
            learned.save(save)
        rows = methods.counted({"rows": learning.progress.rows})
        say(f"{rows} read" + (f"; model: {save}" if saved else ""), quiet=quiet)
        if learning.error is not None:
            raise learning.error


def _check_columns(source: Source, model: Pipeline, quiet: bool) -> None:
    """Check the columns before the page is announced. An empty file is checked later."""
    if os.path.isfile(source.path) and os.path.getsize(source.path) == 0:
        return
    with opened(source) as reader:
        model.begin(reader.names, reader.features)
        first = next(reader.batches(1000), None)
        if first is not None and not source.selection.columns:
            warn_of_ids(reader, first, quiet)


def _name(data: str | None) -> str:
    """Return the name of the stream on the page."""
    if data is None:
        return "POST /learn"
    if is_address(data):
        return address_of(data).topic
    return "standard input" if data == "-" else Path(data).name


def _check(token: str | None, rate: float | None) -> None:
    if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token != ""):
        raise typer.BadParameter("--token must be non-empty printable ASCII, without spaces at either end.")
    if rate is not None and not 0 < rate < float("inf"):
        raise typer.BadParameter(f"--rate must be a positive number of rows per second, not {rate:g}.")
