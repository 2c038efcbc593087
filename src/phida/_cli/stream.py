"""``phida stream``: learn and label rows as they arrive."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from phida._cli import INTERRUPTED, inputs, methods, options
from phida._cli.console import counting, errors_as_messages, print_json, say
from phida._cli.models import output_format_of, tell_preparation, text_format_of, warn_of_ids
from phida._pipeline import Pipeline, Score, Stream
from phida._streams import checkpoint
from phida._streams.address import Address, address_of, is_address
from phida._streams.batch import DataError, RowReader
from phida._streams.checkpoint import Position, Schedule
from phida._streams.identity import PIPE, tail
from phida._streams.lines import Signals
from phida._streams.opening import Source, opened, part_read, size_of
from phida._streams.output import Output, output_to
from phida._streams.tables import FORMATS as TABLES
from phida.answers.summary import Summary


@options.with_shared
def stream(
    data: Annotated[
        str,
        typer.Argument(help="Data file, kafka://HOST/TOPIC or mqtt://HOST/TOPIC; - for standard input."),
    ] = "-",
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Output file or kafka://HOST/TOPIC (default: standard output).")
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            help="Output format: csv, ndjson, parquet or arrow (default: from .parquet or .arrow, else as DATA)."
        ),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(min=1, help="Rows per batch: learned, then labelled (default: 1 for pipes, 1000 for files)."),
    ] = None,
    follow: Annotated[bool, typer.Option(help="Keep reading as the file grows or is rotated, like tail -F.")] = False,
    model: Annotated[Path | None, typer.Option(help="Model file to start from.", dir_okay=False)] = None,
    checkpoint_folder: Annotated[
        Path | None, typer.Option("--checkpoint", help="Folder for checkpoints.", file_okay=False)
    ] = None,
    every: Annotated[str, typer.Option(help="Checkpoint interval: rows (5000) or time (30s, 5m, 1h).")] = "60s",
    resume: Annotated[bool, typer.Option(help="Resume from the last checkpoint.")] = False,
    new_file: Annotated[
        bool,
        typer.Option("--new-file", help="With --resume: read DATA, a new file, from its first row."),
    ] = False,
    given: options.Input = options.INPUT,
    convert: options.Convert = None,
    impute: options.Impute = None,
    label: options.Label = None,
    method: options.Method = None,
    ids: options.Ids = False,
    events: Annotated[
        Path | None, typer.Option(help="NDJSON file for births, splits, merges and deaths of clusters.", dir_okay=False)
    ] = None,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    **parameters: Any,
) -> None:
    """Learn rows as they arrive, and write each one with its row number and cluster.

    Example: tail -f readings.csv | phida stream - --checkpoint state/ > labelled.csv
    """
    with errors_as_messages(), ExitStack() as stack:
        if as_json and output is None:
            raise typer.BadParameter("--json needs --output FILE, because standard output holds the rows.")
        if new_file and not resume:
            raise typer.BadParameter("--new-file needs --resume; without it, every file is read from its first row.")
        schedule = _schedule(every) if checkpoint_folder else Schedule()
        topic = _output_topic(output)
        path = None if output is None or topic is not None else Path(output)
        inputs.check_targets(data, path, bad_row_log, events, model=model)
        if checkpoint_folder is not None:
            stack.enter_context(checkpoint.held(checkpoint_folder))
        size = batch or (1 if data == "-" or is_address(data) or follow else 1000)
        begin = Position(batch=size, ids=ids, topic=_topic(data), output_topic="" if topic is None else topic.topic)
        learned, position = _start(checkpoint_folder, resume, model, begin, batch is not None)
        if resume and position.row:
            say(f"resuming at row {position.row:,}", quiet=quiet)
        source = inputs.source(data, given, label, convert, learned, impute)
        _check_topics(position, begin)
        if position.row and not is_address(data):
            _check_input(position, source, new_file)
        offset = 0 if new_file else position.input_offset
        source = replace(source, follow=follow, row=position.row, offset=offset)
        source = replace(source, header=position.header or None, offsets=position.offsets)
        signals = stack.enter_context(Signals().caught())
        reader = stack.enter_context(opened(source, signals, partial(say, quiet=quiet)))
        if learned is None:
            learned = methods.new_model(method, parameters)
        methods.check_begun(learned.settings, method, parameters)
        learned.begin(reader.names, reader.features, impute)
        offset = 0 if path is None else position.output_offset
        if topic is not None and output_format not in (None, "ndjson"):
            raise typer.BadParameter(
                f"Kafka messages are written as ndjson, not {output_format}; leave out --output-format."
            )
        told = "ndjson" if topic is not None else output_format_of(path, output_format)
        wanted_format = told or text_format_of(reader)
        if wanted_format in TABLES and checkpoint_folder is not None:
            raise typer.BadParameter(
                f"{wanted_format} files cannot be continued after a stop; with --checkpoint, use csv or ndjson."
            )
        if position.row:
            _check_output(position, path, wanted_format)
            _check_choices(position, ids, events)
        bad = stack.enter_context(inputs.bad_rows(data, on_bad_row, bad_row_log, offset=position.bad_row_log_offset))
        bad.count = position.bad_rows
        run = Stream(
            learned,
            reader,
            position,
            _output(stack, topic, path, wanted_format, reader, offset, quiet),
            bad,
            schedule,
            None if checkpoint_folder is None else partial(_keep, checkpoint_folder, path, events),
            Score() if label else None,
            None if events is None else stack.enter_context(inputs.continued(events, position.events_offset)),
            stack.enter_context(counting("rows", quiet=quiet or output is None, size=partial(size_of, source))),
            lambda first: None if source.selection.columns else warn_of_ids(reader, first, quiet),
            is_complete=not source.is_pipe and not follow,
        )
        finished = run.run(signals)
        tell_preparation(learned, quiet)
        _tell(run, as_json, quiet)
    if not finished:
        raise typer.Exit(INTERRUPTED)


def _start(
    folder: Path | None, resume: bool, model: Path | None, begin: Position, batch_was_given: bool
) -> tuple[Pipeline | None, Position]:
    """Return the model and the position to start from."""
    if resume and folder is None:
        raise typer.BadParameter("--resume needs --checkpoint DIR, the folder of the checkpoints.")
    if resume and model is not None:
        raise typer.BadParameter("--resume uses the checkpoint's model; leave out --model.")
    path = None if folder is None else folder / checkpoint.NAME
    if path is None or not path.is_file():
        return (None if model is None else Pipeline.load(model)), begin
    found = Pipeline.load(path)
    position = Position.of_file(path, found.position)
    if not resume:
        raise typer.BadParameter(f"{folder} already holds a checkpoint; continue with --resume, or remove it.")
    if batch_was_given and begin.batch != position.batch:
        raise typer.BadParameter(f"the stream was started with --batch {position.batch}, which cannot change.")
    return found, position


def _schedule(every: str) -> Schedule:
    try:
        return checkpoint.every(every)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _keep(folder: Path, output: Path | None, events: Path | None, model: Pipeline, position: Position) -> None:
    """Save a checkpoint, with the facts that identify the outputs of this stream."""
    position = replace(position, output_tail=tail(output, position.output_offset))
    position = replace(position, events_tail=tail(events, position.events_offset))
    model.save(folder / checkpoint.NAME, asdict(position))


def _check_input(position: Position, source: Source, new_file: bool) -> None:
    """Refuse to resume within another file than the one read, or to read the same rows twice."""
    path = source.path
    if path != "-" and not os.path.exists(path):
        raise FileNotFoundError(f"file {path} does not exist.")
    if source.format_is_text:
        same = position.input.same_content(path, position.input_offset)
    else:
        found = part_read(replace(source, row=position.row, offset=position.input_offset))
        same = found is not None and position.input.same_part(found)
    if new_file:
        if source.is_pipe or position.input.tail == PIPE:
            raise typer.BadParameter("--new-file is for files; a pipe is always read from its first row.")
        if same:
            raise DataError(f"{path} is the file that the stream was reading; leave out --new-file.")
        return
    if same:
        return
    if source.is_pipe or position.input.tail == PIPE:
        raise DataError(
            f"{path} is not the input that the stream was started with; use that one, or another --checkpoint."
        )
    what = "was truncated or rewritten" if position.input.same_file(path) else "is another file"
    read = f"{position.input_offset:,} bytes" if source.format_is_text else "rows"
    raise DataError(
        f"{path} {what}: it does not begin with the {read} that the stream has read. Resume "
        f"with the file as it was, under any name, to finish it; then add --new-file to read {path} from its first row."
    )


def _check_output(position: Position, output: Path | None, output_format: str) -> None:
    """Refuse to resume with another output than the checkpoint's."""
    if position.output_tail != tail(output, position.output_offset):
        raise DataError(
            "the output is not the one that the stream was started with; use that one, or another --checkpoint."
        )
    if position.output_format != output_format:
        raise DataError(f"the stream was started with --output-format {position.output_format}, which cannot change.")


