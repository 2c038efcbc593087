"""``phida fit``, ``update``, ``predict``: one pass over a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from phida import _threads
from phida._cli import INTERRUPTED, inputs, methods, options
from phida._cli.console import counting, errors_as_messages, print_json, say
from phida._encoding import Encoding
from phida._parts import BLOCK, N_PARTS, Parts
from phida._pipeline import BadRows, Pipeline, Score
from phida._streams.batch import Batch, DataError, RowReader
from phida._streams.columns import likely_ids, listed
from phida._streams.lines import Interrupted, Signals
from phida._streams.opening import SUFFIXES, Source, size_of
from phida._streams.order import OrderSample
from phida._streams.output import FORMATS, output_to
from phida._streams.tables import FORMATS as TABLES


@options.with_shared
def fit(
    data: options.Data,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Model file to write (default: none, summary only).", dir_okay=False),
    ] = None,
    given: options.Input = options.INPUT,
    convert: options.Convert = None,
    categories: options.Categories = None,
    categories_of: Annotated[
        Path | None,
        typer.Option(help="Model file whose categories and scales to use, so that phida merge accepts both models."),
    ] = None,
    impute: options.Impute = None,
    label: options.Label = None,
    method: options.Method = None,
    jobs: options.Jobs = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Learn the rows in random order, always the same. All are held in memory.")
    ] = False,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    **parameters: Any,
) -> None:
    """Train a new model on a data file.

    Example: phida fit flowers.csv --label species --out flowers.safetensors
    """
    with errors_as_messages(), inputs.bad_rows(data, on_bad_row, bad_row_log, out) as bad:
        weights = options.weights(categories)
        encoding = None if categories_of is None else _encoding_of(categories_of, weights)
        model = methods.new_model(method, _scaled(parameters, weights or encoding))
        _check_jobs(jobs, model)
        if (weights or encoding) and not model.settings.method.merges:
            raise typer.BadParameter("--categories is an option of PHIDA+; leave it out with --method phida.")
        if encoding is not None:
            model.preparation.encoding, model.names = encoding, tuple(encoding.features())
        source = inputs.source(data, given, label, convert, model if encoding else None, impute, weights)
        order = None if shuffle or not model.settings.method.merges else OrderSample()
        try:
            _learn(model, source, bad, quiet, impute, jobs, weights, shuffle=shuffle, order=order)
        except DataError as error:
            if model.fitted:
                model.refresh()
            raise _saved(model, 0, out, error) from error
        except Interrupted:
            _keep_interrupted(model, out, shuffle)
            raise typer.Exit(INTERRUPTED) from None
        model.refresh()
        if out is not None:
            model.save(out)
        scores = {} if label is None or source.is_pipe else _scores(model, source, quiet)
        if label is not None and source.is_pipe:
            say("no scores against the label: standard input can be read only once", quiet=quiet)
        _tell(model, bad, scores, out, as_json, quiet)
        effect = None if order is None or quiet else order.effect(model.settings)
        if effect is not None:
            say(str(effect))
        if out is None:
            say("the model was not saved; --out FILE saves it, for phida predict and other commands", quiet=quiet)


@options.with_shared
def update(
    model: options.Model,
    data: options.Data,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Model file to write (default: replace MODEL).", dir_okay=False)
    ] = None,
    given: options.Input = options.INPUT,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a model on more rows. A bad row ends the training; the rows before it are learned and saved.

    Example: phida update flowers.safetensors more_flowers.csv
    """
    with errors_as_messages(), inputs.bad_rows(data, on_bad_row, bad_row_log, out) as bad:
        found = Pipeline.load(model)
        if found.position is not None and out is None:
            raise typer.BadParameter(
                f"{model} is a checkpoint; continue it with phida stream --resume, or pass --out FILE."
            )
        begun = found.n_seen
        try:
            _learn(found, inputs.source(data, given, model=found), bad, quiet)
        except DataError as error:
            raise _saved(found, begun, out or model, error) from error
        except Interrupted:
            say(f"interrupted; {out or model} did not change")
            raise typer.Exit(INTERRUPTED) from None
        found.save(out or model)
        _tell(found, bad, {}, out or model, as_json, quiet)


