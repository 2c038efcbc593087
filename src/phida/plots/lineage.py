"""Plot of the lineage: when each cluster id began, split, merged and ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter

from phida.plots import style
from phida.plots.bands import LineageBands
from phida.plots.model import Model
from phida.records import Bools


@style.documented
def plot_lineage(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the lifetime of each id as a band over the rows learned, with splits and merges between bands.

    Of more than 40 ids, the heaviest that live and the longest lives of the past are drawn, and a curve at the foot
    counts the others.
    """
    record = LineageBands.of(model)
    count = int(record.lane.max(initial=0)) + 1
    rest = record.lane < 0
    foot = count + (_REST if rest.any() else 0)
    ax = style.axes_of(ax, (8.4, float(np.clip(1.8 + 0.22 * foot, 2.2, 10.0))))
    if not len(record.id):
        return style.empty(ax, "no cluster has an id yet")
    last = max(int(record.end.max()), 1)
    ax.set(xlim=(0, 1.03 * last), ylim=(max(foot, 3) - 0.3, -0.7), yticks=[], xlabel="rows learned")
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.spines[["top", "right", "left"]].set_visible(False)
    if len(np.unique(record.id)) == count:
        ids = dict(zip(record.lane.tolist(), record.id.tolist(), strict=True))
        ax.set_yticks(list(ids), [str(id) for id in ids.values()], fontsize=style.SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("cluster id")
    _draw_bands(ax, record, style.Palette.of(model), last)
    _draw_links(ax, record)
    _draw_ends(ax, record)
    _name(ax, record)
    if rest.any():
        _count_rest(ax, record, rest, count)
    now = int(sum(not end for end in record.ended_by))
    style.title(
        ax,
        f"Lineage: {style.counted(len(np.unique(record.id)), 'id')} so far, {now:,} now",
        f"{record.n_dropped:,} older events are not in the record"
        if record.n_dropped
        else "a band is the life of an id",
    )
    _explain(ax, record)
    return ax


#: Height, in lanes, of the curve that counts ids without a band.
_REST = 5


def _draw_bands(ax: Axes, record: LineageBands, palette: style.Palette, last: int) -> None:
    drawn = record.lane >= 0
    length = np.maximum(record.end - record.begin, 0.003 * last)[drawn]
    look: dict[str, Any] = {"alpha": 0.8, "edgecolor": style.paper(), "linewidth": 0.5, "zorder": 2}
    colours = palette.colours(record.id[drawn])
    ax.barh(record.lane[drawn], length, 0.66, record.begin[drawn], color=colours, **look)


def _count_rest(ax: Axes, record: LineageBands, rest: Bools, lane: int) -> None:
    """Draw the number of ids without a band at each row, below the lanes."""
    at = np.unique(np.concatenate([record.begin[rest], record.end[rest]]))
    begun = np.searchsorted(np.sort(record.begin[rest]), at, side="right")
    lives = rest & _where("", record.ended_by)
    ended = np.searchsorted(np.sort(record.end[rest & ~lives]), at, side="right")
    alive = begun - ended
    floor, most = lane + _REST - 0.4, int(alive.max(initial=1))
    height = floor - (_REST - 2) * alive / max(most, 1)
    ax.fill_between(at, height, floor, step="post", color=style.GREY, alpha=0.5, linewidth=0)
    ids = len(np.unique(record.id[rest]))
    ax.annotate(
        f"{style.counted(ids, 'more id')}, at most {most:,} at a time",
        (0.006, floor - _REST + 1.5),
        xycoords=("axes fraction", "data"),
        fontsize=style.SMALL,
        va="center",
        path_effects=style.halo(),
        zorder=6,
    )


#: Style of events: marker, its face ("" is hollow), line style.
_LOOKS = {
    "born": ("o", "", ""),
    "split": (">", "ink", "-"),
    "merged": ("<", "", "--"),
    "died": ("x", "ink", ""),
    "revived": ("*", "ink", ":"),
}


def _look(kind: str) -> dict[str, Any]:
    marker, face, _ = _LOOKS[kind]
    hollow = {"facecolors": style.paper(), "edgecolors": style.ink(), "linewidths": 0.8}
    return {"marker": marker, "s": 22, "zorder": 5} | ({"color": style.ink(), "linewidths": 1} if face else hollow)


def _draw_links(ax: Axes, record: LineageBands) -> None:
    """Draw vertical lines, with marks at the results of splits and revivals and the sources of mergers."""
    start, end = record.lane[record.link_from], record.lane[record.link_to]
    both = (start >= 0) & (end >= 0)
    for kind in ("split", "merged", "revived"):
        mine = both & _where(kind, record.link_kind)
        x = record.link_sample[mine]
        lines: Any = np.stack([np.column_stack([x, x]), np.column_stack([start[mine], end[mine]])], axis=2)
        line = LineCollection(
            lines, colors=style.ink(), linestyles=_LOOKS[kind][2], linewidths=0.8, alpha=0.6, zorder=1
        )
        ax.add_collection(line, autolim=False)
        if kind == "merged":
            ax.scatter(x, start[mine], **_look(kind))


def _draw_ends(ax: Axes, record: LineageBands) -> None:
    for kind, names, x in (
        ("born", record.begun_by, record.begin),
        ("split", record.begun_by, record.begin),
        ("revived", record.begun_by, record.begin),
        ("died", record.ended_by, record.end),
    ):
        mine = (record.lane >= 0) & _where(kind, names)
        ax.scatter(x[mine], record.lane[mine], clip_on=False, **_look(kind))


def _where(kind: str, names: Iterable[str]) -> Bools:
    return np.array([name == kind for name in names], dtype=bool)


def _name(ax: Axes, record: LineageBands) -> None:
    """Write ids in the middle of their bands, longest lives first; next to bands of living ids if too short."""
    scale = ax.transData.transform([(0, 0), (1, 0)])[:, 0] * 72 / ax.figure.get_dpi()
    width = (record.end - record.begin) * (scale[1] - scale[0])
    names = np.array([str(id) for id in record.id.tolist()])
    drawn = record.lane >= 0
    fits = drawn & (width > 0.7 * style.SMALL * np.char.str_len(names))
    lives = drawn & ~fits & _where("", record.ended_by)
    lane, middle = record.lane.astype(np.float64), (record.begin + record.end) / 2
    order = [i for i in np.argsort(-width, kind="stable") if fits[i]]
    style.Names(ax).write(np.column_stack([middle, lane])[order], names[order].tolist(), style.CENTRE)
    style.Names(ax).write(np.column_stack([record.end, lane])[lives], names[lives].tolist(), style.RIGHT)


def _explain(ax: Axes, record: LineageBands) -> None:
    """Add a legend of the kinds of events in the plot."""
    there = {*record.begun_by, *record.ended_by, *record.link_kind}
    handles = []
    for kind, (marker, face, line) in _LOOKS.items():
        if kind in there:
            fill = style.ink() if face else style.paper()
            look: dict[str, Any] = {
                "linestyle": line,
                "markerfacecolor": fill,
                "markeredgecolor": style.ink(),
                "color": style.ink(),
                "linewidth": 0.9,
            }
            handles.append(Line2D([], [], marker=marker, markersize=5, label=kind, **look))
    if handles:
        ax.legend(
            handles=handles,
            loc="lower right",
            bbox_to_anchor=(1, 1),
            ncols=len(handles),
            fontsize=style.SMALL,
            frameon=False,
            borderaxespad=0,
        )
