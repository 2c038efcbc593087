"""``phida serve``: a live page of a stream."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from phida.cli import inputs, methods, options
from phida.cli.console import errors_as_messages, say
from phida.cli.models import warn_of_ids
from phida.streams.address import address_of, is_address
from phida.streams.columns import Selection
from phida.streams.lines import Signals
from phida.streams.model import StreamModel
from phida.streams.opening import Source, opened


def serve(
    data: Annotated[
        str | None, typer.Option("--from", help="A file or topic that phida stream takes; - is standard input.")
    ] = None,
    learn: Annotated[bool, typer.Option("--learn", help="Learn rows that programs send to POST /learn.")] = False,
    model: Annotated[Path | None, typer.Option(help="Begin with this model.", dir_okay=False)] = None,
    save: Annotated[Path | None, typer.Option(help="Where the model goes at the end.", dir_okay=False)] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; one that is not loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8750,
    token: Annotated[str | None, typer.Option(envvar="PHIDA_TOKEN", help="What visitors have to show.")] = None,
    rate: Annotated[float | None, typer.Option(help="Learn at most so many rows a second.")] = None,
    follow: Annotated[bool, typer.Option(help="Go on as the file grows, and with a file that replaces it.")] = False,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    thousands: options.Thousands = None,
    encoding: options.Encoding = "utf-8",
    columns: options.Columns = None,
    exclude: options.Exclude = None,
    convert: options.Convert = None,
    impute: options.Impute = None,
    label: options.Label = None,
    method: options.Method = None,
    level: options.Level = None,
    max_nodes: options.MaxNodes = None,
    half_life: options.HalfLife = None,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    quiet: options.Quiet = False,
) -> None:
    """Learn a stream and show it live, on a page for the browser.

    Example: tail -f readings.csv | phida serve --from - --save readings.safetensors
    """
    with errors_as_messages(), ExitStack() as stack:
        _check(token, rate)
        if data is None and not learn:
            raise typer.BadParameter("there is nothing to learn; give --from FILE, --learn, or both.")
        if data is None:
            for_reading = {
                "--rate": rate,
                "--follow": follow,
                "--format": format,
                "--delimiter": delimiter,
                "--decimal": decimal != ".",
                "--thousands": thousands,
                "--encoding": encoding != "utf-8",
                "--convert": convert,
                "--impute": impute,
                "--label": label,
                "--on-bad-row": on_bad_row != "fail",
                "--bad-row-log": bad_row_log,
            }
            if given := [name for name, value in for_reading.items() if value]:
                raise typer.BadParameter(f"{', '.join(given)}: for rows that are read; add --from.")
        try:
            from phida.serve.access import is_loopback
            from phida.serve.learning import Learning
            from phida.serve.live import Live
            from phida.serve.server import listen
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "h11"):
                raise
            raise ImportError('phida serve needs Starlette and uvicorn: pip install "phida[serve]"') from error
        if token is None and not is_loopback(host):
            raise typer.BadParameter(f"{host} can be reached from elsewhere; give visitors a --token to show.")
        inputs.check_targets(data or "", save)
        bad = stack.enter_context(inputs.bad_rows(data or "", on_bad_row, bad_row_log))
        learned = None if model is None else StreamModel.load(model)
        source = None
        if data is not None:
            dialect = inputs.dialect(delimiter, decimal, thousands, encoding)
            source = inputs.source(data, format, dialect, columns, exclude, label, convert, learned, impute)
        if learned is None:
            learned = methods.new_model(method, level, max_nodes, half_life)
        methods.check_begun(learned, method, max_nodes, half_life)
        methods.set_level(learned, level)
        if source is not None:
            if not source.is_pipe:
                _check_columns(source, learned, quiet)
            source = replace(source, follow=follow)
        learning = Learning(
            learned,
            source,
            bad,
            selection=Selection(options.names(columns), options.names(exclude), label) if learn else None,
            impute=impute,
            rate=rate,
            notify=partial(say, quiet=quiet),
        )
        live = Live(learning, _name(data), token)
        stack.enter_context(Signals().caught())
        listening = stack.enter_context(listen(host, port))
        shown = f"[{host}]" if ":" in host else host
        say(f"http://{shown}:{listening.getsockname()[1]}/ shows the stream; Ctrl-C ends it", quiet=quiet)
        live.run(listening)
        saved = save is not None and learned.fitted
        if save is not None and saved:
            learned.save(save)
        say(f"{learning.progress.rows:,} rows read" + (f"; model: {save}" if saved else ""), quiet=quiet)
        if learning.error is not None:
            raise learning.error


def _check_columns(source: Source, model: StreamModel, quiet: bool) -> None:
    """Refuse columns that cannot be learned before the page is announced; a file that is still empty is waited for."""
    if os.path.isfile(source.path) and os.path.getsize(source.path) == 0:
        return
    with opened(source) as reader:
        model.check_width(len(reader.features))
        first = next(reader.batches(1000), None)
        if first is not None and not source.selection.columns:
            warn_of_ids(reader, first, quiet)


def _name(data: str | None) -> str:
    """What the page calls the stream."""
    if data is None:
        return "POST /learn"
    if is_address(data):
        return address_of(data).topic
    return "standard input" if data == "-" else Path(data).name


def _check(token: str | None, rate: float | None) -> None:
    if token is not None and not (token.isascii() and token.isprintable() and token.strip() == token != ""):
        raise typer.BadParameter("a token is made of printable ASCII characters, and is not empty.")
    if rate is not None and not 0 < rate < float("inf"):
        raise typer.BadParameter(f"--rate takes a positive number of rows a second, not {rate:g}.")