@options.with_shared
def predict(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Output file (default: standard output).", dir_okay=False)
    ] = None,
    output_format: Annotated[
        str | None,
        typer.Option(
            help="Output format: csv, ndjson, parquet or arrow (default: from .parquet or .arrow, else as DATA)."
        ),
    ] = None,
    given: options.Input = options.INPUT,
    label: options.Label = None,
    ids: options.Ids = False,
    novelty: Annotated[
        bool,
        typer.Option("--novelty", help="Add a column novelty: share of the latest rows learned that fitted better."),
    ] = False,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    quiet: options.Quiet = False,
) -> None:
    """Predict the cluster of each row. The model does not change.

    Example: phida predict flowers.safetensors more_flowers.csv --output labelled.csv
    """
    with errors_as_messages(), ExitStack() as stack:
        inputs.check_targets(data, output, bad_row_log, model=model)
        bad = stack.enter_context(inputs.bad_rows(data, on_bad_row, bad_row_log))
        found = Pipeline.load(model)
        source = inputs.source(data, given, label, model=found)
        progress = stack.enter_context(counting("rows", quiet=quiet or output is None, size=partial(size_of, source)))
        score = Score()
        wanted = output_format_of(output, output_format)
        reader, batches = stack.enter_context(inputs.prepared(source, found, bad, progress))
        first = next(batches, None)  # An error in the first rows leaves an existing output unchanged.
        file = inputs.standard_output() if output is None else stack.enter_context(inputs.replaced(output))
        written = output_to(file, wanted or text_format_of(reader), reader, novelty=novelty)
        stack.callback(written.close)
        for taken in () if first is None else chain([first], batches):
            labels = taken.labels(ids=ids)
            written.write(taken.batch, labels, 1.0 - found.scores(taken.rows) if novelty else None)
            if label is not None:
                score.add(taken.batch.truth, labels)
        if first is None:
            say("the input has no rows to predict", quiet=quiet)
        if score.pairs:
            say(_shown(score.values()), quiet=quiet)
        tell_preparation(found, quiet)
        _tell_bad(bad, quiet)


def output_format_of(output: Path | None, wanted: str | None) -> str | None:
    """Return the output format: the option, or that of a Parquet or Arrow suffix, or None if the input decides."""
    if wanted is not None and wanted not in FORMATS:
        raise typer.BadParameter(f"--output-format takes one of {', '.join(FORMATS)}, not {wanted!r}.")
    suffix = None if output is None else SUFFIXES.get(output.suffix.lower())
    told = suffix if suffix in TABLES else None
    found = wanted or told
    if found in TABLES and output is None:
        raise typer.BadParameter(f"{found} needs --output FILE.")
    return found


def text_format_of(reader: RowReader) -> str:
    """Return the output format for an input."""
    return "ndjson" if reader.format == "ndjson" else "csv"


def _encoding_of(path: Path, weights: Mapping[str, float]) -> Encoding:
    """Return the encoding of another model, for a new one."""
    if weights:
        raise typer.BadParameter("--categories-of names the columns too; leave out --categories.")
    found = Pipeline.load(path).preparation.encoding
    if found is None:
        raise typer.BadParameter(f"{path} learned no categories; leave out --categories-of.")
    return found


def _scaled(parameters: dict[str, Any], encoding: object) -> dict[str, Any]:
    """Return the parameters with their scaling; the encoding of categories scales numbers itself."""
    if not encoding:
        return parameters
    if parameters["scale"] not in (None, "none"):
        raise typer.BadParameter("--categories scales the numbers itself; leave out --scale.")
    return {**parameters, "scale": "none"}


def _check_jobs(jobs: int | None, model: Pipeline) -> None:
    if jobs is None:
        return
    if jobs == 0:
        raise typer.BadParameter("--jobs takes a number of threads, or -1 for one per core, not 0.")
    if not model.settings.method.merges:
        raise typer.BadParameter("--jobs is an option of PHIDA+; leave it out with --method phida.")
    if model.settings.values["half_life"] is not None:
        raise typer.BadParameter("--jobs does not apply to rows that fade, whose order matters; leave it out.")


