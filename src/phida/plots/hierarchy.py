"""Dendrogram of the merges from PH components, or nodes of PHIDA+, to clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import LogLocator

from phida.plots import style
from phida.plots.model import Model
from phida.records import Bools, Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: More leaves than this have smaller marks and thinner lines.
_MANY = 120


@dataclass(frozen=True, eq=False)
class Dendrogram(_Record):
    """The merges of the hierarchy as a forest: the leaves are side by side, and no two lines cross.

    Leaves are components, or nodes in PHIDA+. The loss of modularity between parts may be below 0, so that a merge of
    parts is drawn at its number.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import Dendrogram
    >>> Dendrogram.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['left', 'right', 'left_base', 'right_base', 'height', 'made', 'cluster']
    """

    leaves: str
    """Kind of the leaves: ``component`` or ``node``."""
    measure: str
    """Meaning of heights; see :class:`phida.records.Hierarchy`."""
    order: Ints
    """Leaves from left to right."""
    mass: Floats
    """PH-stable mass of each component (S*), or support of each node."""
    cluster: Ints
    """Output cluster of each leaf."""
    cluster_ids: Ints
    """Lasting id of each cluster."""
    left: Floats
    """Position of the left branch of each merge; leaves are at 0, 1, 2, …"""
    right: Floats
    """Position of the right branch of each merge."""
    left_base: Floats
    """Height of the left branch; 0 for a leaf, or 1 if heights are prominences."""
    right_base: Floats
    """Height of the right branch."""
    height: Floats
    """Merge height; the number of the merge where it is measured by modularity."""
    made: Bools
    """Whether the cut makes the merge."""
    merge_cluster: Ints
    """Output cluster of the merge, -1 if the merge would join several."""
    minimum_count: int
    """Minimum number of clusters, from the masses (C_min), at which merging ends."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model.

        Parameters
        ----------
        model : PHIDA

        Returns
        -------
        record : Dendrogram
        """
        found = model.hierarchy_
        count = len(found.mode)
        numbers = np.arange(1.0, len(found.merge_height) + 1)
        height = numbers if found.height == "modularity" else found.merge_height
        leaves: dict[int, list[int]] = {leaf: [leaf] for leaf in range(count)}
        for into, source in zip(found.merge_into.tolist(), found.merge_from.tolist(), strict=True):
            leaves[into] += leaves.pop(source)
        order = [leaf for group in leaves.values() for leaf in group]
        place = np.empty(count)
        place[order] = np.arange(count)
        base = np.full(count, _least(found.height))
        parts = np.empty((len(found.merge_height), 4))
        for i, (into, source) in enumerate(zip(found.merge_into, found.merge_from, strict=True)):
            parts[i] = place[into], place[source], base[into], base[source]
            place[into] = (place[into] + place[source]) / 2
            base[into] = height[i]
        made = np.arange(len(parts)) < found.level
        return cls(
            leaves=found.leaves,
            measure=found.height,
            order=np.array(order, dtype=np.int64),
            mass=found.mass,
            cluster=found.cluster,
            cluster_ids=model.cluster_ids_,
            left=parts[:, 0],
            right=parts[:, 1],
            left_base=parts[:, 2],
            right_base=parts[:, 3],
            height=height,
            made=made,
            merge_cluster=np.where(made, found.cluster[found.merge_into], -1),
            minimum_count=found.minimum_count,
        )

    @property
    def jump(self) -> tuple[float, float] | None:
        """Heights below and above the cut; None if all merges were made."""
        level = int(self.made.sum())
        if level == len(self.height):
            return None
        return float(self.height[level - 1]) if level else _least(self.measure), float(self.height[level])

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per merge, made or not."""
        return _frame(
            {
                "left": self.left,
                "right": self.right,
                "left_base": self.left_base,
                "right_base": self.right_base,
                "height": self.height,
                "made": self.made,
                "cluster": self.merge_cluster,
            }
        )

    def components_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per leaf, from left to right."""
        cluster = self.cluster[self.order]
        columns = {self.leaves: self.order, "mass": self.mass[self.order], "cluster": cluster}
        return _frame(columns | {"id": self.cluster_ids[cluster]})


def _least(measure: str) -> float:
    """The height of a leaf: a peak that is no higher than its valley has a prominence of 1."""
    return 1.0 if measure == "prominence" else 0.0


def plot_hierarchy(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the hierarchy as a dendrogram, with the cut and the end of merging.

    Merges that the cut makes are solid and in the colour of their cluster; those that it refuses are dashed and grey.
    The area of a leaf's mark is the PH-stable mass of a component, or the support of a node. Prominences have a
    logarithmic axis.

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
    >>> from phida.plots import plot_hierarchy
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_hierarchy(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'Hierarchy: 8 components, cut to 8 clusters'
    """
    record = Dendrogram.of(model)
    ax = style.axes_of(ax, (7.6, 4.8))
    count = len(record.order)
    place = _scale(record)
    ax.set(xlim=(-0.8, count - 0.2), xticks=[], yscale="log" if record.measure == "prominence" else "linear")
    ax.set_ylim(place(-0.14), place(1.16))
    if record.measure == "prominence":
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if place(1) < 200 else (1,)))
    ax.set_ylabel(_AXES[record.measure])
    _draw_merges(ax, record)
    _draw_leaves(ax, record, place)
    _draw_cut(ax, record, place)
    ticks = [tick for tick in ax.get_yticks() if len(record.height) and place(0) <= tick <= place(1.16)]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    clusters = len(record.cluster_ids)
    style.title(
        ax,
        f"Hierarchy: {style.counted(count, record.leaves)}, cut to {style.counted(clusters, 'cluster')}",
        "named by the id of their cluster; dashed merges are not made",
    )
    return ax


