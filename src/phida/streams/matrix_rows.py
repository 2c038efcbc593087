"""Rows of NumPy's npy and npz files, read a part at a time."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from phida.streams.batch import Batch, DataError, rows_left
from phida.streams.columns import Selection
from phida.streams.identity import FilePart, RowsRead
from phida.streams.values import sound


class MatrixRows:
    """A matrix in an npy file, or the array X (else the only one) of an npz file."""

    names: tuple[str, ...] | None = None
    conversions: Mapping[str, str] = MappingProxyType({})
    delimiter = ","
    """Of CSV that is made of these rows."""

    def __init__(self, path: Path, format: str, selection: Selection, *, start: tuple[int, int] = (0, 0)) -> None:
        """``start``: a row number and its place in the file, where a stream is resumed."""
        self.format = format
        self._path = path
        number, self._start = start
        self._before = number - self._start  # rows of earlier files
        self._read = RowsRead(path)
        with self._open() as file:
            (self._rows, columns), self._fortran, self._dtype, self._data_at = _header(file, path)
        if self._start > self._rows:
            raise DataError(
                f"{path} ends at row {self._rows}, but the stream stopped at row {self._start}; use the same file."
            )
        self.all_names = tuple(str(i) for i in range(columns))
        self.types: Mapping[str, Any] = dict.fromkeys(self.all_names, self._dtype.name)
        self._features = selection.features(self.all_names)
        self._label = None if selection.label is None else int(selection.label)
        self.features = tuple(self.all_names[i] for i in self._features)
        self._keep_missing = selection.keep_missing
        few = RowsRead.enough(len(self._features))
        if self._start > 2 * few:
            self._read.add(self._numbers(self._slice(0, few)))
            self._read.add(self._numbers(self._slice(self._start - few, self._start)))
        elif self._start:
            self._read.add(self._numbers(self._slice(0, self._start)))

    def part_read(self) -> FilePart:
        """The rows before the next one."""
        return self._read.part()

    def _open(self) -> IO[bytes]:
        if self.format == "npy":
            return open(self._path, "rb")
        try:
            archive = zipfile.ZipFile(self._path)
        except (zipfile.BadZipFile, OSError) as error:
            raise DataError(f"{self._path} is not an npz file ({error}).") from error
        members = [name for name in archive.namelist() if name.endswith(".npy")]
        member = "X.npy" if "X.npy" in members else members[0] if len(members) == 1 else None
        if member is None:
            held = ", ".join(name.removesuffix(".npy") for name in members) or "none"
            raise DataError(f"{self._path} must hold a single array, or an array named X; it holds {held}.")
        return archive.open(member)

    def batches(self, size: int) -> Iterator[Batch]:
        """See :class:`phida.streams.batch.RowReader`."""
        number = self._before + self._start
        for part in self._parts(size):
            yield self._batch(part, number)
            number += len(part)

    def _parts(self, size: int) -> Iterator[NDArray[Any]]:
        if self.format == "npy":
            whole = np.load(self._path, mmap_mode="r", allow_pickle=False)
        elif self._fortran:  # its rows are all over the archive
            with self._open() as file:
                whole = npy.read_array(file, allow_pickle=False)
        else:
            yield from self._streamed(size)
            return
        for begin, end in self._ranges(size):
            yield whole[begin:end]

    def _slice(self, begin: int, end: int) -> NDArray[Any]:
        """Some rows, wherever they are."""
        if self.format == "npy":
            return np.load(self._path, mmap_mode="r", allow_pickle=False)[begin:end]  # type: ignore[no-any-return]
        with self._open() as file:
            if self._fortran:
                return npy.read_array(file, allow_pickle=False)[begin:end]
            width = len(self.all_names) * self._dtype.itemsize
            file.seek(self._data_at + begin * width)
            return np.frombuffer(file.read((end - begin) * width), self._dtype).reshape(end - begin, -1)

    def _numbers(self, part: NDArray[Any]) -> NDArray[np.float64]:
        return np.ascontiguousarray(part[:, self._features], np.float64)

    def _streamed(self, size: int) -> Iterator[NDArray[Any]]:
        width = len(self.all_names) * self._dtype.itemsize
        with self._open() as file:
            file.seek(self._data_at + self._start * width)
            for begin, end in self._ranges(size):
                content = file.read((end - begin) * width)
                if len(content) < (end - begin) * width:
                    raise DataError(f"{self._path} ends before row {self._rows}; the file is incomplete.")
                yield np.frombuffer(content, self._dtype).reshape(end - begin, -1)

    def _ranges(self, size: int) -> Iterator[tuple[int, int]]:
        begin = self._start
        while begin < self._rows:
            end = min(begin + rows_left(self._before + begin, size), self._rows)
            yield begin, end
            begin = end

    def _batch(self, part: NDArray[Any], begin: int) -> Batch:
        rows = self._numbers(part)
        self._read.add(rows)
        numbers = np.arange(begin, begin + len(part))
        good, bad = sound(rows, self.features, begin, keep_missing=self._keep_missing)
        kept = part
        if bad:
            kept, rows, numbers = part[good], rows[good], numbers[good]
        end = begin + len(part)
        truth = [] if self._label is None else kept[:, self._label].tolist()

        def columns() -> dict[str, Any]:
            return {name: kept[:, i] for i, name in enumerate(self.all_names)}

        return Batch(end, end - self._before, numbers, rows, (), columns, truth, bad, self.part_read())


def _header(file: IO[bytes], path: Path) -> tuple[tuple[int, int], bool, np.dtype[Any], int]:
    """Shape, order, type and place of the values; nothing that would run code."""
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            shape, fortran, dtype = npy.read_array_header_1_0(file)
        else:
            shape, fortran, dtype = npy.read_array_header_2_0(file)
    except (ValueError, SyntaxError, EOFError) as error:
        raise DataError(f"{path} is not a valid NumPy file ({error}).") from error
    if len(shape) != 2 or dtype.kind not in "fiub":
        raise DataError(f"{path} holds {dtype} of shape {shape}; expected a matrix of numbers.")
    return (int(shape[0]), int(shape[1])), bool(fortran), dtype, file.tell()
