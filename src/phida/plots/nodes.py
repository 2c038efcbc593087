"""Map of the nodes, with the PH graph or the nearest neighbours of PHIDA+."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from phida.plots import style
from phida.plots.model import Model
from phida.projection import Projection, node_edges
from phida.records import Bools, Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: More marks than this are small, and go into a vector file as one image.
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
    ['node', 'x', 'y', 'weight', 'active', 'cluster', 'id']
    """

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
    """Kind of the edges: ``PH graph`` or, in PHIDA+, ``neighbour graph``."""
    source: Ints
    """One end of each edge, as a position among the nodes."""
    target: Ints
    """The other end."""
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
        source, target = node_edges(model)
        plus = model.hierarchy_.leaves == "node"
        return cls(
            node=nodes.id,
            position=projection.transform(nodes.representatives),
            weight=nodes.support if plus else nodes.rows,
            active=nodes.active,
            cluster=nodes.cluster,
            id=nodes.cluster_id,
            edges="neighbour graph" if plus else "PH graph",
            source=source,
            target=target,
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
                "weight": self.weight,
                "active": self.active,
                "cluster": self.cluster,
            }
        )
        frame["id"] = ids
        return frame.astype({"id": "Int64"})

    def edges_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per edge, the shortest first."""
        return _frame({"source": self.source, "target": self.target})


def plot_nodes(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw the nodes and edges on a plane: area shows rows won, colour and marker show the cluster.

    Edges are those of the PH graph. In PHIDA+, an edge joins a node to its two nearest neighbours in its own cluster,
    and area shows the weight of the rows. The plane is that of the two main directions of the nodes, weighted by
    support. Each cluster's id stands at its heaviest node; nodes without a cluster are grey crosses.

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
    many = n > _MANY
    for axis, values in (("x", x), ("y", y)):
        margin = 0.07 * (values.max() - values.min()) or 1.0
        ax.set(**{f"{axis}lim": (values.min() - margin, values.max() + margin)})
    ends: Any = record.position[np.column_stack([record.source, record.target])]
    look: dict[str, Any] = {"linewidths": 0.4 if many else 0.7, "alpha": 0.7, "zorder": 1, "rasterized": many}
    ax.add_collection(LineCollection(ends, colors=style.GREY, **look), autolim=False)
    area = np.maximum(np.clip(30_000 / n, 15, 320) * record.weight / record.weight.max(), 2 if many else 5)
    none = record.id < 0
    ax.scatter(x[none], y[none], s=14, marker="x", color=style.GREY, linewidths=0.8, rasterized=many)
    ids = np.where(none, 0, record.id)
    cluster_colours = np.array(style.COLOURS)[ids % len(style.COLOURS)]
    for i, marker in enumerate(style.MARKERS):
        mine = ~none & (ids % len(style.MARKERS) == i)
        look = {
            "marker": marker,
            "edgecolors": style.ink(),
            "linewidths": 0.2 if many else 0.4,
            "alpha": 0.85,
            "zorder": 3,
        }
        ax.scatter(x[mine], y[mine], s=area[mine], c=cluster_colours[mine], rasterized=many, **look)
    named = _name(ax, record)
    clusters = len(np.unique(record.id[~none]))
    ax.set(xlabel=_axis("first", record.share[0]), ylabel=_axis("second", record.share[1]), xticks=[], yticks=[])
    measure = "rows won" if record.edges == "PH graph" else "weight"
    style.title(
        ax,
        f"{record.edges[0].upper()}{record.edges[1:]}: "
        + ", ".join(style.counted(*pair) for pair in ((n, "node"), (len(ends), "edge"), (clusters, "cluster"))),
        f"area is {measure}, at most {record.weight.max():,.6g}; names are ids"
        + ("; × has no cluster" if none.any() else "")
        + (f"; {named} of {clusters} named" if named < clusters else ""),
    )
    return ax


def _name(ax: Axes, record: NodePositions) -> int:
    """Write each cluster's id at its heaviest node, the largest cluster first."""
    ids, of = np.unique(record.id, return_inverse=True)
    order = np.argsort(-np.bincount(of, record.weight), kind="stable")
    order = order[ids[order] >= 0]
    at = [np.argmax(np.where(of == cluster, record.weight, -1)) for cluster in order]
    x, y = record.position[at].T
    return style.name_points(ax, x, y, [str(ids[cluster]) for cluster in order])


def _axis(name: str, share: float) -> str:
    return f"{name} direction ({100 * share:.0f} % of the variance)"
