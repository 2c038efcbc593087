"""Persistence diagram of the peaks of support or, in PHIDA+, of density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from phida.plots import style
from phida.plots.model import Model
from phida.records import Bools, Floats, Ints, _Record

#: Maximum number of named places.
_NAMES = 30


@dataclass(frozen=True, eq=False)
class PersistenceDiagram(
    _Record, key="node", entry="mode", frame="node birth death persistence threshold kept id scale"
):
    """Birth, death and persistence of the modes of log support or, in PHIDA+, of log density."""

    measure: str
    """Measure whose logarithm is the birth: ``support`` or, in PHIDA+, ``density``."""
    node: Ints
    """Position of each mode among the nodes."""
    birth: Floats
    """Logarithm of the mode's ``measure``."""
    persistence: Floats
    """Persistence of the mode; inf if it never meets a denser one."""
    death: Floats
    """Level at which the mode meets a denser one; -inf if it never does."""
    threshold: Floats
    """Persistence threshold of each mode: one value for all (ε) or, in PHIDA+, what chance alone would show."""
    kept: Bools
    """Whether the mode persists: it is then the peak of a component or, in PHIDA+, of a cluster."""
    id: Ints
    """Lasting id of the mode's cluster."""
    weight: Floats
    """Support of the mode's cluster."""
    scale: Ints | None
    """PHIDA+ only: number of neighbours that the density of each mode was measured over; 0 for equal rows."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model."""
        found, nodes = model.persistence_, model.nodes_
        of = np.unique(nodes.cluster, return_inverse=True)[1]
        threshold = np.broadcast_to(found.threshold, found.birth.shape)
        return cls(
            measure="support" if found.scale is None else "density",
            node=found.node,
            birth=found.birth,
            death=found.death,
            persistence=found.persistence,
            threshold=threshold,
            kept=found.persistence > threshold if found.scale is None else found.persistence >= threshold,
            id=nodes.cluster_id[found.node],
            weight=np.bincount(of, nodes.support).astype(np.float64)[of[found.node]],
            scale=found.scale,
        )

    @property
    def gap(self) -> tuple[float, float]:
        """Bounds of the gap of PHIDA: the threshold, and the smallest kept persistence (inf if all are infinite)."""
        return float(self.threshold.max(initial=0.0)), float(self.persistence[self.kept].min(initial=np.inf))

    @property
    def ratio(self) -> Floats:
        """Persistence of each mode in units of its threshold; inf if it never meets a denser one."""
        ratio: Floats = self.persistence / self.threshold
        return ratio


