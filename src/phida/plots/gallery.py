"""All plots of a model, as files."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from phida.plots import style
from phida.plots.hierarchy import plot_hierarchy
from phida.plots.history import plot_history
from phida.plots.lineage import plot_lineage
from phida.plots.model import Model
from phida.plots.nodes import plot_nodes
from phida.plots.persistence import plot_persistence
from phida.plots.profile import plot_profile

FORMATS = ("png", "svg")

#: Every plot by its file name.
PICTURES: dict[str, Callable[[Model], Axes]] = {
    "nodes": plot_nodes,
    "profile": plot_profile,
    "lineage": plot_lineage,
    "persistence": plot_persistence,
    "hierarchy": plot_hierarchy,
    "history": plot_history,
}

_ALWAYS: dict[Any, Any] = {"svg.hashsalt": "phida", "figure.dpi": 130, "savefig.dpi": "figure", "savefig.bbox": None}
_DARK: dict[Any, Any] = {
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), "#e6e9ec"),
    **dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), "#171a1d"),
    "axes.edgecolor": "#8a9199",
}


@dataclass(frozen=True)
class Picture:
    """A plot as the content of an image file."""

    name: str
    title: str
    data: bytes


def rendered(model: Model, format: str = "png", *, dark: bool = False) -> Iterator[Picture]:
    """Draw all plots of a model as png or svg, on a light or a dark background; the same model gives the same bytes."""
    metadata = {"Date": None, "Creator": None} if format == "svg" else {"Software": None}
    for name, plot in PICTURES.items():
        with mpl.rc_context(_ALWAYS | (_DARK if dark else {})), style.for_files(), warnings.catch_warnings():
            # A feature's name may have letters that the font lacks.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            ax = plot(model)
            buffer = io.BytesIO()
            cast(Figure, ax.figure).savefig(buffer, format=format, metadata=metadata)
        yield Picture(name, ax.get_title(loc="left"), buffer.getvalue())
