"""How PH components, or nodes that win together, merge into clusters: a dendrogram and its cut."""

from __future__ import annotations

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

#: More components than this stand without their own marks.
_MANY = 120


@dataclass(frozen=True, eq=False)
class Dendrogram(_Record):
    """The merges of the hierarchy as a forest: components are the leaves, side by side, and no two lines cross.

    With co-activation the leaves are nodes. What two groups share beyond chance may grow as they merge, so that the
    merges stand at their number, not at their height.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import Dendrogram
    >>> Dendrogram.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['left', 'right', 'left_base', 'right_base', 'height', 'made', 'cluster']
    """

    leaves: str
    """What merging starts from: ``component`` or ``node``."""
    measure: str
    """What a height is; see :class:`phida.records.Hierarchy`."""
    order: Ints
    """Components from left to right."""
    mass: Floats
    """PH-stable mass of each component (S*)."""
    cluster: Ints
    """Output cluster of each component."""
    cluster_ids: Ints
    """Stable id per cluster."""
    left: Floats
    """Per merge, the place of its left part; leaves stand at 0, 1, 2, …"""
    right: Floats
    """The place of its right part."""
    left_base: Floats
    """Height at which the left part was made; 0 for a component."""
    right_base: Floats
    """The same of the right part."""
    height: Floats
    """Merge height (q); with co-activation, the number of the merge."""
    made: Bools
    """Whether the cut makes the merge."""
    merge_cluster: Ints
    """Output cluster in which the merge lies, -1 where it would join several."""
    minimum_count: int
    """The least number of clusters that the masses justify (C_min): merging ends there."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """From a fitted model.

        Parameters
        ----------
        model : PHIDA

        Returns
        -------
        record : Dendrogram
        """
        found = model.hierarchy_
        count = len(found.mode)
        # Modularity falls from merge to merge and may be below 0: the number of the merge is drawn.
        height = np.arange(1.0, len(found.merge_height) + 1) if found.height == "modularity" else found.merge_height
        leaves: dict[int, list[int]] = {component: [component] for component in range(count)}
        for into, source in zip(found.merge_into.tolist(), found.merge_from.tolist(), strict=True):
            leaves[into] += leaves.pop(source)
        order = [leaf for group in leaves.values() for leaf in group]
        place = np.empty(count)
        place[order] = np.arange(count)
        base = np.zeros(count)
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
        """The heights between which it is cut; None where no merge was refused."""
        level = int(self.made.sum())
        if level == len(self.height):
            return None
        return float(self.height[level - 1]) if level else 0.0, float(self.height[level])

    def to_pandas(self) -> pd.DataFrame:
        """One row per merge, made or not."""
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
        """One row per component, from left to right."""
        cluster = self.cluster[self.order]
        columns = {"component": self.order, "mass": self.mass[self.order], "cluster": cluster}
        return _frame(columns | {"id": self.cluster_ids[cluster]})


def plot_hierarchy(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the components, the heights at which they merge, the cut, and where merging ends.

    Merges that the cut makes are solid and in the colour of their cluster; those that it refuses are dashed and grey.
    The area of a component's mark is its PH-stable mass.

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
    >>> from phida.plots import plot_hierarchy
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_hierarchy(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'Hierarchy: 8 components, cut to 8 clusters'
    """
    record = Dendrogram.of(model)
    ax = style.axes_of(ax, (7.6, 4.8))
    top = float(record.height.max(initial=0.0)) or 1.0
    count = len(record.order)
    ax.set(xlim=(-0.8, count - 0.2), ylim=(-0.14 * top, 1.16 * top), xticks=[])
    ax.set_ylabel({"modularity": "merges", "prominence": "prominence"}.get(record.measure, "merge height"))
    _draw_merges(ax, record)
    _draw_components(ax, record, top)
    _draw_cut(ax, record, top)
    merges = bool(len(record.height))
    ax.set_yticks([tick for tick in ax.get_yticks() if merges and 0 <= tick <= 1.16 * top])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    clusters = len(record.cluster_ids)
    style.title(
        ax,
        f"Hierarchy: {style.counted(count, record.leaves)}, cut to {style.counted(clusters, 'cluster')}",
        "named by the id of their cluster; dashed merges are not made",
    )
    return ax


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


def _draw_components(ax: Axes, record: Dendrogram, top: float) -> None:
    """Marks at the feet of the lines, and each cluster's id below the middle of its components."""
    cluster = record.cluster[record.order]
    ids = record.cluster_ids[cluster]
    mass = record.mass[record.order]
    area = np.clip(90 * mass / mass.max(), 6, None) * min(1, _MANY / len(mass))
    places = np.arange(len(mass))
    for id in np.unique(ids).tolist():
        mine = ids == id
        ax.scatter(places[mine], np.zeros(mine.sum()), s=area[mine], zorder=4, clip_on=False, **style.look(id))
    middle = np.bincount(cluster, places) / np.bincount(cluster)
    order = np.argsort(-np.bincount(cluster, mass), kind="stable")
    names = [str(record.cluster_ids[c]) for c in order]
    style.name_points(ax, middle[order], np.full(len(order), -0.09 * top), names, away=0)


def _draw_cut(ax: Axes, record: Dendrogram, top: float) -> None:
    if record.jump is not None and record.jump[1] > record.jump[0]:
        low, high = record.jump
        ax.axhspan(low, high, color=style.COLOURS[5], alpha=0.2, linewidth=0)
        ax.axhline((low + high) / 2, color=style.ink(), linestyle=":", linewidth=1)
        after = f"cut after {style.counted(int(low), 'merge')}"
        _write(ax, after if record.measure == "modularity" else f"cut: {low:.3g} to {high:.3g}", (low + high) / 2)
    roots = len(record.order) - len(record.height)
    if len(record.height):
        apart = "no flow between them" if record.leaves == "node" else "no two are adjacent"
        ends = f"minimum count {record.minimum_count}" if roots == record.minimum_count else apart
        ax.axhline(1.05 * top, color=style.GREY, linewidth=0.8)
        _write(ax, f"merging ends at {roots} ({ends})", 1.05 * top)
    else:
        _write(ax, f"no merge; minimum count {record.minimum_count}", 1.05 * top)


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
