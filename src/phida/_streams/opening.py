"""Opening of files, pipes and topics."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from phida._streams.address import address_of, is_address
from phida._streams.arrow_rows import ArrowRows
from phida._streams.batch import DataError, RowReader
from phida._streams.columns import Selection
from phida._streams.csv_rows import CsvRows
from phida._streams.dialect import Dialect
from phida._streams.identity import FilePart
from phida._streams.lines import Lines, Signals
from phida._streams.matrix_rows import MatrixRows
from phida._streams.messages import MessageLines, MessageRows
from phida._streams.ndjson_rows import NdjsonRows

#: Formats by the suffix of a file.
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".npy": "npy",
    ".npz": "npz",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
TEXT = ("csv", "tsv", "ndjson")
NAMELESS = ("npy", "npz")


@dataclass(frozen=True)
class Source:
    """A source of rows, and the position to start from."""

    path: str
    """A file, or ``-`` for standard input."""
    format: str | None = None
    selection: Selection = field(default_factory=Selection)
    follow: bool = False
    row: int = 0
    """The row to start from, and its offset."""
    offset: int = 0
    header: tuple[str, ...] | None = None
    """Names of all columns, if known from an earlier part of the stream."""
    dialect: Dialect = field(default_factory=Dialect)
    offsets: Mapping[str, int] = field(default_factory=dict)
    """Next offset of each partition of a topic."""

    @property
    def is_pipe(self) -> bool:
        """Return whether the source can be read only once."""
        return (
            self.path == "-" or is_address(self.path) or (os.path.exists(self.path) and not os.path.isfile(self.path))
        )

    @property
    def format_is_text(self) -> bool:
        """Return whether offsets are bytes."""
        return format_of(self.path, self.format) in TEXT


def format_of(path: str, format: str | None) -> str:
    """Return the given format, or the format of the suffix."""
    if is_address(path):
        if format not in (None, "ndjson"):
            raise DataError(f"messages are read as ndjson, one object each, not as {format}; leave out --format.")
        return "ndjson"
    if format is not None:
        if format not in FORMATS:
            raise DataError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}.")
        return format
    found = SUFFIXES.get(Path(path).suffix.lower(), "csv" if path == "-" else None)
    if found is None:
        raise DataError(f"the format of {path} is not known from its suffix; pass --format ({', '.join(FORMATS)}).")
    return found


@contextmanager
def opened(
    source: Source, signals: Signals | None = None, notify: Callable[[str], None] = lambda sentence: None
) -> Iterator[RowReader]:
    """Open a reader of a file or of standard input; ``notify`` is called when a followed file is replaced."""
    format = format_of(source.path, source.format)
    if is_address(source.path):
        with _messages(source, signals, notify) as messages:
            yield MessageRows(messages, source.selection, header=source.header, row=source.row)
        return
    if source.path != "-" and os.path.isdir(source.path):
        raise IsADirectoryError(f"{source.path} is a folder; name a file in it.")
    if source.path != "-" and not os.path.exists(source.path):
        raise FileNotFoundError(f"file {source.path} does not exist.")
    if format not in TEXT:
        if source.is_pipe or source.follow:
            raise DataError(f"{format} cannot be read from a pipe or followed; use csv, tsv or ndjson.")
        yield _typed(source)
        return
    handle = _handle(source)
    try:
        is_file = not source.is_pipe
        path = source.path if source.follow and is_file else None
        lines = Lines(handle, is_file=is_file, follow=path, signals=signals, notify=notify)
        if source.path == "-" and source.format is None:
            format = _format_of_pipe(lines.peek())
        start = (source.row, 0 if source.is_pipe else source.offset)
        if format == "ndjson":
            yield NdjsonRows(lines, source.selection, header=source.header, start=start)
            return
        dialect = source.dialect
        if format == "tsv" and dialect.delimiter is None:
            dialect = replace(dialect, delimiter="\t")
        reader = CsvRows(lines, source.selection, dialect, format=format, header=source.header, start=start)
        if reader.detected and reader.delimiter != ",":
            notify(f"{source.path}: detected delimiter {reader.delimiter!r}; to use another one, add --delimiter")
        yield reader
    finally:
        if source.path != "-":
            os.close(handle)


def _format_of_pipe(head: bytes) -> str:
    """Return the format of standard input: the first byte distinguishes JSON from CSV."""
    first = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if first == b"[":
        raise DataError("standard input begins with a JSON array; pass one object per line, or add --format csv.")
    return "ndjson" if first == b"{" else "csv"


def part_read(source: Source) -> FilePart | None:
    """Return the rows of a non-text file before the start; None if it has fewer rows."""
    try:
        return _typed(source).part_read()
    except DataError:
        return None


def size_of(source: Source) -> int | None:
    """Return the size of a source in the units of its batches' offsets; None if unknown."""
    if source.is_pipe or source.follow or not os.path.isfile(source.path):
        return None
    return os.path.getsize(source.path) if source.format_is_text else _typed(source).n_rows


def _typed(source: Source) -> MatrixRows | ArrowRows:
    format = format_of(source.path, source.format)
    kind = MatrixRows if format in NAMELESS else ArrowRows
    return kind(Path(source.path), format, source.selection, start=(source.row, source.offset))


@contextmanager
def _messages(source: Source, signals: Signals | None, notify: Callable[[str], None]) -> Iterator[MessageLines]:
    address = address_of(source.path)
    if address.scheme == "kafka":
        from phida._streams.kafka import topic_messages

        with topic_messages(address, source.offsets, signals, notify) as (messages, begin):
            yield MessageLines(messages, begin)
    else:
        from phida._streams.mqtt import subscribed

        with subscribed(address, signals, notify) as received:
            yield MessageLines(received, {})


def _handle(source: Source) -> int:
    if source.path != "-":
        return os.open(source.path, os.O_RDONLY)
    if sys.stdin is None:
        raise DataError("standard input is closed; pass a file.")
    return sys.stdin.fileno()