def _check_choices(position: Position, ids: bool, events: Path | None) -> None:
    """Refuse other output options than the checkpoint's."""
    if ids != position.ids:
        raise DataError(f"the stream was started with{'' if position.ids else 'out'} --ids, which cannot change.")
    if position.events_tail != tail(events, position.events_offset):
        raise DataError(
            "--events is not the file that the stream was started with; use that one, or another --checkpoint."
        )


def _output(
    stack: ExitStack,
    topic: Address | None,
    path: Path | None,
    format: str,
    reader: RowReader,
    offset: int,
    quiet: bool,
) -> Output:
    if topic is not None:
        from phida._streams.kafka import topic_output

        return stack.enter_context(topic_output(topic, reader, partial(say, quiet=quiet)))
    file = inputs.standard_output() if path is None else stack.enter_context(inputs.writable(path, keep=bool(offset)))
    output = output_to(file, format, reader, offset=offset)
    stack.callback(output.close)
    return output


def _output_topic(output: str | None) -> Address | None:
    """Return the topic for labelled rows, or None."""
    if output is None or not is_address(output):
        return None
    found = address_of(output)
    if found.scheme != "kafka":
        raise typer.BadParameter(f"rows cannot be written to {found.scheme}://; use kafka://HOST/TOPIC or a file.")
    return found


