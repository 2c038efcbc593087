"""The lives of the clusters: when each id began, split, merged and ended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from phida.lineage import Event
from phida.plots import style
from phida.plots.lanes import lanes
from phida.plots.model import Model
from phida.views import Bools, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd


#: More ids than this share lanes.
_OWN_LANES = 40


@dataclass(frozen=True, eq=False)
class LineageBands(_Record):
    """A band for each life of an id, and a link for each split and merger. An id that is revived has several lives."""

    id: Ints
    """Whose life it is; in the order in which they began."""
    begin: Ints
    """Sample at which it began."""
    end: Ints
    """Sample at which it ended; the last sample where it goes on."""
    begun_by: tuple[str, ...]
    """born, split or revived; empty where that was before the events that were kept, or after the last refresh."""
    ended_by: tuple[str, ...]
    """merged or died; empty where it goes on."""
    lane: Ints
    """Where it is drawn: bands of one lane do not meet. Each id has a lane of its own, as far as there are few."""
    link_sample: Ints
    """Per link, when it was."""
    link_kind: tuple[str, ...]
    """split, merged, or revived where an id came back out of another."""
    link_from: Ints
    """The band that it leads from."""
    link_to: Ints
    """The band that it leads to."""
    n_dropped: int
    """Events that were too many to be kept."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """From a fitted model."""
        lineage = model.lineage_
        lives = _Lives(lineage[0].sample if lineage.n_dropped and len(lineage) else 0)
        for event in lineage:
            lives.take(event)
        lives.complete(model.cluster_ids_.tolist(), model.n_samples_seen_, forgetful=lineage.n_dropped > 0)
        end = [model.n_samples_seen_ if last is None else last for last in lives.end]
        return cls(
            id=np.array(lives.id, dtype=np.int64),
            begin=np.array(lives.begin, dtype=np.int64),
            end=np.array(end, dtype=np.int64),
            begun_by=tuple(lives.begun_by),
            ended_by=tuple(lives.ended_by),
            lane=_lanes(lives, end),
            link_sample=np.array(lives.link_sample, dtype=np.int64),
            link_kind=tuple(lives.link_kind),
            link_from=np.array(lives.link_from, dtype=np.int64),
            link_to=np.array(lives.link_to, dtype=np.int64),
            n_dropped=lineage.n_dropped,
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row per band."""
        names = ("id", "begin", "end", "begun_by", "ended_by", "lane")
        return _frame({name: getattr(self, name) for name in names})

    def links_to_pandas(self) -> pd.DataFrame:
        """One row per link, with the ids that it leads from and to."""
        return _frame(
            {
                "sample": self.link_sample,
                "kind": self.link_kind,
                "from": self.id[self.link_from],
                "to": self.id[self.link_to],
            }
        )


class _Lives:
    """Bands and links, as event follows event."""

    def __init__(self, first_sample: int) -> None:
        self.first_sample = first_sample
        self.id: list[int] = []
        self.begin: list[int] = []
        self.end: list[int | None] = []
        self.begun_by: list[str] = []
        self.ended_by: list[str] = []
        self.link_sample: list[int] = []
        self.link_kind: list[str] = []
        self.link_from: list[int] = []
        self.link_to: list[int] = []
        self._now: dict[int, int] = {}

    def of(self, id: int) -> int:
        """The band of an id that lives; begun before the record if nothing is known of it."""
        return self._now[id] if id in self._now else self._open(id, self.first_sample, "")

    def take(self, event: Event) -> None:
        """Go one event on."""
        parents = [self.of(id) for id in event.before]
        if event.kind == "merged":
            for id, band in zip(event.before[1:], parents[1:], strict=True):
                self._close(id, event)
                self._link(event, band, parents[0])
        elif event.kind == "died":
            self._close(event.before[0], event)
        else:
            for id in event.after[1:] if event.kind == "split" else event.after:
                band = self._open(id, event.sample, event.kind)
                if parents:
                    self._link(event, parents[0], band)

    def complete(self, ids: list[int], now: int, *, forgetful: bool) -> None:
        """Add clusters that no event speaks of: new ones, and such as are older than all events that were kept."""
        latest = max(self.id, default=-1)
        for id in ids:
            if id not in self._now:
                old = forgetful and id < latest and id not in self.id
                self._open(id, self.first_sample if old else now, "")

    def _open(self, id: int, sample: int, kind: str) -> int:
        self._now[id] = len(self.id)
        self.id.append(id)
        self.begin.append(sample)
        self.end.append(None)
        self.begun_by.append(kind)
        self.ended_by.append("")
        return self._now[id]

    def _close(self, id: int, event: Event) -> None:
        band = self._now.pop(id)
        self.end[band], self.ended_by[band] = event.sample, event.kind

    def _link(self, event: Event, source: int, target: int) -> None:
        self.link_sample.append(event.sample)
        self.link_kind.append(event.kind)
        self.link_from.append(source)
        self.link_to.append(target)


def _lanes(lives: _Lives, end: list[int]) -> Ints:
    ids = {id: lane for lane, id in enumerate(dict.fromkeys(lives.id))}
    if len(ids) <= _OWN_LANES:
        return np.array([ids[id] for id in lives.id], dtype=np.int64)
    parents = dict(zip(lives.link_to, lives.link_from, strict=True))
    return lanes(lives.begin, end, [parents.get(i) for i in range(len(end))])


def plot_lineage(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the life of each id as a band over the samples learned, with splits and mergers between the bands.

    Parameters
    ----------
    model : PHIDA
        A fitted model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    ax : matplotlib.axes.Axes
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
    """A legend of what there is."""
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
