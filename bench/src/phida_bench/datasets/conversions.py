"""Convert a source's files to rows and classes: one rule per data set."""

from __future__ import annotations

import io
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from phida_bench.datasets.r_data import data_frame

Files = Sequence[bytes]
Pair = tuple[Any, Any]
Conversion = Callable[[Files], Pair]


def members(content: bytes, names: Sequence[str]) -> list[bytes]:
    """The named files of a zip or tar archive; without names, the content itself. ``.Z`` files are unpacked."""
    if not names:
        return [content]
    read = _from_tar if content.startswith(b"\x1f\x8b") else _from_zip
    found = read(content, set(names))
    if lacking := [name for name in names if name not in found]:
        raise ValueError(f"the archive has no file {', '.join(lacking)}")
    return [_uncompressed(name, found[name]) for name in names]


def _from_tar(content: bytes, names: set[str]) -> dict[str, bytes]:
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
            wanted = {file.name.rsplit("/", 1)[-1]: archive.extractfile(file) for file in archive if file.isfile()}
            return {name: file.read() for name, file in wanted.items() if name in names and file}
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"the file is not a tar archive ({error})") from error


def _from_zip(content: bytes, names: set[str]) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            wanted = {info.filename.rsplit("/", 1)[-1]: info for info in archive.infolist()}
            return {name: archive.read(info) for name, info in wanted.items() if name in names}
    except zipfile.BadZipFile as error:
        raise ValueError(f"the file is not a zip archive ({error})") from error


def _uncompressed(name: str, content: bytes) -> bytes:
    if not name.endswith(".Z"):
        return content
    try:  # the standard library cannot read the format of the program compress
        return subprocess.run(["gzip", "-dc"], input=content, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise ValueError(f"{name} could not be unpacked with gzip ({error}). Install gzip") from error


def columns(separator: str | None = ",", label: int = -1, drop: Sequence[int] = (), missing: str = "") -> Conversion:
    """Read rows of text from all files in order; a line without a readable first number is a header.

    ``label`` and ``drop`` are positions of columns; ``missing`` replaces ``?``.
    """

    def convert(files: Files) -> Pair:
        rows: list[list[str]] = []
        for content in files:
            for line in content.decode("latin-1").splitlines():
                if any(cells := [cell.strip().strip("\"'") for cell in line.split(separator)]):
                    rows.append(cells)
        if not rows:
            raise ValueError("the file has no rows")
        rows = [row for row in rows if len(row) == len(rows[-1])]
        place = label % len(rows[0])
        left_out = {place, *(column % len(rows[0]) for column in drop)}
        kept = [column for column in range(len(rows[0])) if column not in left_out]
        if not _is_number(rows[0][kept[0]], missing):
            rows = rows[1:]
        X = [[missing if row[column] == "?" else row[column] for column in kept] for row in rows]
        y = np.array([row[place] for row in rows])
        return np.array(X, dtype=np.float64), y.astype(np.float64) if _is_number(y[0], "") else y

    return convert


def _is_number(cell: str, missing: str) -> bool:
    try:
        float(missing if cell == "?" else cell)
    except ValueError:
        return False
    return True


def arff(files: Files) -> Pair:
    """Read the rows below ``@data``, with the class last."""
    return columns()([files[0].decode("latin-1").lower().partition("@data")[2].encode("latin-1")])


def semeion(files: Files) -> Pair:
    """Read digits with one column per class."""
    table = np.array([line.split() for line in files[0].decode().splitlines() if line.strip()], dtype=np.float64)
    return table[:, :256], table[:, 256:].argmax(axis=1)


def tuandromd(files: Files) -> Pair:
    """Read rows without the incomplete one; goodware comes before malware, which is also their sorted order."""
    lines = files[0].decode().splitlines()
    complete = [line for line in lines if all(cell.strip() for cell in line.split(","))]
    return columns()(["\n".join(complete).encode()])


def segments(files: Files) -> Pair:
    """Read outdoor images; the classes have the numbers of UCI's Statlog copy."""
    X, names = columns()(files)
    numbers = {name: number for number, name in enumerate(_SEGMENTS)}
    try:
        return X, np.array([numbers[name] for name in names])
    except KeyError as error:
        raise ValueError(f"there is no class {error}") from error


_SEGMENTS = ("brickface", "sky", "foliage", "cement", "window", "path", "grass")


def matlab(files: Files) -> Pair:
    """Read the largest matrix and the longest vector; the matrix is transposed if its columns are the rows."""
    from scipy.io import loadmat

    held = [array for file in files for array in loadmat(io.BytesIO(file)).values() if np.ndim(array) == 2]
    arrays = sorted((array for array in held if array.dtype.kind in "biuf"), key=np.size)
    vectors = [array.ravel() for array in arrays if min(array.shape) == 1]
    if not vectors or min(arrays[-1].shape) == 1:
        raise ValueError("the files have no matrix and vector of numbers")
    X, y = arrays[-1], vectors[-1]
    return (X if len(X) == len(y) else X.T), y


def r_frame(files: Files) -> Pair:
    """Read the numeric columns, and the factor as class."""
    frame = data_frame(files[0])
    classes = [values for values, levels in frame.values() if levels is not None]
    if len(classes) != 1:
        raise ValueError(f"the data frame has {len(classes)} factors, but one class")
    return np.column_stack([values for values, levels in frame.values() if levels is None]), classes[0]


def idx(files: Files) -> Pair:
    """Read images and labels in MNIST's format: a header with the sizes, then bytes."""
    images, labels = (
        np.frombuffer(file[4 + 4 * file[3] :], np.uint8).reshape(np.frombuffer(file[4 : 4 + 4 * file[3]], ">i4"))
        for file in files
    )
    return images.reshape(len(images), -1), labels


CONVERSIONS: Mapping[str, Conversion] = {
    "anuran_calls": columns(label=-4, drop=(-3, -2, -1)),
    "binalpha": matlab,
    "dermatology": columns(missing="0"),
    "image_segmentation": segments,
    "isolet": columns(),
    "mice_protein": matlab,
    "mnist10k_pixels": idx,
    "msra25": matlab,
    "pima": r_frame,
    "rice": arff,
    "seeds": columns(separator=None),
    "semeion": semeion,
    "shuttle": columns(separator=None),
    "skin": columns(separator=None),
    "statlog": columns(separator=None),
    "tuandromd": tuandromd,
    "yeast": columns(separator=None, drop=(0,)),
}
