"""Parquet and Arrow IPC files, written a table at a time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from phida._streams.arrow_rows import pyarrow_or_advice
from phida._streams.batch import DataError
from phida._streams.texts import texts_of_column

FORMATS = ("parquet", "arrow")

#: Rows of a row group. Smaller groups take more space and time.
_ROWS = 1 << 16


class TableFile:
    """A file of tables with one schema; it is complete when closed."""

    def __init__(self, sink: Path | IO[bytes], format: str, *, increasing: str | None = None) -> None:
        """``increasing``: a column of increasing integers."""
        self._increasing = increasing
        self._pa = pyarrow_or_advice()
        self._sink = str(sink) if isinstance(sink, Path) else sink
        self._format = format
        self._writer: Any = None
        self._schema: Any = None
        self._as_text: list[str] | None = None
        """Columns that Parquet can hold only as text, once known."""
        self._held: list[Any] = []
        self._n_held = 0

    @property
    def is_empty(self) -> bool:
        """Return whether no table was written yet."""
        return self._schema is None

    def write(self, table: Any) -> None:
        """Add a table; rows are written when there are enough."""
        table = self._without_dictionaries(table) if self._format == "arrow" else self._as_parquet(table)
        if self._schema is None:
            self._schema = table.schema
        elif table.schema != self._schema:
            try:
                table = table.cast(self._schema)
            except (self._pa.ArrowInvalid, self._pa.ArrowNotImplementedError) as error:
                raise DataError(
                    f"a column changes its type between rows ({error}); give it one type in the data."
                ) from error
        self._held.append(table)
        self._n_held += len(table)
        if self._n_held >= _ROWS:
            self._write()

    def _without_dictionaries(self, table: Any) -> Any:
        """Decode dictionaries: those of a file are fixed, those of a stream change."""
        for i, field in enumerate(table.schema):
            if self._pa.types.is_dictionary(field.type):
                table = table.set_column(i, field.name, table.column(i).cast(field.type.value_type))
        return table

    def _as_parquet(self, table: Any) -> Any:
        """Return columns of types that Parquet lacks, such as intervals, as text."""
        if self._as_text is None:
            schema = table.schema
            self._as_text = [] if _fits(schema) else [field.name for field in schema if not _fits([field])]
        for name in self._as_text:
            table = table.set_column(table.schema.get_field_index(name), name, texts_of_column(table.column(name)))
        return table

    def close(self) -> None:
        """Write the remaining rows."""
        if self._held:
            self._write()
        if self._writer is not None:
            self._writer.close()

    def _write(self) -> None:
        table = self._pa.concat_tables(self._held)
        self._held, self._n_held = [], 0
        if self._writer is None:
            self._writer = self._open()
        self._writer.write_table(table)

    def _open(self) -> Any:
        if self._format == "arrow":
            return self._pa.ipc.new_file(self._sink, self._schema)
        from pyarrow import parquet

        # Measurements rarely repeat, so a dictionary costs time for nothing; increasing integers do not repeat either,
        # and their differences take a fraction of the space.
        repeated = [
            field.name
            for field in self._schema
            if field.name != self._increasing and not self._pa.types.is_floating(field.type)
        ]
        encoding = None if self._increasing is None else {self._increasing: "DELTA_BINARY_PACKED"}
        return parquet.ParquetWriter(self._sink, self._schema, use_dictionary=repeated, column_encoding=encoding)


def _fits(fields: Iterable[Any]) -> bool:
    """Return whether Parquet has types for these fields."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        parquet.ParquetWriter(pa.BufferOutputStream(), pa.schema(fields)).close()
    except pa.ArrowException:
        return False
    return True
