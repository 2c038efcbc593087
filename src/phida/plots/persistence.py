"""Which summits of the PH graph last: a persistence diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

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
    """The modes of the PH graph: where they begin and end, and which last.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import PersistenceDiagram
    >>> PersistenceDiagram.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['node', 'birth', 'death', 'persistence', 'kept', 'id']
    """

    node: Ints
    """Position of each mode among the nodes."""
    birth: Floats
    """Log support of the mode."""
    death: Floats
    """Level at which it met a denser one; -inf if it never did."""
    kept: Bools
    """Whether it lasts longer than the threshold, and so is the summit of a component."""
    id: Ints
    """Stable id of the cluster that it belongs to."""
    threshold: float
    """Modes that last no longer are absorbed (ε)."""
    gap: tuple[float, float]
    """The persistences around the cut: the threshold, and the shortest that is kept (infinite if all of them are)."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """From a fitted model.

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
            node=found.node,
            birth=found.birth,
            death=found.death,
            kept=kept,
            id=model.cluster_ids_[model.nodes_.cluster[found.node]],
            threshold=found.threshold,
            gap=(found.threshold, next_longer),
        )

    def to_pandas(self) -> pd.DataFrame:
        """One row per mode."""
        return _frame(
            {
                "node": self.node,
                "birth": self.birth,
                "death": self.death,
                "persistence": self.birth - self.death,
                "kept": self.kept,
                "id": self.id,
            }
        )


def plot_persistence(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the modes by birth and death, with the threshold and the gap in which it lies.

    Modes far from the diagonal last. Those above the threshold are the summits of PH components and bear the id of
    their cluster; the others are small and grey. Modes that never die stand on a line of their own.

    Parameters
    ----------
    model : PHIDA
        A fitted model.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if left out.

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
    finite = np.isfinite(record.death)
    levels = np.concatenate([record.birth, record.death[finite]])
    low, high = levels.min(), levels.max()
    margin = 0.06 * (high - low) or 0.5
    never = low - 2.5 * margin
    limits = low - margin, high + margin
    ax.set(xlim=limits, ylim=(never - margin, high + margin), xlabel="birth (log support)", ylabel="death")
    _draw_threshold(ax, record, limits, (low - margin))
    y = np.where(finite, record.death, never)
    ax.scatter(
        record.birth[~record.kept], y[~record.kept], s=12, facecolors="none", edgecolors=style.GREY, linewidths=0.8
    )
    for id in np.unique(record.id[record.kept]).tolist():
        mine = record.kept & (record.id == id)
        ax.scatter(record.birth[mine], y[mine], s=42, zorder=4, **style.look(id))
    _name(ax, record, y)
    ax.axhline(low - 1.25 * margin, color=style.GREY, linewidth=0.6)
    ticks = [tick for tick in ax.get_yticks() if low - margin <= tick <= high + margin]
    ax.set_yticks([never, *ticks], ["never", *(f"{tick:g}" for tick in ticks)])
    kept, dead = int(record.kept.sum()), int((~record.kept).sum())
    style.title(
        ax,
        f"Persistence: {kept} of {kept + dead} modes last",
        "named by the id of their cluster; grey modes are absorbed",
    )
    return ax


def _draw_threshold(ax: Axes, record: PersistenceDiagram, limits: tuple[float, float], floor: float) -> None:
    x = np.array(limits)
    ax.plot(x, x, color=style.GREY, linewidth=0.8)
    lower, upper = record.gap
    if np.isfinite(upper):
        across = np.linspace(*limits, 200)
        top, bottom = np.maximum(across - lower, floor), np.maximum(across - upper, floor)
        gap = f"gap: none between {lower:.3g} and {upper:.3g}"
        ax.fill_between(across, bottom, top, color=style.COLOURS[5], alpha=0.25, linewidth=0, label=gap)
    across = np.linspace(limits[0] + lower, limits[1], 2)
    ax.plot(across, across - lower, color=style.ink(), linestyle="--", linewidth=1, label=f"threshold {lower:.3g}")
    ax.legend(loc="upper left", fontsize=style.SMALL, frameon=False)


def _name(ax: Axes, record: PersistenceDiagram, y: Floats) -> None:
    """One name for all modes at a place, the longest lasting first."""
    places: dict[tuple[float, float], list[int]] = {}
    for i in np.argsort(-(record.birth - y), kind="stable"):
        if record.kept[i]:
            ids = places.setdefault((float(record.birth[i]), float(y[i])), [])
            if record.id[i] not in ids:
                ids.append(int(record.id[i]))
    points = np.array(list(places)[:_NAMES]).reshape(-1, 2)
    names = [style.joined(ids) for ids in places.values()][:_NAMES]
    style.name_points(ax, points[:, 0], points[:, 1], names)