class _Jobs:
    """Collects batches until every part of a model has rows to learn."""

    def __init__(self, model: Pipeline, n_jobs: int) -> None:
        self._model, self._n_jobs = model, n_jobs
        self._parts: Parts | None = None
        self._batches: list[NDArray[np.float64]] = []

    @property
    def begun(self) -> bool:
        """Whether there are rows."""
        return self._parts is not None or bool(self._batches)

    def add(self, rows: NDArray[np.float64]) -> None:
        """Add rows; they are learned when enough have been collected."""
        self._batches.append(rows)
        if sum(map(len, self._batches)) >= N_PARTS * BLOCK:
            self._learn()

    def end(self) -> None:
        """Learn all rows, and merge the parts."""
        if self._batches:
            self._learn()
        if self._parts is not None:
            self._parts.merge()

    def _learn(self) -> None:
        rows, self._batches = np.concatenate(self._batches), []
        if self._parts is None:
            self._parts = self._model.parts(rows.shape[1], _threads.for_jobs(self._n_jobs))
        self._parts.learn(rows)


class _Shuffled:
    """Collects all rows, and learns them in random order at the end; Ctrl-C stops between batches."""

    def __init__(self, learn: Callable[[NDArray[np.float64]], None], signals: Signals, quiet: bool) -> None:
        self._learn, self._signals, self._quiet = learn, signals, quiet
        self._batches: list[NDArray[np.float64]] = []

    def add(self, rows: NDArray[np.float64]) -> None:
        """Collect rows."""
        self._batches.append(rows)

    def end(self) -> None:
        """Learn all rows."""
        if not self._batches:
            return
        rows, self._batches = np.concatenate(self._batches), []
        order = np.random.default_rng(0).permutation(len(rows))
        with counting("rows learned", quiet=self._quiet, size=lambda: len(rows)) as progress:
            for first in range(0, len(rows), inputs.BATCH):
                self._signals.check()
                batch = rows[order[first : first + inputs.BATCH]]
                self._learn(batch)
                progress(len(batch), first + len(batch))


