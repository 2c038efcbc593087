"""From a source's files to rows and classes: one rule per data set."""

from __future__ import annotations

import io
import subprocess
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Files = Sequence[bytes]
Pair = tuple[Any, Any]
Conversion = Callable[[Files], Pair]


def members(content: bytes, names: Sequence[str]) -> list[bytes]:
    """The named files of a zip archive, the content itself if there are no names. ``.Z`` files are unpacked."""
    if not names:
        return [content]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = {info.filename.rsplit("/", 1)[-1]: info for info in archive.infolist()}
            if lacking := [name for name in names if name not in found]:
                raise ValueError(f"the archive has no file {', '.join(lacking)}")
            return [_uncompressed(name, archive.read(found[name])) for name in names]
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
    """Rows of text, all files in turn; lines whose first number cannot be read are a header.

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
    """The rows below ``@data``, the class last."""
    return columns()([files[0].decode("latin-1").lower().partition("@data")[2].encode("latin-1")])


def semeion(files: Files) -> Pair:
    """Digits with one column per class."""
    table = np.array([line.split() for line in files[0].decode().splitlines() if line.strip()], dtype=np.float64)
    return table[:, :256], table[:, 256:].argmax(axis=1)


def tuandromd(files: Files) -> Pair:
    """Without the incomplete row; goodware before malware, which is also their sorted order."""
    lines = files[0].decode().splitlines()
    complete = [line for line in lines if all(cell.strip() for cell in line.split(","))]
    return columns()(["\n".join(complete).encode()])


CONVERSIONS: Mapping[str, Conversion] = {
    "anuran_calls": columns(label=-4, drop=(-3, -2, -1)),
    "dermatology": columns(missing="0"),
    "isolet": columns(),
    "rice": arff,
    "seeds": columns(separator=None),
    "semeion": semeion,
    "shuttle": columns(separator=None),
    "skin": columns(separator=None),
    "statlog": columns(separator=None),
    "tuandromd": tuandromd,
    "yeast": columns(separator=None, drop=(0,)),
}