@style.documented
def plot_persistence(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the modes and the threshold from which on they are peaks of components or clusters.

    In PHIDA, the axes are birth and death: modes far from the diagonal are persistent. Those above the threshold are
    the peaks of PH components. Modes that never die are on a line of their own.

    In PHIDA+, a column holds the modes of one scale: the number of neighbours that densities were measured over. The
    upright axis is prominence (birth minus death) over what chance alone would show, and modes from 1 on are the peaks
    of clusters. In a column, modes are sorted by birth, the densest on the right. Area shows the weight of the cluster.

    Modes that last are named by the id of their cluster, the largest clusters first; the others are small and grey.
    """
    record = PersistenceDiagram.of(model)
    palette = style.Palette.of(model)
    ax = style.axes_of(ax, (6.4, 5.2))
    x, y = _place_by_death(ax, record) if record.scale is None else _place_by_scale(ax, record, record.scale)
    style_of_absorbed: dict[str, Any] = {"s": 12, "facecolors": "none", "edgecolors": style.GREY, "linewidths": 0.8}
    ax.scatter(x[~record.kept], y[~record.kept], **style_of_absorbed)
    area = np.full(len(x), 42.0)
    if record.scale is not None and record.kept.any():
        most = 160 * min(1.0, 40 / record.kept.sum())
        area = np.clip(most * record.weight / record.weight[record.kept].max(), 12, None)
    for id in np.unique(record.id[record.kept]).tolist():
        mine = record.kept & (record.id == id)
        ax.scatter(x[mine], y[mine], s=area[mine], zorder=4, **palette.look(id))
    _name(ax, record, x, y)
    style.title(
        ax,
        f"Persistence: {int(record.kept.sum())} of {style.counted(len(record.kept), 'mode')} last",
        "names are ids of clusters" + ("; grey modes are absorbed" if not record.kept.all() else ""),
    )
    return ax


def _place_by_death(ax: Axes, record: PersistenceDiagram) -> tuple[Floats, Floats]:
    """Set up birth against death; return the position of each mode, with immortal modes below the others."""
    levels = np.concatenate([record.birth, record.death])
    levels = levels[np.isfinite(levels)]
    low, high = (levels.min(), levels.max()) if len(levels) else (0.0, 0.0)
    margin = 0.06 * (high - low) or 0.5
    never = low - 2.5 * margin
    limits = low - margin, high + margin
    ax.set(xlim=limits, ylim=(never - margin, limits[1]), xlabel=f"birth (log {record.measure})", ylabel="death")
    _draw_threshold(ax, record, limits)
    ax.axhline(low - 1.25 * margin, color=style.GREY, linewidth=0.6)
    ticks = [tick for tick in ax.get_yticks() if limits[0] <= tick <= limits[1]]
    ax.set_yticks([never, *ticks], ["never", *(f"{tick:g}" for tick in ticks)])
    return record.birth, np.where(np.isfinite(record.death), record.death, never)


def _place_by_scale(ax: Axes, record: PersistenceDiagram, scale: Ints) -> tuple[Floats, Floats]:
    """Set up one column per scale against prominence / chance; return the position of each mode.

    Modes that never die are at the top.
    """
    finite = np.isfinite(record.ratio)
    top = max(float(record.ratio[finite].max(initial=1.0)), 1.2)
    style.scale_by_ratio(ax, top)
    along = ax.yaxis.get_transform()
    end = float(along.transform(np.array([top]))[0])
    edge, never, limit = (float(y) for y in along.inverted().transform(end * np.array([1.07, 1.15, 1.23])))
    ax.set_ylim(-0.06 * end, limit)
    scales, of = np.unique(scale, return_inverse=True)
    count = np.bincount(of)
    width = np.sqrt(count) + 1.0  # with half a step of margin on both sides
    start = np.concatenate([[0.0], np.cumsum(width)])
    x = np.empty(len(of))
    x[np.lexsort([record.birth, of])] = np.concatenate(
        [
            begin + 0.5 + (wide - 1.0) * (np.arange(many) + 0.5) / many
            for begin, wide, many in zip(start, width, count, strict=False)
        ]
    )
    for line in start[1:-1]:
        ax.axvline(line, color=style.GREY, linewidth=0.6, alpha=0.6)
    ax.set_xlim(0, start[-1])
    ax.set_xticks((start[1:] + start[:-1]) / 2, [str(k) if k else "equal rows" for k in scales])
    ax.tick_params(axis="x", length=0)
    ax.axhline(1.0, color=style.ink(), linestyle="--", linewidth=1)
    style.note_line(ax, "what chance alone would show", 1.0)
    ax.axhline(edge, color=style.GREY, linewidth=0.6)
    ax.set_yticks([*ax.get_yticks(), never], [*(f"{tick:g}" for tick in ax.get_yticks()), "never dies"])
    ax.set(xlabel="neighbours that density is measured over", ylabel="prominence / chance")
    return x, np.where(finite, record.ratio, never)


def _draw_threshold(ax: Axes, record: PersistenceDiagram, limits: tuple[float, float]) -> None:
    x, floor = np.array(limits), limits[0]
    ax.plot(x, x, color=style.GREY, linewidth=0.8)
    lower, upper = record.gap
    if np.isfinite(upper):
        across = np.linspace(*limits, 200)
        top, bottom = np.maximum(across - lower, floor), np.maximum(across - upper, floor)
        gap = f"gap: none between {lower:.3g} and {upper:.3g}"
        ax.fill_between(across, bottom, top, color=style.COLOURS[5], alpha=0.25, linewidth=0, label=gap)
    across = np.array([min(limits[0] + lower, limits[1]), limits[1]])
    ax.plot(across, across - lower, color=style.ink(), linestyle="--", linewidth=1, label=f"threshold {lower:.3g}")
    ax.legend(loc="upper left", fontsize=style.SMALL, frameon=False)


def _name(ax: Axes, record: PersistenceDiagram, x: Floats, y: Floats) -> None:
    """Write one name for all modes at a place, largest clusters first."""
    places: dict[tuple[float, float], list[int]] = {}
    for i in np.lexsort([-record.birth, -record.weight]):
        if record.kept[i]:
            ids = places.setdefault((float(x[i]), float(y[i])), [])
            if record.id[i] not in ids:
                ids.append(int(record.id[i]))
    points = np.array(list(places)[:_NAMES]).reshape(-1, 2)
    names = [style.joined(ids) for ids in places.values()][:_NAMES]
    style.Names(ax).write(points, names)
