"""Persistence diagram of the peaks of support or, in PHIDA+, of density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes

from phida.plots import style
from phida.plots.model import Model
from phida.records import Bools, Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: Places that are named: more cover the picture.
_NAMES = 30

#: Ratios of prominence to chance below this are drawn at it.
_LEAST = 0.05


@dataclass(frozen=True, eq=False)
class PersistenceDiagram(_Record):
    """Birth, death and persistence of the modes of log support or, in PHIDA+, of log density.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import PersistenceDiagram
    >>> PersistenceDiagram.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['node', 'birth', 'death', 'persistence', 'threshold', 'kept', 'id']
    """

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

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model.

        Parameters
        ----------
        model : PHIDA

        Returns
        -------
        record : PersistenceDiagram
        """
        found = model.persistence_
        plus = model.hierarchy_.leaves == "node"
        threshold = np.broadcast_to(found.threshold, found.birth.shape)
        return cls(
            measure="density" if plus else "support",
            node=found.node,
            birth=found.birth,
            death=found.death,
            persistence=found.persistence,
            threshold=threshold,
            kept=found.persistence >= threshold if plus else found.persistence > threshold,
            id=model.nodes_.cluster_id[found.node],
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

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per mode."""
        return _frame(
            {
                "node": self.node,
                "birth": self.birth,
                "death": self.death,
                "persistence": self.persistence,
                "threshold": self.threshold,
                "kept": self.kept,
                "id": self.id,
            }
        )


def plot_persistence(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the modes by birth and death, with the threshold and its gap.

    Modes far from the diagonal are persistent. Those above the threshold are the peaks of PH components and have the
    id of their cluster; the others are small and grey. Modes that never die are on a line of their own.

    In PHIDA+, each mode has its own threshold. The upright axis is the ratio of prominence (birth minus death) to what
    chance alone would show, and modes from 1 on are the peaks of clusters.

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
    >>> from phida.plots import plot_persistence
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_persistence(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'Persistence: 8 of 10 modes last'
    """
    record = PersistenceDiagram.of(model)
    ax = style.axes_of(ax, (6.4, 5.2))
    y = _place_by_ratio(ax, record) if record.measure == "density" else _place_by_death(ax, record)
    style_of_absorbed: dict[str, Any] = {"s": 12, "facecolors": "none", "edgecolors": style.GREY, "linewidths": 0.8}
    ax.scatter(record.birth[~record.kept], y[~record.kept], **style_of_absorbed)
    for id in np.unique(record.id[record.kept]).tolist():
        mine = record.kept & (record.id == id)
        ax.scatter(record.birth[mine], y[mine], s=42, zorder=4, **style.look(id))
    ax.set_xlabel(f"birth (log {record.measure})")
    _name(ax, record, y)
    style.title(
        ax,
        f"Persistence: {int(record.kept.sum())} of {len(record.kept)} modes last",
        "named by the id of their cluster; grey modes are absorbed",
    )
    return ax


def _place_by_death(ax: Axes, record: PersistenceDiagram) -> Floats:
    """Set up birth against death, and return the height of each mode; modes that never die are below the others."""
    levels = np.concatenate([record.birth, record.death])
    levels = levels[np.isfinite(levels)]
    low, high = (levels.min(), levels.max()) if len(levels) else (0.0, 0.0)
    margin = 0.06 * (high - low) or 0.5
    never = low - 2.5 * margin
    limits = low - margin, high + margin
    ax.set(xlim=limits, ylim=(never - margin, limits[1]), ylabel="death")
    _draw_threshold(ax, record, limits)
    ax.axhline(low - 1.25 * margin, color=style.GREY, linewidth=0.6)
    ticks = [tick for tick in ax.get_yticks() if limits[0] <= tick <= limits[1]]
    ax.set_yticks([never, *ticks], ["never", *(f"{tick:g}" for tick in ticks)])
    return np.where(np.isfinite(record.death), record.death, never)


def _place_by_ratio(ax: Axes, record: PersistenceDiagram) -> Floats:
    """Set up birth against prominence / chance, and return the height of each mode; those that never die are on top."""
    finite = np.isfinite(record.ratio)
    top = max(float(record.ratio[finite].max(initial=1.0)), 2.0)
    never = 2.5 * top
    margin = 0.06 * np.ptp(record.birth) or 0.5
    limits = record.birth.min() - margin, record.birth.max() + margin
    ax.set(xlim=limits, ylim=(0.7 * _LEAST, 1.6 * never), yscale="log", ylabel="prominence / chance")
    ax.axhline(1.0, color=style.ink(), linestyle="--", linewidth=1)
    style.note_line(ax, "what chance alone would show", 1.0)
    ax.axhline((top * never) ** 0.5, color=style.GREY, linewidth=0.6)
    ticks = [0.1, 0.2, 0.5, *style.ratios(top)]
    ax.set_yticks([*ticks, never], [*(f"{tick:g}" for tick in ticks), "never dies"])
    ax.minorticks_off()
    return np.where(finite, np.maximum(record.ratio, _LEAST), never)


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


def _name(ax: Axes, record: PersistenceDiagram, y: Floats) -> None:
    """One name for all modes at a place, the longest lasting first."""
    places: dict[tuple[float, float], list[int]] = {}
    for i in np.lexsort([-record.birth, -record.persistence]):
        if record.kept[i]:
            ids = places.setdefault((float(record.birth[i]), float(y[i])), [])
            if record.id[i] not in ids:
                ids.append(int(record.id[i]))
    points = np.array(list(places)[:_NAMES]).reshape(-1, 2)
    names = [style.joined(ids) for ids in places.values()][:_NAMES]
    style.name_points(ax, points[:, 0], points[:, 1], names)