def _topic(data: str) -> str:
    """Return the topic of the input without its host, which may change; empty for files."""
    if not is_address(data):
        return ""
    address = address_of(data)
    return f"{address.scheme}:{address.topic}"


def _check_topics(position: Position, wanted: Position) -> None:
    """Refuse to resume with another topic than the checkpoint's."""
    if position.topic != wanted.topic:
        begun = position.topic or "a file"
        raise DataError(f"the stream was started with {begun}; use that one, or another --checkpoint.")
    if position.output_topic != wanted.output_topic:
        begun = f"the output topic {position.output_topic}" if position.output_topic else "another output"
        raise DataError(f"the stream was started with {begun}; use that one, or another --checkpoint.")


def _tell(run: Stream, as_json: bool, quiet: bool) -> None:
    facts: dict[str, Any] = {"rows": run.position.row, "bad_rows": run.bad_rows.count}
    found: Summary | None = None
    if run.pipeline.fitted:
        reading = run.pipeline.model.reading()
        facts |= {"nodes": reading.n_nodes, "clusters": reading.n_clusters}
        found = run.pipeline.summary(reading)
    if run.score is not None and run.score.pairs:
        facts |= run.score.values()
    if as_json:
        print_json(facts | ({} if found is None else found.plain()))
        return
    shown = ", ".join(
        f"{name.replace('_', ' ')} {value:,}" if isinstance(value, int) else f"{name} {value:.3f}"
        for name, value in facts.items()
    )
    say(f"next row {run.position.row:,} ({shown})", quiet=quiet)
    if found is not None:
        say(str(found), quiet=quiet)
