"""Shared style of the plots: cluster colours and markers, safe text, labels that do not overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Told apart by the colour-blind, on white and on black. Seven, and eight markers: 56 ids differ in the pair of them,
#: and neighbours in both.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#999933")
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "X")
#: For what belongs to no cluster, and for lines that are not the point.
GREY = "#8a8a8a"

_for_files: ContextVar[bool] = ContextVar("for_files", default=False)

#: Size of small print and of names, in points.
SMALL = 8.0


def colour(id: int) -> str:
    """Return the colour of a cluster."""
    return COLOURS[id % len(COLOURS)]


def marker(id: int) -> str:
    """Return the marker of a cluster."""
    return MARKERS[id % len(MARKERS)]


def look(id: int) -> dict[str, Any]:
    """Return the marker style of a cluster."""
    return {"color": colour(id), "marker": marker(id), "edgecolors": ink(), "linewidths": 0.5}


def ink() -> str:
    """Return the text colour, so that plots follow a dark style."""
    return str(mpl.rcParams["text.color"])


def paper() -> str:
    """Return the background colour."""
    return str(mpl.rcParams["axes.facecolor"])


def axes_of(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or new ones; from pyplot, so that notebooks show them, unless drawn to a file."""
    if ax is not None:
        return ax
    if _for_files.get():
        return Figure(figsize=size, layout="constrained").add_subplot()
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


@contextmanager
def for_files() -> Iterator[None]:
    """Create figures without pyplot, which would keep them and may need a display."""
    token = _for_files.set(True)
    try:
        yield
    finally:
        _for_files.reset(token)


def title(ax: Axes, text: str, note: str = "") -> None:
    """Set a title, and a note in small print below it."""
    ax.set_title(text, loc="left", fontsize=10, fontweight="bold", pad=18 if note else 6)
    if note:
        ax.annotate(
            note, (0, 1), (0, 5), xycoords="axes fraction", textcoords="offset points", fontsize=SMALL, color=GREY
        )


def note_line(ax: Axes, text: str, y: float) -> None:
    """Write in small print above the right end of a line across the axes."""
    ax.annotate(
        text,
        (1, y),
        (-6, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=SMALL,
        path_effects=halo(),
        zorder=6,
    )


def plain(text: object, longest: int = 28) -> str:
    """Return text as one short line, without line breaks and other characters that cannot be drawn."""
    line = "".join(letter if letter.isprintable() else " " for letter in str(text))
    return line if len(line) <= longest else line[: longest - 1] + "…"


def empty(ax: Axes, text: str) -> Axes:
    """Write on empty axes why there is no plot."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", color=GREY)
    return ax


def halo() -> list[withStroke]:
    """Return an outline that keeps a label readable over markers."""
    return [withStroke(linewidth=2.5, foreground=paper())]


def name_points(
    ax: Axes, x: Floats, y: Floats, names: Sequence[str], *, away: float = 5.0, beside: bool = False
) -> int:
    """Write names about points, the first ones first; a name that would cover another is left out.

    They stand diagonally ``away`` from their points, at them where that is 0, or to the right where it is ``beside``.
    The limits of the axes must be set. Answers how many were written.
    """
    offsets = [(away, 0.0)] if beside else [(away, away), (-away, away), (away, -away), (-away, -away)]
    places = ax.transData.transform(np.column_stack([x, y])) * 72 / ax.figure.get_dpi()
    placed = np.empty((0, 4))
    for place, anchor, name in zip(places, zip(x, y, strict=True), names, strict=True):
        for offset in offsets:
            box = _box(place + offset, offset, name)
            if not _overlap(box, placed):
                placed = np.vstack([placed, box])
                _write(ax, name, anchor, offset)
                break
    return len(placed)


def _box(place: Floats, offset: tuple[float, float], name: str) -> Floats:
    """Left, bottom, right and top of a name in points; layout may shrink the axes, so there is some room to spare."""
    size = np.array([0.75 * SMALL * len(name), 1.3 * SMALL])
    start = place - size * (1 - np.sign(offset)) / 2
    return np.concatenate([start, start + size])


def _write(ax: Axes, name: str, anchor: tuple[float, float], offset: tuple[float, float]) -> None:
    dx, dy = offset
    ax.annotate(
        name,
        anchor,
        offset,
        textcoords="offset points",
        fontsize=SMALL,
        fontweight="bold",
        ha="center" if dx == 0 else "left" if dx > 0 else "right",
        va="center" if dy == 0 else "bottom" if dy > 0 else "top",
        path_effects=halo(),
        parse_math=False,
        in_layout=False,
        zorder=6,
    )


def _overlap(box: Floats, others: Floats) -> bool:
    apart = (others[:, :2] >= box[2:]) | (others[:, 2:] <= box[:2])
    return not apart.any(axis=1).all()


def counted(number: int, word: str) -> str:
    """Return a count with its noun, in the right plural."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")


def ratios(top: float) -> list[float]:
    """Return the ticks 1, 2, 5, 10, … of a logarithmic axis up to ``top``; powers of ten if it is long."""
    steps = (1, 2, 5) if top < 200 else (1,)
    values = [step * 10.0**power for power in range(int(np.log10(top)) + 1) for step in steps]
    return [value for value in values if value <= top]


def joined(ids: Iterable[int], most: int = 4) -> str:
    """Join ids into one label."""
    names = [str(id) for id in ids]
    return " ".join(names[:most]) + (f" +{len(names) - most}" if len(names) > most else "")
