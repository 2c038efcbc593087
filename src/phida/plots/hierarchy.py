"""Dendrogram of the merges from PH components, or nodes of PHIDA+, to clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from phida.plots import style
from phida.plots.model import Model
from phida.records import Bools, Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: More leaves than this have smaller marks and thinner lines.
_MANY = 120

#: Of the merges that the cut makes, as many of the highest are drawn where single nodes are merged.
_BELOW = 60


@dataclass(frozen=True, eq=False)
class Dendrogram(_Record):
    """The merges of the hierarchy as a forest: the leaves are side by side, and no two lines cross.

    Leaves are components. PHIDA+ merges single nodes: merges that are more than 60 below the cut are left out, and a
    leaf stands for all nodes that they join.

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
    """Leaves from left to right; a leaf of several nodes has the number of the lowest."""
    mass: Floats
    """PH-stable mass of each component (S*), or support of the nodes, from left to right."""
    cluster: Ints
    """Output cluster of each leaf, from left to right."""
    cluster_ids: Ints
    """Lasting id of each cluster."""
    left: Floats
    """Position of the left branch of each merge; leaves are at 0, 1, 2, …"""
    right: Floats
    """Position of the right branch of each merge."""
    left_base: Floats
    """Height of the left branch; 0 for a leaf."""
    right_base: Floats
    """Height of the right branch."""
    height: Floats
    """Height of each merge."""
    made: Bools
    """Whether the cut makes the merge."""
    merge_cluster: Ints
    """Output cluster of the merge, -1 if the merge would join several."""
    minimum_count: int
    """Minimum number of clusters, from the masses (C_min), at which merging ends."""
    n_hidden: int
    """Number of merges that are left out."""

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
        first = max(found.level - _BELOW, 0) if found.leaves == "node" else 0
        mass = found.mass.copy()
        for into, source in zip(found.merge_into[:first], found.merge_from[:first], strict=True):
            mass[into] += mass[source]
        merge_into, merge_from, height = found.merge_into[first:], found.merge_from[first:], found.merge_height[first:]
        leaves = {leaf: [leaf] for leaf in np.setdiff1d(np.arange(len(mass)), found.merge_from[:first]).tolist()}
        for into, source in zip(merge_into.tolist(), merge_from.tolist(), strict=True):
            leaves[into] += leaves.pop(source)
        order = np.array([leaf for branch in leaves.values() for leaf in branch], dtype=np.int64)
        place, base = np.empty(len(mass)), np.zeros(len(mass))
        place[order] = np.arange(len(order))
        merges = np.empty((len(height), 4))
        for i, (into, source) in enumerate(zip(merge_into, merge_from, strict=True)):
            merges[i] = place[into], place[source], base[into], base[source]
            place[into] = (place[into] + place[source]) / 2
            base[into] = height[i]
        made = np.arange(len(height)) < found.level - first
        return cls(
            leaves=found.leaves,
            measure=found.height,
            order=order,
            mass=mass[order],
            cluster=found.cluster[order],
            cluster_ids=model.cluster_ids_,
            left=merges[:, 0],
            right=merges[:, 1],
            left_base=merges[:, 2],
            right_base=merges[:, 3],
            height=height,
            made=made,
            merge_cluster=np.where(made, found.cluster[merge_into], -1),
            minimum_count=found.minimum_count,
            n_hidden=first,
        )

    @property
    def jump(self) -> tuple[float, float] | None:
        """Heights below and above the cut; None if all merges were made."""
        level = int(self.made.sum())
        if level == len(self.height):
            return None
        return float(self.height[level - 1]) if level else 0.0, float(self.height[level])

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
        columns = {self.leaves: self.order, "mass": self.mass, "cluster": self.cluster}
        return _frame(columns | {"id": self.cluster_ids[self.cluster]})


