"""The parts of a report, for every output format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Table:
    """A table with text in all cells."""

    name: str
    """Name of the table and of its files."""
    title: str
    cells: pd.DataFrame
    note: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A diagram and its caption."""

    name: str
    title: str
    figure: Figure
    note: str = ""
    raster: bool = False
    """Whether it has so many points that pixels need less space than outlines."""


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and its content."""

    title: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, eq=False)
class Document:
    """A whole report."""

    title: str
    facts: dict[str, str]
    sections: list[Section] = field(default_factory=list)
