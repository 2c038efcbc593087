"""Plot of the lineage: when each cluster id began, split, merged and ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from phida.plots import style
from phida.plots.bands import LineageBands
from phida.plots.model import Model
from phida.records import Bools


def plot_lineage(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the lifetime of each id as a band over the samples learned, with splits and merges between bands.

    Parameters
    ----------
    model : PHIDA
        A fitted model.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on (default: a new figure).

    Returns
    -------
    ax : matplotlib.axes.Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import plot_lineage
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_lineage(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'Lineage: 9 ids so far, 8 now'
    """
    record = LineageBands.of(model)
    count = int(record.lane.max(initial=0)) + 1
    ax = style.axes_of(ax, (8.4, float(np.clip(1.8 + 0.22 * count, 2.6, 9.0))))
    if not len(record.id):
        return style.empty(ax, "no cluster has an id yet")
    last = max(int(record.end.max()), 1)
    ax.set(xlim=(0, 1.03 * last), ylim=(count - 0.3, -0.7), yticks=[], xlabel="samples learned")
    ax.spines[["top", "right", "left"]].set_visible(False)
    if len(np.unique(record.id)) == count:
        ids = dict(zip(record.lane.tolist(), record.id.tolist(), strict=True))
        ax.set_yticks(list(ids), [str(id) for id in ids.values()], fontsize=style.SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_ylabel("cluster id")
    colours = [style.colour(id) for id in record.id.tolist()]
    length = np.maximum(record.end - record.begin, 0.003 * last)
    ax.barh(record.lane, length, 0.62, record.begin, color=colours, alpha=0.75, edgecolor=style.paper(), linewidth=0.5)
    _draw_links(ax, record)
    _draw_ends(ax, record)
    _name(ax, record)
    now = int(sum(not end for end in record.ended_by))
    style.title(
        ax,
        f"Lineage: {len(np.unique(record.id))} ids so far, {now} now",
        f"{record.n_dropped:,} older events are not in the record"
        if record.n_dropped
        else "a band is the life of an id",
    )
    _explain(ax, record)
    return ax


#: How events look: marker, its face ("" is hollow), line style.
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
    """Upright lines; what a split or a revival leads to and what a merger comes from is marked."""
    start, end = record.lane[record.link_from], record.lane[record.link_to]
    for kind in ("split", "merged", "revived"):
        mine = _where(kind, record.link_kind)
        x = record.link_sample[mine]
        lines: Any = np.stack([np.column_stack([x, x]), np.column_stack([start[mine], end[mine]])], axis=2)
        line = LineCollection(
            lines, colors=style.ink(), linestyles=_LOOKS[kind][2], linewidths=0.8, alpha=0.7, zorder=2
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
        mine = _where(kind, names)
        ax.scatter(x[mine], record.lane[mine], clip_on=False, **_look(kind))


def _where(kind: str, names: Iterable[str]) -> Bools:
    return np.array([name == kind for name in names], dtype=bool)


def _name(ax: Axes, record: LineageBands) -> None:
    """Ids in the middle of their bands, the longest lives first; beside those that live and have no room."""
    scale = ax.transData.transform([(0, 0), (1, 0)])[:, 0] * 72 / ax.figure.get_dpi()
    width = (record.end - record.begin) * (scale[1] - scale[0])
    names = np.array([str(id) for id in record.id.tolist()])
    fits = width > 0.7 * style.SMALL * np.char.str_len(names)
    lives = ~fits & _where("", record.ended_by)
    lane, middle = record.lane.astype(np.float64), (record.begin + record.end) / 2
    order = [i for i in np.argsort(-width, kind="stable") if fits[i]]
    style.name_points(ax, middle[order], lane[order], names[order].tolist(), away=0)
    style.name_points(ax, record.end[lives].astype(np.float64), lane[lives], names[lives].tolist(), beside=True)


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