def plot_hierarchy(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the hierarchy as a dendrogram, with the cut and the end of merging.

    Merges that the cut makes are solid and in the colour of their cluster; those that it refuses are dashed and grey.
    The area of a leaf's mark is the PH-stable mass of a component.

    In PHIDA+, the height of a merge is its prominence in units of what chance alone would show, on an axis that is
    logarithmic from 1 on. Of the merges that the cut makes, the highest 60 are drawn. The mark of a leaf shows the
    support of its nodes.

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
    ax.set(xlim=(-0.8, len(record.order) - 0.2), xticks=[], ylabel=_AXES[record.measure])
    if record.measure == "prominence":
        ax.set_yscale("symlog", linthresh=1)
    place = _scale(ax, record)
    ax.set_ylim(place(-0.14), place(1.16))
    _draw_merges(ax, record, place(1.05))
    _draw_leaves(ax, record, place)
    _draw_cut(ax, record, place)
    ticks = [0, 0.5, *style.ratios(place(1.16))] if record.measure == "prominence" else ax.get_yticks()
    ticks = [tick for tick in ticks if len(record.height) and 0 <= tick <= place(1.16)]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    clusters = len(record.cluster_ids)
    leaves = style.counted(len(record.order) + record.n_hidden, record.leaves)
    style.title(
        ax,
        f"Hierarchy: {leaves}, cut to {style.counted(clusters, 'cluster')}",
        "named by the id of their cluster; dashed merges are not made"
        + (f"; the lowest {style.counted(record.n_hidden, 'merge')} are not drawn" if record.n_hidden else ""),
    )
    return ax


#: What the axis is called, by what a height measures.
_AXES = {"dispersion": "merge height", "prominence": "prominence / chance"}


def _scale(ax: Axes, record: Dendrogram) -> Callable[[float], float]:
    """From a share of the way between the leaves and the highest merge, as it is drawn, to a height."""
    along = ax.yaxis.get_transform()
    least = 1.0 if record.measure == "prominence" else 0.0
    highest = float(record.height[np.isfinite(record.height)].max(initial=least))
    top = float(along.transform(highest or 1.0))
    return lambda share: float(along.inverted().transform(share * top))


def _draw_merges(ax: Axes, record: Dendrogram, end: float) -> None:
    """Lines of the merges; those of infinite height meet at the end of the axis."""
    x = np.column_stack([record.left, record.left, record.right, record.right])
    y = np.column_stack([record.left_base, record.height, record.height, record.right_base])
    lines: Any = np.stack([x, np.minimum(y, end)], axis=2)
    colours = [style.colour(int(record.cluster_ids[cluster])) for cluster in record.merge_cluster[record.made]]
    width = 1.4 * min(1, _MANY / len(record.order))
    ax.add_collection(LineCollection(lines[record.made], colors=colours, linewidths=width), autolim=False)
    ax.add_collection(
        LineCollection(lines[~record.made], colors=style.GREY, linewidths=1, linestyles="--"), autolim=False
    )


def _draw_leaves(ax: Axes, record: Dendrogram, place: Callable[[float], float]) -> None:
    """Marks at the feet of the lines, and each cluster's id below the middle of its leaves."""
    cluster, mass = record.cluster, record.mass
    ids = record.cluster_ids[cluster]
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
        top = min(high, place(1.05))
        middle = 1.0 if record.measure == "prominence" and low < 1 <= high else (low + top) / 2
        ax.axhspan(low, top, color=style.COLOURS[5], alpha=0.2, linewidth=0)
        ax.axhline(middle, color=style.ink(), linestyle=":", linewidth=1)
        style.note_line(ax, f"cut: {low:.3g} to {high:.3g}", middle)
    if len(record.height):
        ax.axhline(place(1.05), color=style.GREY, linewidth=0.8)
    style.note_line(ax, _end(record), place(1.05))


def _end(record: Dendrogram) -> str:
    """Where merging ends, and why."""
    roots = len(record.order) - len(record.height)
    why = "no two are adjacent" if roots > record.minimum_count else f"minimum count {record.minimum_count}"
    reason = f" ({why})" if record.leaves == "component" else ""
    return f"merging ends at {roots}{reason}" if len(record.height) else f"no merge{reason}"