@contextmanager
def _ended(end: Callable[[], None], interrupted: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Call a function at the end, also after a bad row or Ctrl-C: the earlier rows are learned, too."""
    try:
        yield
    except (DataError, Interrupted) as error:
        if isinstance(error, Interrupted):
            interrupted()
        end()
        raise
    end()


def _tell_merge(jobs: _Jobs, quiet: bool) -> None:
    if jobs.begun:
        say("merging the parts learned so far", quiet=quiet)


def _keep_interrupted(model: Pipeline, out: Path | None, shuffled: bool) -> None:
    """Save the rows learned before Ctrl-C."""
    if not model.fitted:
        say("interrupted")
        return
    rows = methods.counted({"rows": model.n_seen})
    if out is None:
        say(f"interrupted; {rows} learned are lost. With --out FILE, Ctrl-C saves the model")
        return
    model.refresh()
    model.save(out)
    which = f"{rows} in random order" if shuffled else f"the first {rows}. phida update learns more rows"
    say(f"interrupted; {out} has the model of {which}")


def _learn(
    model: Pipeline,
    source: Source,
    bad: BadRows,
    quiet: bool,
    impute: str | None = None,
    n_jobs: int | None = None,
    weights: Mapping[str, float] = MappingProxyType({}),
    *,
    shuffle: bool = False,
    order: OrderSample | None = None,
) -> None:
    told = False
    jobs = None if n_jobs is None else _Jobs(model, n_jobs)
    # A new model has no clusters to follow yet.
    learn = partial(model.learn, follow=model.fitted) if jobs is None else jobs.add
    signals = Signals()
    shuffled = _Shuffled(learn, signals, quiet) if shuffle else None
    notify = partial(say, quiet=quiet)
    with ExitStack() as stack:
        stack.enter_context(signals.caught())
        if jobs is not None:
            stack.enter_context(_ended(jobs.end, partial(_tell_merge, jobs, quiet)))
        if shuffled is not None:
            stack.enter_context(_ended(shuffled.end))
        with (
            counting("rows read" if shuffle else "rows", quiet=quiet, size=partial(size_of, source)) as progress,
            inputs.batches(source, bad, progress, notify, signals=signals) as (reader, batches),
        ):
            model.begin(reader.names, reader.features, impute, weights)
            for read in batches:
                if not told:
                    told = True
                    _tell_columns(reader, source, quiet)
                    if not source.selection.columns:  # columns named by the user are features
                        warn_of_ids(reader, read, quiet)
                rows = model.prepared(read, learn=True).rows
                if len(rows):
                    (learn if shuffled is None else shuffled.add)(rows)
                if order is not None:
                    order.add(rows)
    if not model.fitted:
        raise DataError("the input has no rows to learn from.")


def _saved(model: Pipeline, begun: int, out: Path | None, error: DataError) -> DataError:
    """Save the rows learned before an error; return the error with a note about it."""
    learned = model.n_seen - begun
    if out is None or not learned:
        return error
    model.save(out)
    rows = methods.counted({"rows": learned})
    advice = "To learn the others, pass them alone to phida update, without the rows before."
    return DataError(f"{error} {rows} before it: learned and saved in {out}. {advice}")


def _scores(model: Pipeline, source: Source, quiet: bool) -> dict[str, float]:
    score = Score()
    with (
        counting("rows scored", quiet=quiet, size=partial(size_of, source)) as progress,
        inputs.prepared(source, model, BadRows("skip"), progress) as (_, batches),
    ):
        for taken in batches:
            score.add(taken.batch.truth, taken.labels())
    return score.values()


def _tell_columns(reader: RowReader, source: Source, quiet: bool) -> None:
    """Print how many columns are learned, and why the others are left out."""
    left_out = source.selection.left_out(reader.all_names)
    if left_out:
        shown = "; ".join(f"{_named(columns)} ({reason})" for reason, columns in left_out.items())
        learned = len(reader.features) + len(source.selection.categories)
        say(f"{learned} of {len(reader.all_names)} columns are learned; left out: {shown}", quiet=quiet)


def _named(columns: Sequence[str], most: int = 10) -> str:
    return ", ".join(columns[:most]) + ("" if len(columns) <= most else f" and {len(columns) - most} more")


def warn_of_ids(reader: RowReader, batch: Batch, quiet: bool) -> None:
    """Warn of features that resemble ids or times: used as numbers, they hide the structure of the others."""
    for name in likely_ids(reader.features, batch.rows):
        names = listed([name])
        why = "looks like an id or a time (it increases, or no value repeats)"
        say(f"warning: column {name!r} {why}. To leave it out, add --exclude {names}", quiet=quiet)


def _tell(
    model: Pipeline,
    bad: BadRows,
    scores: dict[str, float],
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    reading = model.model.reading()
    found = model.summary(reading)
    counts = {"clusters": reading.n_clusters, "nodes": reading.n_nodes}
    facts: dict[str, Any] = {
        "method": model.settings.method.name,
        "samples": model.n_seen,
        **counts,
        "bad_rows": bad.count,
        **scores,
        "model": None if out is None else str(out),
    }
    if (imputer := model.preparation.imputer) is not None:
        facts |= {"values_filled": imputer.filled, "rows_dropped": imputer.dropped}
    if as_json:
        print_json(facts | found.plain())
        return
    where = "" if out is None else f" Model: {out}"
    rows = methods.counted({"rows": facts["samples"]})
    say(f"{rows} learned: {methods.counted(counts)}.{where}", quiet=quiet)
    say(str(found), quiet=quiet)
    if scores:
        say(_shown(scores), quiet=quiet)
    tell_preparation(model, quiet)
    _tell_bad(bad, quiet)


def tell_preparation(model: Pipeline, quiet: bool) -> None:
    """Print how many missing values were filled or dropped."""
    imputer = model.preparation.imputer
    if imputer is not None and imputer.filled:
        filled = methods.counted({"missing values": imputer.filled})
        say(f"{filled} filled with the {imputer.rule} of earlier rows", quiet=quiet)
    if imputer is not None and imputer.dropped:
        say(f"{methods.counted({'rows': imputer.dropped})} with missing values dropped", quiet=quiet)


def _tell_bad(bad: BadRows, quiet: bool) -> None:
    if bad.count:
        say(f"{methods.counted({'bad rows': bad.count})} skipped", quiet=quiet)


def _shown(scores: dict[str, float]) -> str:
    return "against the label: " + ", ".join(f"{name.upper()} {value:.3f}" for name, value in scores.items())
