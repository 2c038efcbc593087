"""What a report is made of, whatever it is written as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose cells are text already."""

    name: str
    """Also the name of its files."""
    title: str
    cells: pd.DataFrame
    note: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A diagram and the words below it."""

    name: str
    title: str
    figure: Figure
    note: str = ""
    raster: bool = False
    """Whether it holds so many points that pixels are smaller than outlines."""


@dataclass(frozen=True, eq=False)
class Section:
    """A heading and what stands below it."""

    title: str
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, eq=False)
class Document:
    """A whole report."""

    title: str
    facts: dict[str, str]
    sections: list[Section] = field(default_factory=list)
