"""Persistence diagram of the peaks of support or of flow."""

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


@dataclass(frozen=True, eq=False)
class PersistenceDiagram(_Record):
    """Birth, death and persistence of the modes of log support, or of the log density of flow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import PersistenceDiagram
    >>> PersistenceDiagram.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['node', 'birth', 'death', 'persistence', 'kept', 'id']
    """

    measure: str
    """Measure whose logarithm is the birth: ``support`` or, in PHIDA+, ``density of flow``."""
    node: Ints
    """Position of each mode among the nodes."""
    birth: Floats
    """Logarithm of the mode's ``measure``; -inf for a node without flow."""
    persistence: Floats
    """Persistence of the mode; inf if it never meets a denser one."""
    death: Floats
    """Level at which the mode meets a denser one; -inf if it never does."""
    kept: Bools
    """Whether the persistence exceeds the threshold; if so, the mode is the peak of a component or group."""
    id: Ints
    """Lasting id of the mode's cluster."""
    threshold: float
    """Persistence threshold (ε): modes up to it are absorbed."""
    gap: tuple[float, float]
    """Bounds of the gap: the threshold, and the smallest kept persistence (infinite if all are infinite)."""

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
        kept = found.persistence > found.threshold
        next_longer = float(found.persistence[kept].min(initial=np.inf))
        return cls(
            measure="density of flow" if model.hierarchy_.leaves == "node" else "support",
            node=found.node,
            birth=found.birth,
            death=found.death,
            persistence=found.persistence,
            kept=kept,
            id=model.nodes_.cluster_id[found.node],
            threshold=found.threshold,
            gap=(found.threshold, next_longer),
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per mode."""
        return _frame(
            {
                "node": self.node,
                "birth": self.birth,
                "death": self.death,
                "persistence": self.persistence,
                "kept": self.kept,
                "id": self.id,
            }
        )


def plot_persistence(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the modes by birth and death, with the threshold and its gap.

    Modes far from the diagonal are persistent. Those above the threshold are the peaks of PH components, or of
    groups in PHIDA+, and have the id of their cluster; the others are small and grey. Modes that never die are on a
    line of their own, as are nodes without flow.

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
    levels = np.concatenate([record.birth, record.death])
    levels = levels[np.isfinite(levels)]
    low, high = (levels.min(), levels.max()) if len(levels) else (0.0, 0.0)
    margin = 0.06 * (high - low) or 0.5
    outside = low - 2.5 * margin  # where modes are drawn that were never born or never died
    limits = low - margin, high + margin
    x, y = (np.where(np.isfinite(values), values, outside) for values in (record.birth, record.death))
    flowless = int(np.isneginf(record.birth).sum())
    left = outside - margin if flowless else limits[0]
    ax.set(xlim=(left, limits[1]), ylim=(outside - margin, limits[1]))
    ax.set(xlabel=f"birth (log {record.measure})", ylabel="death")
    _draw_threshold(ax, record, limits)
    style_of_absorbed: dict[str, Any] = {"s": 12, "facecolors": "none", "edgecolors": style.GREY, "linewidths": 0.8}
    ax.scatter(x[~record.kept], y[~record.kept], **style_of_absorbed)
    for id in np.unique(record.id[record.kept]).tolist():
        mine = record.kept & (record.id == id)
        ax.scatter(x[mine], y[mine], s=42, zorder=4, **style.look(id))
    _name(ax, record, x, y)
    between = low - 1.25 * margin
    ax.axhline(between, color=style.GREY, linewidth=0.6)
    ticks = [tick for tick in ax.get_yticks() if limits[0] <= tick <= limits[1]]
    ax.set_yticks([outside, *ticks], ["never", *(f"{tick:g}" for tick in ticks)])
    if flowless:
        ax.axvline(between, color=style.GREY, linewidth=0.6)
        ticks = [tick for tick in ax.get_xticks() if low <= tick <= limits[1]]
        ax.set_xticks([outside, *ticks], ["no flow", *(f"{tick:g}" for tick in ticks)])
    style.title(
        ax,
        f"Persistence: {int(record.kept.sum())} of {len(record.kept)} modes last",
        "named by the id of their cluster; grey modes are absorbed"
        + (f"; {style.counted(flowless, 'node')} without flow" if flowless else ""),
    )
    return ax


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
    """One name for all modes at a place, the longest lasting first."""
    places: dict[tuple[float, float], list[int]] = {}
    for i in np.argsort(y - x, kind="stable"):
        if record.kept[i]:
            ids = places.setdefault((float(x[i]), float(y[i])), [])
            if record.id[i] not in ids:
                ids.append(int(record.id[i]))
    points = np.array(list(places)[:_NAMES]).reshape(-1, 2)
    names = [style.joined(ids) for ids in places.values()][:_NAMES]
    style.name_points(ax, points[:, 0], points[:, 1], names)
