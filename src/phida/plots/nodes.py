"""Map of the nodes, with the PH graph or, in PHIDA+, the saddles between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from phida.answers.links import ClusterLinks
from phida.plots import style
from phida.plots.model import Model
from phida.projection import Projection
from phida.records import Bools, Floats, Ints, _Record

if TYPE_CHECKING:
    import pandas as pd

#: Numbers of nodes beyond which discs have no outline, and a vector file holds them as one image.
_DISCS, _IMAGE = 300, 1000

#: Area of all marks together and of the largest, in square points.
_INK, _LARGEST = 24_000.0, 320.0

#: Maximum numbers of drawn saddles and of those with text, the lowest first.
_SADDLES, _RATIOS = 40, 6

#: Maximum number of named clusters, and the number beyond which names are next to the centres.
_NAMES, _AT_CENTRE = 60, 30


@dataclass(frozen=True, eq=False)
class NodePositions(_Record, key="node", entry="node"):
    """The nodes, projected onto their first two principal axes, and the edges between them."""

    node: Ints
    """Id of each node."""
    position: Floats
    """Two coordinates per node, in the transformed space that prediction uses."""
    weight: Ints | Floats
    """Number of rows that the node won; in PHIDA+, their weight."""
    active: Bools
    """Whether the node is active for prediction."""
    cluster: Ints
    """Output cluster, -1 for none."""
    id: Ints
    """Lasting id of the cluster, -1 for none."""
    edges: str
    """Kind of the edges: ``PH graph`` or, in PHIDA+, ``saddles``: one edge for each merge of clusters that was
    refused, between the nodes at which they come closest."""
    source: Ints
    """One end of each edge, as a position among the nodes."""
    target: Ints
    """The other end."""
    height: Floats | None
    """PHIDA+ only: height of each refused merge (prominence over chance), ascending."""
    share: Floats
    """Share of the variance of the nodes along each axis."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model."""
        nodes, graph = model.nodes_, model.graph_
        projection = Projection.of(model)
        plus = model.hierarchy_.leaves == "node"
        links = ClusterLinks.of(model) if plus else None
        order = np.argsort(graph.distance, kind="stable")
        return cls(
            node=nodes.id,
            position=projection.transform(nodes.representatives),
            weight=nodes.support if plus else nodes.rows,
            active=nodes.active,
            cluster=nodes.cluster,
            id=nodes.cluster_id,
            edges="saddles" if plus else "PH graph",
            source=graph.source[order] if links is None else links.source,
            target=graph.target[order] if links is None else links.target,
            height=None if links is None else links.height,
            share=projection.share,
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per node; nodes without a cluster have no cluster id."""
        ids = [id if id >= 0 else None for id in self.id.tolist()]
        frame = self._frame_of("node weight active cluster", id=ids)
        for at, axis in enumerate("xy"):
            frame.insert(1 + at, axis, self.position[:, at])
        return frame.astype({"id": "Int64"})

    def edges_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per edge, the shortest or, in PHIDA+, the lowest first."""
        return self._frame_of("source target height")


@style.documented
def plot_nodes(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the nodes on a plane: area shows weight, colour shows the cluster.

    The plane has the two main directions of the nodes, weighted by support. Up to 60 clusters, the largest first, are
    labelled with their ids. Nodes without a cluster are grey crosses.

    In PHIDA, the edges are those of the PH graph. In PHIDA+, they are saddles: a line joins two clusters where they
    come closest. The 40 lowest are drawn. The bolder the line, the less prominent the lower of the two peaks. Figures
    at the lowest saddles are prominence over chance; below 1, the two would be one cluster.
    """
    record = NodePositions.of(model)
    ax = style.axes_of(ax, (6.8, 5.6))
    for axis, values in zip("xy", record.position.T, strict=True):
        margin = 0.07 * (values.max() - values.min()) or 1.0
        ax.set(**{f"{axis}lim": (values.min() - margin, values.max() + margin)})
    _draw_nodes(ax, record, style.Palette.of(model, record.position))
    _draw_edges(ax, record)
    named, rest = _name(ax, record)
    known = len(np.unique(record.id[record.id >= 0]))
    ax.set(xlabel=_axis("first", record.share[0]), ylabel=_axis("second", record.share[1]), xticks=[], yticks=[])
    clusters = int(record.cluster.max(initial=-1)) + 1
    notes = [
        f"area is {'rows won' if record.height is None else 'weight'}, at most {record.weight.max():,.4g}",
        "names are ids",
        "× has no cluster" if (record.id < 0).any() else "",
        f"{named} clusters are named, the others hold {rest:.0%}" if named < known else "",
    ]
    if record.height is not None and len(record.height):
        lowest = f"the {_SADDLES} lowest saddles" if len(record.height) > _SADDLES else "saddles"
        notes.append(f"lines are {lowest}, with prominence / chance")
    style.title(
        ax, f"Nodes: {len(record.node):,} in {style.counted(clusters, 'cluster')}", "; ".join(filter(None, notes))
    )
    return ax


def _draw_nodes(ax: Axes, record: NodePositions, palette: style.Palette) -> None:
    """Draw marks whose area is the weight, the largest first."""
    n, weight = len(record.node), record.weight
    area = np.maximum(weight * min(_INK / weight.sum(), _LARGEST / weight.max()), 2.0)
    # Limits the area of a few equal nodes, which would fill the map.
    area *= min(1.0, 60.0 / float(np.median(area)))
    discs = n > _DISCS
    look: dict[str, Any] = {"zorder": 3, "rasterized": n > _IMAGE}
    none = record.id < 0
    x, y = record.position.T
    ax.scatter(x[none], y[none], s=14, marker="x", color=style.GREY, linewidths=0.8, **look)
    order = np.argsort(-area, kind="stable")
    order = order[~none[order]]
    look |= {"alpha": 0.8, "linewidths": 0.0} if discs else {"alpha": 0.9, "linewidths": 0.4, "edgecolors": style.ink()}
    for marker in style.MARKERS[:1] if discs else style.MARKERS:
        mine = order if discs else order[[palette.marker(id) == marker for id in record.id[order].tolist()]]
        ax.scatter(x[mine], y[mine], s=area[mine], c=palette.colours(record.id[mine]), marker=marker, **look)


def _draw_edges(ax: Axes, record: NodePositions) -> None:
    """Draw thin lines of the PH graph below the nodes, or saddles above them, the closest with their height."""
    ends: Any = record.position[np.column_stack([record.source, record.target])]
    if record.height is None:
        ax.add_collection(LineCollection(ends, colors=style.GREY, linewidths=0.7, alpha=0.7, zorder=1), autolim=False)
        return
    width = 0.5 + 1.7 / np.maximum(record.height[:_SADDLES], 1.0) ** 2
    lines = LineCollection(
        ends[:_SADDLES], colors=style.ink(), linewidths=width, alpha=0.75, zorder=4, capstyle="round"
    )
    ax.add_collection(lines, autolim=False)


def _name(ax: Axes, record: NodePositions) -> tuple[int, float]:
    """Write the ids of the largest clusters; return how many, and the share of the others.

    A cluster of PHIDA has its id at its heaviest node, one of PHIDA+ at or next to its centre.
    """
    mine = record.id >= 0
    if not mine.any():
        return 0, 0.0
    ids, of = np.unique(record.id[mine], return_inverse=True)
    weight = np.bincount(of, record.weight[mine])
    order = np.argsort(-weight, kind="stable")[:_NAMES]
    texts = [str(id) for id in ids[order]]
    names = style.Names(ax)
    if record.height is None:
        heaviest = [np.argmax(np.where(record.id == id, record.weight, -1)) for id in ids[order]]
        written = names.write(record.position[heaviest], texts)
    else:
        sums = [np.bincount(of, record.weight[mine] * axis) for axis in record.position[mine].T]
        centre = np.column_stack(sums) / weight[:, None]
        few = len(ids) <= _AT_CENTRE
        written = names.write(centre[order], texts, style.NEAR_CENTRE if few else style.DIAGONAL)
        middle = record.position[np.column_stack([record.source, record.target])[:_RATIOS]].mean(axis=1)
        ratios = [f"{height:.2f}" for height in record.height[:_RATIOS]]
        names.write(middle, ratios, style.NEAR_CENTRE, size=style.SMALL - 1.5, bold=False)
    return int(written.sum()), 1 - float(weight[order[written]].sum() / weight.sum())


def _axis(name: str, share: float) -> str:
    return f"{name} direction ({100 * share:.0f} % of the variance)"
