"""``phida convert``: data to another format, or a model to plain JSON or npz."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from phida import state_file
from phida._cli import inputs, methods, options
from phida._cli.console import counting, errors_as_messages, say
from phida._streams.batch import Batch, DataError
from phida._streams.learning import BadRows
from phida._streams.opening import Source, format_of
from phida._streams.writing import RowWriter, writer


def convert(
    source: Annotated[str, typer.Argument(help="Data file, - for standard input, or model file (.safetensors).")],
    target: Annotated[Path, typer.Argument(help="File to write; its suffix sets the format.", dir_okay=False)],
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = ".",
    thousands: options.Thousands = None,
    encoding: options.Encoding = "utf-8",
    columns: options.Columns = None,
    exclude: options.Exclude = None,
    on_bad_row: options.OnBadRow = "fail",
    bad_row_log: options.BadRowLog = None,
    quiet: options.Quiet = False,
) -> None:
    """Convert data to another format, or a model to JSON or npz.

    Example: phida convert readings.csv readings.parquet
    """
    with errors_as_messages():
        if Path(source).suffix == ".safetensors":
            _convert_model(Path(source), target)
            return
        with (
            inputs.bad_rows(source, on_bad_row, bad_row_log, target) as bad,
            counting("rows", quiet=quiet) as progress,
        ):
            dialect = inputs.dialect(delimiter, decimal, thousands, encoding)
            rows = _convert_rows(inputs.source(source, format, dialect, columns, exclude), target, bad, progress)
        skipped = f"; {methods.counted({'bad rows': bad.count})} skipped" if bad.count else ""
        say(f"{methods.counted({'rows': rows})} written to {target}{skipped}", quiet=quiet)


def _convert_rows(source: Source, target: Path, bad: BadRows, progress: Callable[[int, int], None]) -> int:
    format, rows = format_of(str(target), None), 0
    with inputs.batches(source, None, bad, progress) as (reader, batches):
        first = next(batches, None)
        if first is None:
            raise DataError("the input has no rows to convert.")
        with writer(target, format, reader) as out:
            for batch in chain([first], batches):
                rows += _written(out, batch)
    return rows


def _written(out: RowWriter, batch: Batch) -> int:
    if len(batch):
        out.write(batch)
    return len(batch)


def _convert_model(source: Path, target: Path) -> None:
    state, facts = state_file.read(source)
    if target.suffix == ".npz":
        arrays: dict[str, Any] = {name: np.asarray(value) for name, value in state.items()}
        np.savez_compressed(target, **arrays)
    elif target.suffix == ".json":
        plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in state.items()}
        target.write_text(json.dumps({**facts, "state": plain}, indent=1))
    else:
        raise DataError(f"a model can be converted to .json or .npz, not to {target.name}.")