#: What the axis is called, by what a height measures.
_AXES = {"dispersion": "merge height", "prominence": "prominence (peak / valley)", "modularity": "merges"}


def _scale(record: Dendrogram) -> Callable[[float], float]:
    """From a share of the way between the leaves and the highest merge to a height."""
    least = _least(record.measure)
    top = float(record.height.max(initial=least))
    if record.measure == "prominence":
        return lambda share: float(max(top, 10.0) ** share)
    return lambda share: share * (top or 1.0)


def _draw_merges(ax: Axes, record: Dendrogram) -> None:
    x = np.column_stack([record.left, record.left, record.right, record.right])
    y = np.column_stack([record.left_base, record.height, record.height, record.right_base])
    lines: Any = np.stack([x, y], axis=2)
    colours = [style.colour(int(record.cluster_ids[cluster])) for cluster in record.merge_cluster[record.made]]
    width = 1.4 * min(1, _MANY / len(record.order))
    ax.add_collection(LineCollection(lines[record.made], colors=colours, linewidths=width), autolim=False)
    ax.add_collection(
        LineCollection(lines[~record.made], colors=style.GREY, linewidths=1, linestyles="--"), autolim=False
    )


def _draw_leaves(ax: Axes, record: Dendrogram, place: Callable[[float], float]) -> None:
    """Marks at the feet of the lines, and each cluster's id below the middle of its leaves."""
    cluster = record.cluster[record.order]
    ids = record.cluster_ids[cluster]
    mass = record.mass[record.order]
    area = np.clip(90 * mass / mass.max(), 6, None) * min(1, _MANY / len(mass))
    places = np.arange(len(mass))
    for id in np.unique(ids).tolist():
        mine = ids == id
        ax.scatter(places[mine], np.full(mine.sum(), place(0)), s=area[mine], zorder=4, clip_on=False, **style.look(id))
    middle = np.bincount(cluster, places) / np.bincount(cluster)
    order = np.argsort(-np.bincount(cluster, mass), kind="stable")
    names = [str(record.cluster_ids[c]) for c in order]
    style.name_points(ax, middle[order], np.full(len(order), place(-0.09)), names, away=0)


def _draw_cut(ax: Axes, record: Dendrogram, place: Callable[[float], float]) -> None:
    if record.jump is not None and record.jump[1] > record.jump[0]:
        low, high = record.jump
        middle = (low * high) ** 0.5 if record.measure == "prominence" else (low + high) / 2
        ax.axhspan(low, high, color=style.COLOURS[5], alpha=0.2, linewidth=0)
        ax.axhline(middle, color=style.ink(), linestyle=":", linewidth=1)
        after = f"cut after {style.counted(int(low), 'merge')}"
        _write(ax, after if record.measure == "modularity" else f"cut: {low:.3g} to {high:.3g}", middle)
    if len(record.height):
        ax.axhline(place(1.05), color=style.GREY, linewidth=0.8)
    _write(ax, _end(record), place(1.05))


def _end(record: Dendrogram) -> str:
    """Where merging ends, and why."""
    roots = len(record.order) - len(record.height)
    if roots > record.minimum_count:
        why = "no flow between them" if record.leaves == "node" else "no two are adjacent"
    else:
        why = "" if record.leaves == "node" else f"minimum count {record.minimum_count}"
    if not len(record.height):
        return f"no merge; {why}" if why else "no merge"
    return f"merging ends at {roots} ({why})" if why else f"merging ends at {roots}"


def _write(ax: Axes, text: str, y: float) -> None:
    ax.annotate(
        text,
        (1, y),
        (-6, 2),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=style.SMALL,
        path_effects=style.halo(),
        zorder=6,
    )
