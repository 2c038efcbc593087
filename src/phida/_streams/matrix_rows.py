"""Rows of NumPy's npy and npz files."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from phida._streams.batch import Batch, DataError, rows_left
from phida._streams.columns import Selection, check_width
from phida._streams.identity import RowsRead
from phida._streams.typed_rows import TypedRows

#: Bytes read at a time, unless a batch has more.
_TOGETHER = 1 << 20


class MatrixRows(TypedRows):
    """A matrix in an npy file, or the array X (or the only one) of an npz file."""

    names: tuple[str, ...] | None = None

    def __init__(self, path: Path, format: str, selection: Selection, *, start: tuple[int, int] = (0, 0)) -> None:
        super().__init__(path, format, selection, start)
        file, length = self._open()
        with file:
            (self._rows, columns), self._fortran, self._dtype, self._data_at = _header(file, path)
        if length < self._data_at + self._rows * columns * self._dtype.itemsize:
            raise self._incomplete()
        check_width(str(path), columns)
        if self._start > self._rows:
            raise DataError(
                f"{path} ends at row {self._rows}, but the stream stopped at row {self._start}; use the same file."
            )
        names = tuple(str(i) for i in range(columns))
        self._begin(names, dict.fromkeys(names, self._dtype.name))
        self._array: NDArray[Any] | None = None  # content of an archive with an array by columns
        if self._start:
            few = RowsRead.enough(len(self._features))
            with self._open()[0] as file:
                if self._start > 2 * few:
                    self._rows_read.add(self._numbers(self._slice(file, 0, few)))
                    self._rows_read.add(self._numbers(self._slice(file, self._start - few, self._start)))
                else:
                    self._rows_read.add(self._numbers(self._slice(file, 0, self._start)))

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return self._rows

    def _open(self) -> tuple[IO[bytes], int]:
        """Open the file, or the member of an archive; return it with its length."""
        if self.format == "npy":
            file = open(self._path, "rb", buffering=0)  # noqa: SIM115
            return file, os.fstat(file.fileno()).st_size
        try:
            archive = zipfile.ZipFile(self._path)
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(f"{self._path} is not an npz file ({error}).") from error
        members = [name for name in archive.namelist() if name.endswith(".npy")]
        member = "X.npy" if "X.npy" in members else members[0] if len(members) == 1 else None
        if member is None:
            held = ", ".join(name.removesuffix(".npy") for name in members) or "none"
            raise DataError(f"{self._path} must hold a single array, or an array named X; it holds {held}.")
        return archive.open(member), archive.getinfo(member).file_size

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida._streams.batch.RowReader`."""
        number = self._first
        with self._open()[0] as file:
            for part in self._parts(file, size):
                yield self._batch(self._numbers(part), number, part.T.__getitem__)
                number += len(part)

    def _parts(self, file: IO[bytes], size: int) -> Iterator[NDArray[Any]]:
        """Yield the rows of one batch after the other; many small batches are read together."""
        together = max(1, _TOGETHER // (len(self.all_names) * self._dtype.itemsize))
        block, at, held = np.empty(0), 0, 0  # rows in memory, the first row, and the row after the last
        for begin, end in self._ranges(size):
            if end > held:
                more = max(0, together - (end - begin)) // size * size
                at, held = begin, min(end + more, self._rows)
                block = self._slice(file, at, held)
            yield block[begin - at : end - at]

    def _slice(self, file: IO[bytes], begin: int, end: int) -> NDArray[Any]:
        """Return some rows from any position."""
        columns, bytes_each = len(self.all_names), self._dtype.itemsize
        if not self._fortran:
            file.seek(self._data_at + begin * columns * bytes_each)
            return self._values(file, (end - begin) * columns).reshape(end - begin, columns)
        if self.format == "npz":
            if self._array is None:  # its rows are spread over the archive
                file.seek(self._data_at)
                self._array = self._values(file, self._rows * columns).reshape(columns, self._rows).T
            return self._array[begin:end]
        found = np.empty((columns, end - begin), self._dtype)
        for i, column in enumerate(found):
            file.seek(self._data_at + (i * self._rows + begin) * bytes_each)
            column[:] = self._values(file, end - begin)
        return found.T

    def _values(self, file: IO[bytes], count: int) -> NDArray[Any]:
        """Return the next values of the file."""
        found = np.empty(count, self._dtype)
        room = found.view(np.uint8).data
        try:
            while room:
                read: int = file.readinto(room)  # type: ignore[attr-defined]
                if not read:
                    raise self._incomplete()
                room = room[read:]
        except (EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise DataError(f"{self._path} is damaged ({str(error) or 'it ends too early'}).") from error
        return found

    def _incomplete(self) -> DataError:
        return DataError(f"{self._path} ends before row {self._rows}: it is incomplete, or was truncated while read.")

    def _numbers(self, part: NDArray[Any]) -> NDArray[np.float64]:
        return np.ascontiguousarray(part[:, self._features], np.float64)

    def _ranges(self, size: int) -> Iterator[tuple[int, int]]:
        begin = self._start
        while begin < self._rows:
            end = min(begin + rows_left(self._first - self._start + begin, size), self._rows)
            yield begin, end
            begin = end


def _header(file: IO[bytes], path: Path) -> tuple[tuple[int, int], bool, np.dtype[Any], int]:
    """Return shape, order, type and offset of the values without running code."""
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            shape, fortran, dtype = npy.read_array_header_1_0(file)
        else:
            shape, fortran, dtype = npy.read_array_header_2_0(file)
    except (ValueError, SyntaxError, EOFError) as error:
        raise DataError(f"{path} is not a valid NumPy file ({str(error)[:200]}).") from error
    if len(shape) != 2 or dtype.kind not in "fiub":
        raise DataError(f"{path} holds {dtype} of shape {shape}; expected a matrix of numbers.")
    return (int(shape[0]), int(shape[1])), bool(fortran), dtype, file.tell()
