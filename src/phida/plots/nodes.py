"""Map of the nodes, with the PH graph or the flow of PHIDA+."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from phida.plots import style
from phida.plots.model import Model
from phida.projection import Projection, node_edges
from phida.records import Bools, Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: More marks than this go into a vector file as one image.
_MANY = 1000


@dataclass(frozen=True, eq=False)
class NodePositions(_Record):
    """The nodes, projected onto their first two principal axes, and the edges between them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import NodePositions
    >>> NodePositions.of(PHIDA().fit(load_iris().data)).to_pandas().columns.tolist()
    ['node', 'x', 'y', 'rows', 'active', 'cluster', 'id']
    """

    node: Ints
    """Id of each node."""
    position: Floats
    """Two coordinates per node, in the transformed space that prediction uses."""
    rows: Ints
    """Number of rows that the node won."""
    active: Bools
    """Whether the node is active for prediction."""
    cluster: Ints
    """Output cluster, -1 for none."""
    id: Ints
    """Lasting id of the cluster, -1 for none."""
    edges: str
    """Kind of the edges: ``PH graph`` or, in PHIDA+, ``flow``."""
    source: Ints
    """One end of each edge, as a position among the nodes."""
    target: Ints
    """The other end."""
    strength: Floats
    """Flow of each edge relative to the largest; 1 for the PH graph."""
    share: Floats
    """Share of the variance of the nodes along each axis."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model.

        Parameters
        ----------
        model : PHIDA

        Returns
        -------
        record : NodePositions
        """
        nodes = model.nodes_
        projection = Projection.of(model)
        source, target, strength = node_edges(model)
        return cls(
            node=nodes.id,
            position=projection.transform(nodes.representatives),
            rows=nodes.rows,
            active=nodes.active,
            cluster=nodes.cluster,
            id=nodes.cluster_id,
            edges="flow" if model.hierarchy_.leaves == "node" else "PH graph",
            source=source,
            target=target,
            strength=strength,
            share=projection.share,
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per node; nodes without a cluster have no cluster id."""
        ids = [id if id >= 0 else None for id in self.id.tolist()]
        frame = _frame(
            {
                "node": self.node,
                "x": self.position[:, 0],
                "y": self.position[:, 1],
                "rows": self.rows,
                "active": self.active,
                "cluster": self.cluster,
            }
        )
        frame["id"] = ids
        return frame.astype({"id": "Int64"})

    def edges_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per edge, the strongest first."""
        return _frame({"source": self.source, "target": self.target, "strength": self.strength})


def plot_nodes(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the nodes and edges on a plane: size shows rows won, colour and marker show the cluster.

    Edges are those of the PH graph, or of the flow in PHIDA+, where faint edges have little flow. The plane is that of
    the two main directions of the nodes, weighted by support. Each cluster's id stands at its node with the most rows;
    nodes without a cluster are grey crosses.

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
    >>> from phida.plots import plot_nodes
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_nodes(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'PH graph: 29 nodes, 16 edges, 8 clusters'
    """
    record = NodePositions.of(model)
    ax = style.axes_of(ax, (6.8, 5.6))
    x, y = record.position.T
    n = len(x)
    for axis, values in (("x", x), ("y", y)):
        margin = 0.07 * (values.max() - values.min()) or 1.0
        ax.set(**{f"{axis}lim": (values.min() - margin, values.max() + margin)})
    ends: Any = record.position[np.column_stack([record.source, record.target])]
    opacity = 0.3 + 0.4 * np.sqrt(record.strength)
    colours = np.column_stack([np.tile(to_rgb(style.GREY), (len(ends), 1)), opacity])
    look: dict[str, Any] = {"linewidths": 0.7, "zorder": 1, "rasterized": len(ends) > _MANY}
    ax.add_collection(LineCollection(ends, colors=colours, **look), autolim=False)
    area = np.maximum(np.clip(30_000 / n, 40, 320) * record.rows / record.rows.max(), 5)
    none = record.id < 0
    ax.scatter(x[none], y[none], s=14, marker="x", color=style.GREY, linewidths=0.8, rasterized=n > _MANY)
    ids = np.where(none, 0, record.id)
    cluster_colours = np.array(style.COLOURS)[ids % len(style.COLOURS)]
    for i, marker in enumerate(style.MARKERS):
        mine = ~none & (ids % len(style.MARKERS) == i)
        look = {
            "marker": marker,
            "edgecolors": style.ink(),
            "linewidths": 0.4,
            "alpha": 0.85,
            "zorder": 3,
        }
        ax.scatter(x[mine], y[mine], s=area[mine], c=cluster_colours[mine], rasterized=n > _MANY, **look)
    named = _name(ax, record)
    clusters = len(np.unique(record.id[~none]))
    ax.set(xlabel=_axis("first", record.share[0]), ylabel=_axis("second", record.share[1]), xticks=[], yticks=[])
    style.title(
        ax,
        f"{record.edges[0].upper()}{record.edges[1:]}: "
        + ", ".join(style.counted(*pair) for pair in ((n, "node"), (len(ends), "edge"), (clusters, "cluster"))),
        f"area is rows won, at most {record.rows.max():,}; names are ids"
        + ("; × has no cluster" if none.any() else "")
        + (f"; {named} of {clusters} named" if named < clusters else ""),
    )
    return ax


def _name(ax: Axes, record: NodePositions) -> int:
    """Write each cluster's id at its node with the most rows, the largest cluster first."""
    ids, of = np.unique(record.id, return_inverse=True)
    order = np.argsort(-np.bincount(of, record.rows), kind="stable")
    order = order[ids[order] >= 0]
    at = [np.argmax(np.where(of == cluster, record.rows, -1)) for cluster in order]
    x, y = record.position[at].T
    return style.name_points(ax, x, y, [str(ids[cluster]) for cluster in order])


def _axis(name: str, share: float) -> str:
    return f"{name} direction ({100 * share:.0f} % of the variance)"
