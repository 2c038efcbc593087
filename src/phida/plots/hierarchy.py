"""Dendrogram of the merges from PH components or, in PHIDA+, from peaks of density to clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from phida.plots import style
from phida.plots.forest import Branch, grow
from phida.plots.model import Model
from phida.records import Bools, Floats, Hierarchy, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: Number of leaves from which marks are smaller and lines thinner.
_MANY = 120

#: Maximum number of drawn peaks of PHIDA+; the merges closest to the cut are kept.
_PEAKS = 64


@dataclass(frozen=True, eq=False)
class Dendrogram(_Record, key="height", entry="merge"):
    """The merges of the hierarchy as a forest: leaves are adjacent, and lines never cross.

    Leaves are components. In PHIDA+, they are peaks of density: a merge that joins a single node to a peak is no
    decision and is left out. With more than 64 peaks, the merges closest to the cut are kept.
    """

    leaves: str
    """Kind of the leaves: ``component`` or ``peak``."""
    measure: str
    """Meaning of heights; see :class:`phida.records.Hierarchy`."""
    order: Ints
    """Leaves from left to right, heavier branches first; a peak has the number of its lowest node."""
    mass: Floats
    """PH-stable mass of each component (S*), or support of a peak's nodes, from left to right."""
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
    left_cluster: Ints
    """Output cluster of the left branch, -1 if it joins several."""
    right_cluster: Ints
    """Output cluster of the right branch."""
    height: Floats
    """Height of each merge."""
    made: Bools
    """Whether the cut makes the merge."""
    merge_cluster: Ints
    """Output cluster of the merge, -1 if the merge would join several."""
    root: Floats
    """Position of each tree of the forest."""
    root_base: Floats
    """Height of each tree."""
    root_cluster: Ints
    """Output cluster of each tree, -1 if it joins several."""
    n_leaves: int
    """Number of leaves of the whole hierarchy: components or, in PHIDA+, nodes."""
    minimum_count: int
    """Minimum number of clusters, from the masses (C_min), at which merging ends."""
    n_absorbed: int
    """Number of peaks left out because their merges are the farthest below the cut."""
    n_apart: int
    """Number of clusters left out because their merges are the farthest above the cut."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model."""
        found = model.hierarchy_
        drawn, n_absorbed = _decisions(found)
        forest = grow(found, drawn)
        roots = _shown(forest.roots) if found.leaves == "node" else forest.roots
        order = np.array([leaf for root in roots for leaf in root.leaves], dtype=np.int64)
        middle = {leaf: float(place) for place, leaf in enumerate(order.tolist())}
        merges = np.empty((len(forest.merges), 4))
        for row, (_, left, right) in zip(merges, forest.merges, strict=True):
            row[:] = middle[left.leaves[0]], middle[right.leaves[0]], left.height, right.height
            middle[left.leaves[0]] = (row[0] + row[1]) / 2  # a branch is identified by its first leaf
        number = np.array([i for i, _, _ in forest.merges], dtype=np.int64)
        made = number < found.level
        return cls(
            leaves="component" if found.leaves == "component" else "peak",
            measure=found.height,
            order=order,
            mass=forest.mass[order],
            cluster=found.cluster[order],
            cluster_ids=model.cluster_ids_,
            left=merges[:, 0],
            right=merges[:, 1],
            left_base=merges[:, 2],
            right_base=merges[:, 3],
            left_cluster=np.array([left.cluster for _, left, _ in forest.merges], dtype=np.int64),
            right_cluster=np.array([right.cluster for _, _, right in forest.merges], dtype=np.int64),
            height=found.merge_height[number],
            made=made,
            merge_cluster=np.where(made, found.cluster[found.merge_into[number]], -1),
            root=np.array([middle[root.leaves[0]] for root in roots]),
            root_base=np.array([root.height for root in roots]),
            root_cluster=np.array([root.cluster for root in roots], dtype=np.int64),
            n_leaves=len(found.mass),
            minimum_count=found.minimum_count,
            n_absorbed=n_absorbed,
            n_apart=len(forest.roots) - len(roots),
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
        return self._frame_of("left right left_base right_base height made", cluster=self.merge_cluster)

    def components_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per leaf, from left to right."""
        columns = {self.leaves: self.order, "mass": self.mass, "cluster": self.cluster}
        return _frame(columns | {"id": self.cluster_ids[self.cluster]})


def _decisions(found: Hierarchy) -> tuple[Bools, int]:
    """Return a mask of the first merges that marks those to draw, and the number of omitted peaks."""
    number = np.arange(len(found.merge_height))
    if found.leaves == "component":
        return np.ones(len(number), dtype=bool), 0
    refused = number >= found.level
    drawn = refused | (found.merge_prominence is None or found.merge_prominence > 0)  # a cut by size has no prominence
    clusters = len(found.mass) - found.level
    made = number[drawn & ~refused]
    absorbed = made[: max(len(made) - max(_PEAKS - clusters, _PEAKS // 4), 0)]
    drawn[absorbed] = False
    end = found.level + (_PEAKS // 2 if clusters > _PEAKS else clusters)
    return drawn[:end], len(absorbed)


def _shown(roots: list[Branch]) -> list[Branch]:
    """Return the trees, and as many of the heaviest single peaks as fit."""
    room = _PEAKS - sum(len(root.leaves) for root in roots if len(root.leaves) > 1)
    single = [root for root in roots if len(root.leaves) == 1][: max(room, 0)]
    return [root for root in roots if len(root.leaves) > 1 or root in single]


@style.documented
def plot_hierarchy(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the hierarchy as a dendrogram, with the cut and the end of merging.

    A cluster is solid and in its colour; merges that the cut refuses are dashed and grey. The area of a leaf's mark is
    the PH-stable mass of a component.

    In PHIDA+, a leaf is a peak of density, and the area of its mark is the support of its nodes. The height of a merge
    is the prominence of the lower peak in units of what chance alone would show, on an axis that is logarithmic from 1
    on. With more than 64 peaks, the merges closest to the cut are drawn.
    """
    record = Dendrogram.of(model)
    palette = style.Palette.of(model)
    ax = style.axes_of(ax, (7.6, 4.8))
    ax.set(xlim=(-0.8, len(record.order) - 0.2), xticks=[], ylabel=_AXES[record.measure])
    top = float(record.height[np.isfinite(record.height)].max(initial=0.0))
    if record.measure == "prominence":
        top = max(top, 1.1)
        style.scale_by_ratio(ax, top)
    place = _scale(ax, top or 1.0)
    ax.set_ylim(place(-0.14), place(1.16))
    _draw_merges(ax, record, palette, place(1.05))
    _draw_leaves(ax, record, palette, place)
    _draw_cut(ax, record, place)
    if record.measure == "dispersion":
        ticks = [tick for tick in ax.get_yticks() if len(record.height) and 0 <= tick <= place(1.16)]
        ax.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    leaves = style.counted(record.n_leaves, "component" if record.leaves == "component" else "node")
    notes = [
        "leaves are peaks" if record.leaves == "peak" else "",
        "names are ids; dashed merges are refused",
        f"{style.counted(record.n_absorbed, 'lower peak')} left out" if record.n_absorbed else "",
        f"{style.counted(record.n_apart, 'cluster')} farther apart left out" if record.n_apart else "",
    ]
    style.title(
        ax,
        f"Hierarchy: {leaves}, cut to {style.counted(len(record.cluster_ids), 'cluster')}",
        "; ".join(filter(None, notes)),
    )
    return ax


#: Axis label for each kind of height.
_AXES = {"dispersion": "merge height", "prominence": "prominence / chance", "size": "rows × squared distance"}


def _scale(ax: Axes, top: float) -> Callable[[float], float]:
    """Return a function from a drawn position between leaves and highest merge (0 to 1) to a height."""
    along = ax.yaxis.get_transform()
    end = float(along.transform(np.array([top]))[0])
    return lambda share: float(along.inverted().transform(np.array([share * end]))[0])


def _draw_merges(ax: Axes, record: Dendrogram, palette: style.Palette, end: float) -> None:
    """Draw lines up to the end of the axis: bars of merges, and legs of branches and of complete trees."""
    height = np.minimum(record.height, end)
    x = np.concatenate([record.left, record.right, record.root])
    low = np.concatenate([record.left_base, record.right_base, record.root_base])
    high = np.concatenate([height, height, np.full(len(record.root), end)])
    cluster = np.concatenate([record.left_cluster, record.right_cluster, record.root_cluster])
    legs = np.stack([np.column_stack([x, x]), np.column_stack([np.minimum(low, end), high])], axis=2)
    bars = np.stack([np.column_stack([record.left, record.right]), np.column_stack([height, height])], axis=2)
    lines = np.concatenate([legs, bars])
    of = np.concatenate([cluster, record.merge_cluster])
    several = of < 0
    colours = palette.colours(record.cluster_ids[of[~several]])
    width = 1.6 * min(1, _MANY / len(record.order))
    made: Any = lines[~several]
    ax.add_collection(LineCollection(made, colors=colours, linewidths=width), autolim=False)
    refused: Any = lines[several]
    ax.add_collection(LineCollection(refused, colors=style.GREY, linewidths=1, linestyles="--"), autolim=False)


def _draw_leaves(ax: Axes, record: Dendrogram, palette: style.Palette, place: Callable[[float], float]) -> None:
    """Draw marks at the lower ends of lines, and each cluster's id below the middle of its leaves."""
    cluster, mass = record.cluster, record.mass
    ids = record.cluster_ids[cluster]
    area = np.clip(110 * mass / mass.max(), 6, None) * min(1, _MANY / len(mass))
    places = np.arange(len(mass))
    for id in np.unique(ids).tolist():
        mine = ids == id
        ax.scatter(
            places[mine], np.full(mine.sum(), place(0)), s=area[mine], zorder=4, clip_on=False, **palette.look(id)
        )
    shown, of = np.unique(cluster, return_inverse=True)
    middle = np.bincount(of, places) / np.bincount(of)
    order = np.argsort(-np.bincount(of, mass), kind="stable")
    names = [str(record.cluster_ids[c]) for c in shown[order]]
    style.Names(ax).write(np.column_stack([middle[order], np.full(len(order), place(-0.09))]), names, style.CENTRE)


def _draw_cut(ax: Axes, record: Dendrogram, place: Callable[[float], float]) -> None:
    end = place(1.05)
    if record.measure == "prominence":
        ax.axhline(1.0, color=style.ink(), linestyle=":", linewidth=1)
        style.note_line(ax, "cut: what chance alone would show", 1.0)
    elif record.jump is not None and record.jump[1] > record.jump[0]:
        low, high = record.jump
        top = min(high, end)
        ax.axhspan(low, top, color=style.COLOURS[5], alpha=0.2, linewidth=0)
        ax.axhline((low + top) / 2, color=style.ink(), linestyle=":", linewidth=1)
        style.note_line(ax, f"cut: {low:.3g} to {high:.3g}", (low + top) / 2)
    ax.axhline(end, color=style.GREY, linewidth=0.8)
    style.note_line(ax, _end(record), end)


def _end(record: Dendrogram) -> str:
    """Return the height at which merging ended, and the reason."""
    roots = len(record.root) + record.n_apart
    if record.measure == "prominence":
        if record.n_apart:
            return "higher merges are not drawn"
        return "merging ends at 1" if roots == 1 else f"merging ends at {roots}: no path joins them"
    why = "no two are adjacent" if roots > record.minimum_count else f"minimum count {record.minimum_count}"
    return f"merging ends at {roots} ({why})" if len(record.height) else f"no merge ({why})"
