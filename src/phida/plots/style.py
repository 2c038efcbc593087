"""Shared style of the plots: cluster colours and markers, safe text, labels that do not overlap."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Self, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from phida.plots.model import Model
from phida.projection import Projection, spread_colours
from phida.records import Bools, Floats, Ints

Plot = TypeVar("Plot", bound=Callable[..., Axes])

#: As distinct for colour-blind readers as twelve colours can be, on white and on black.
COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#d55e00",
    "#cc79a7",
    "#56b4e9",
    "#999933",
    "#6b3fd4",
    "#7d5a1a",
    "#aa186d",
    "#6dce9e",
    "#9a86f0",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "X")
#: Nodes without a cluster, and secondary lines.
GREY = "#8a8a8a"

_for_files: ContextVar[bool] = ContextVar("for_files", default=False)

#: Parameters and result of a plot, for its docstring.
_SHARED = """

Parameters
----------
model : PHIDA or PHIDAPlus
    A fitted model.
ax : matplotlib.axes.Axes, optional
    Axes to draw on (default: a new figure).

Returns
-------
ax : matplotlib.axes.Axes
"""

#: Font size of notes and names, in points.
SMALL = 8.0


def documented(plot: Plot) -> Plot:
    """Add the parameters and the result that plots share to a docstring."""
    plot.__doc__ = inspect.cleandoc(plot.__doc__ or "") + _SHARED
    return plot


class Palette:
    """Colours and markers of the clusters of a model, the same in all its plots.

    The twelve largest clusters have different colours, and clusters that share a colour are far apart on the map. Ids
    of the past have a colour by their number.
    """

    def __init__(self, ids: Ints, weight: Floats, place: Floats) -> None:
        wish = ids % len(COLOURS)
        self._number = dict(zip(ids.tolist(), spread_colours(weight, place, wish, len(COLOURS)).tolist(), strict=True))

    @classmethod
    def of(cls, model: Model, position: Floats | None = None) -> Self:
        """Return the palette of a fitted model; pass the positions of its nodes on the map if known."""
        nodes = model.nodes_
        mine = nodes.cluster_id >= 0
        ids, of = np.unique(nodes.cluster_id[mine], return_inverse=True)
        if position is None:
            position = Projection.of(model).transform(nodes.representatives)
        weight: Floats = np.bincount(of, nodes.support[mine], len(ids)).astype(np.float64)
        sums = [np.bincount(of, nodes.support[mine] * axis, len(ids)) for axis in position[mine].T]
        return cls(ids, weight, np.column_stack(sums) / weight[:, None])

    def colour(self, id: int) -> str:
        """Return the colour of a cluster."""
        return COLOURS[self._number.get(id, id % len(COLOURS))]

    def colours(self, ids: Ints) -> list[str]:
        """Return the colour of each id."""
        return [self.colour(id) for id in ids.tolist()]

    def marker(self, id: int) -> str:
        """Return the marker of a cluster."""
        return MARKERS[id % len(MARKERS)]

    def look(self, id: int) -> dict[str, Any]:
        """Return the marker style of a cluster."""
        return {"color": self.colour(id), "marker": self.marker(id), "edgecolors": ink(), "linewidths": 0.5}


def ink() -> str:
    """Return the text colour, so that plots follow a dark style."""
    return str(mpl.rcParams["text.color"])


def paper() -> str:
    """Return the background colour."""
    return str(mpl.rcParams["axes.facecolor"])


def axes_of(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Return the given axes, or new ones; pyplot creates these, so that notebooks show them, unless drawn to a file."""
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
    """Set a title, and a small note below it, broken into lines that fit the axes."""
    width = ax.get_window_extent().width * 72 / ax.figure.get_dpi()
    lines = textwrap.wrap(note, max(int(width / (0.54 * SMALL)), 30))
    ax.set_title(text, loc="left", fontsize=10, fontweight="bold", pad=6 + 1.35 * (SMALL + 1) * len(lines))
    if lines:
        ax.annotate(
            "\n".join(lines),
            (0, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=SMALL,
            color=GREY,
        )


def note_line(ax: Axes, text: str, y: float) -> None:
    """Write small text above the right end of a line across the axes."""
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


#: Offsets of a name from its point, in points, in order of preference.
DIAGONAL = ((5.0, 5.0), (-5.0, 5.0), (5.0, -5.0), (-5.0, -5.0))
CENTRE = ((0.0, 0.0),)
NEAR_CENTRE = ((0.0, 0.0), (0.0, 4.0), (0.0, -4.0), (4.0, 0.0), (-4.0, 0.0))
RIGHT = ((5.0, 0.0),)


class Names:
    """Names at points of axes. A name that would cover another is left out.

    A name with several possible places does not cross the frame of the axes.

    The limits of the axes must be set before.
    """

    def __init__(self, ax: Axes) -> None:
        self._ax = ax
        self._placed = np.empty((0, 4))

    def write(
        self,
        points: Floats,
        names: Sequence[str],
        offsets: Sequence[tuple[float, float]] = DIAGONAL,
        *,
        size: float = SMALL,
        bold: bool = True,
    ) -> Bools:
        """Write names in order of priority; return a mask of those that fitted."""
        unit = self._ax.figure.get_dpi() / 72
        places = self._ax.transData.transform(points.reshape(-1, 2)) / unit
        frame = np.array(self._ax.get_window_extent().extents) / unit
        written = np.zeros(len(names), dtype=bool)
        for i, (place, name) in enumerate(zip(places, names, strict=True)):
            for offset in offsets:
                box = _box(place + offset, offset, name, size)
                if len(offsets) > 1 and ((box[:2] < frame[:2]).any() or (box[2:] > frame[2:]).any()):
                    continue
                if not _overlap(box, self._placed):
                    self._placed = np.vstack([self._placed, box])
                    _write(self._ax, name, (points[i, 0], points[i, 1]), offset, size, bold=bold)
                    written[i] = True
                    break
        return written


def _box(place: Floats, offset: tuple[float, float], name: str, size: float) -> Floats:
    """Return left, bottom, right and top of a name in points, with a margin in case layout shrinks the axes."""
    extent = np.array([0.75 * size * len(name), 1.3 * size])
    start = place - extent * (1 - np.sign(offset)) / 2
    return np.concatenate([start, start + extent])


def _write(
    ax: Axes, name: str, anchor: tuple[float, float], offset: tuple[float, float], size: float, *, bold: bool
) -> None:
    dx, dy = offset
    ax.annotate(
        name,
        anchor,
        offset,
        textcoords="offset points",
        fontsize=size,
        fontweight="bold" if bold else "normal",
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


def scale_by_ratio(ax: Axes, top: float) -> None:
    """Scale the vertical axis for prominence over chance: linear up to 1, the cut, and logarithmic above.

    Two fifths of the height up to ``top`` are below 1; if ``top`` is at most 1, all of it.
    """
    stretch = 1.5 / np.log(max(top, 1.5)) if top > 1 else 1.0
    below, above = np.minimum, np.maximum
    ax.set_yscale(
        "function",
        functions=(
            lambda y: below(y, 1.0) + stretch * np.log(above(y, 1.0)),
            lambda y: below(y, 1.0) + np.expm1(above(y - 1.0, 0.0) / stretch),
        ),
    )
    if top <= 1:
        ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    elif top < 2:
        ticks = [0.0, 0.5, 1.0, *np.arange(1.1, top + 0.01, 0.1 if top < 1.5 else 0.2).round(1)]
    else:
        steps = (1, 2, 5) if top < 200 else (1,)
        ticks = [0.0, 0.5, *(step * 10.0**power for power in range(int(np.log10(top)) + 1) for step in steps)]
    ticks = [tick for tick in ticks if tick <= max(top, 1.0)]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()


def joined(ids: Iterable[int], most: int = 4) -> str:
    """Join ids into one label."""
    names = [str(id) for id in ids]
    return " ".join(names[:most]) + (f" +{len(names) - most}" if len(names) > most else "")
