"""Read-only records of a model: nodes, PH graph, persistence, hierarchy, flow, assignment view.

A record is a snapshot: its arrays are read-only, and later learning does not change them. Other records refer to nodes
by their position in :class:`Nodes`. Components and clusters are numbered from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def _frame(columns: dict[str, Any]) -> pd.DataFrame:
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from error
    return DataFrame(columns)


@dataclass(frozen=True, eq=False)
class _Record:
    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Nodes(_Record):
    """The learned nodes, in the order of their creation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> len(model.nodes_), int(model.nodes_.rows.sum())
    (29, 150)
    >>> model.nodes_.to_pandas()[["id", "rows", "support", "component", "cluster"]].head(2)
       id  rows  support  component  cluster
    0   0    10       13          0        0
    1   1     6        8          1        1
    """

    id: Ints
    """Unique number of the node, in order of creation; never reused."""
    birth: Ints
    """Number of samples learned when the node was created."""
    representatives: Floats
    """Position of each node, in the space of the data (y)."""
    support: Ints | Floats
    """Number of samples that updated the node (M); with ``half_life``, their remaining weight."""
    rows: Ints
    """Number of samples that the node won, including those of removed nodes that it was nearest to. The sum over all
    nodes is the number of samples learned, unless nodes were forgotten (``half_life``)."""
    scale: Floats
    """Scale of the node (s), the unit of distances to it."""
    active: Bools
    """Whether the node is active for prediction."""
    component: Ints
    """PH component, -1 for none."""
    cluster: Ints
    """Output cluster, -1 for none."""
    cluster_id: Ints
    """Id of the confirmed cluster, -1 for none."""
    feature_names: tuple[str, ...] | None
    """Names of the features, where the input had any."""

    def __len__(self) -> int:
        return len(self.id)

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per node; its position is in columns named by feature, or ``x0``, ``x1``, …"""
        columns: dict[str, Any] = {
            "id": self.id,
            "birth": self.birth,
            "support": self.support,
            "rows": self.rows,
            "scale": self.scale,
            "active": self.active,
            "component": self.component,
            "cluster": self.cluster,
            "cluster_id": self.cluster_id,
        }
        names = self.feature_names or tuple(f"x{j}" for j in range(self.representatives.shape[1]))
        columns |= dict(zip(names, self.representatives.T, strict=True))
        return _frame(columns)


@dataclass(frozen=True, eq=False)
class Graph(_Record):
    """The pruned mutual kNN graph over the nodes, the input of persistence.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.graph_.k, len(model.graph_.source)
    (2, 16)
    >>> model.graph_.to_pandas().columns.tolist()
    ['source', 'target', 'distance']
    """

    nodes: Ints
    """The nodes that the graph is built over."""
    source: Ints
    """One end of each edge."""
    target: Ints
    """The other end, with the higher position."""
    distance: Floats
    """Length of each edge (δ)."""
    k: int
    """Number of candidate neighbours per node."""
    node_threshold: Floats
    """Maximum edge length of each of ``nodes``, from its own candidates."""
    global_threshold: float
    """Maximum edge length, from all candidates."""
    isolated: Ints
    """Nodes without an edge."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per edge."""
        return _frame({"source": self.source, "target": self.target, "distance": self.distance})


@dataclass(frozen=True, eq=False)
class Persistence(_Record):
    """0-dimensional persistence of log support on the PH graph or, in PHIDA+, of the log density of flow.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> modes = model.persistence_
    >>> print(sum(modes.persistence > modes.threshold), "of", len(modes.node), "modes last")
    8 of 10 modes last
    """

    node: Ints
    """The node of each mode."""
    birth: Floats
    """Log support of the mode, or log density of flow; -inf for a node without flow."""
    death: Floats
    """Level at which the mode meets a denser one; -inf if it never does."""
    partner: Ints
    """The mode that it merges into, -1 for none."""
    input_nodes: Ints
    """The nodes of the graph."""
    base: Ints
    """Mode of each of ``input_nodes`` at its activation; -1 for isolated nodes, which are left out."""
    threshold: float
    """Persistence threshold (ε): modes up to it are absorbed."""

    @property
    def persistence(self) -> Floats:
        """Persistence of each mode: birth minus death; inf for a mode that never meets a denser one."""
        forever = np.full(len(self.birth), np.inf)
        lasting: Floats = np.subtract(self.birth, self.death, out=forever, where=np.isfinite(self.death))
        return lasting

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per mode."""
        return _frame(
            {
                "node": self.node,
                "birth": self.birth,
                "death": self.death,
                "persistence": self.persistence,
                "partner": self.partner,
            }
        )


@dataclass(frozen=True, eq=False)
class Hierarchy(_Record):
    """The merges from PH components to output clusters, and the cut.

    In PHIDA+, the leaves are single nodes instead of components. They are merged by the prominence of peaks of flow
    (groups) or by modularity (parts).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> tree = model.hierarchy_
    >>> print(len(tree.mode), "components,", tree.level, "merges made, at least", tree.minimum_count, "clusters")
    8 components, 0 merges made, at least 7 clusters
    """

    leaves: str
    """Kind of the leaves: ``component`` or ``node``."""
    height: str
    """Meaning of merge heights: ``dispersion``, the increase in weighted dispersion (q); ``prominence``, the ratio of
    the lower peak of flow to the valley between the two; or ``modularity``, the loss of modularity, negative for a
    gain."""
    mode: Ints
    """The densest node of each component, or the node that is the leaf."""
    persistence: Floats
    """Persistence of each component (π); NaN for a node."""
    mass: Floats
    """PH-stable mass of each component (S*); the support of a node."""
    centroid: Floats
    """Mass-weighted centroid of each component, in the transformed space."""
    leaf: Ints
    """Leaf of each node; -1 for none."""
    cluster: Ints
    """Output cluster of each leaf."""
    merge_into: Ints
    """Per merge, the cluster that is kept, named by its lowest leaf."""
    merge_from: Ints
    """Per merge, the cluster that is merged into it."""
    merge_height: Floats
    """Height of each merge, as defined by ``height``."""
    minimum_count: int
    """Minimum number of clusters, from the masses (C_min); 1 in PHIDA+."""
    level: int
    """Number of merges that the cut makes."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per merge, made or not."""
        made = np.arange(len(self.merge_height)) < self.level
        return _frame(
            {
                "into": self.merge_into,
                "from": self.merge_from,
                "height": self.merge_height,
                "made": made,
            }
        )

    def components_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per component."""
        return _frame(
            {
                "mode": self.mode,
                "persistence": self.persistence,
                "mass": self.mass,
                "cluster": self.cluster,
            }
        )


@dataclass(frozen=True, eq=False)
class Flow(_Record):
    """Counts of samples between pairs of nodes, in PHIDA+.

    A pair is a winner and a runner-up. The flow consists of the samples of pairs that no valley separates.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> model = PHIDAPlus().fit(load_iris().data)
    >>> model.flow_.to_pandas().columns.tolist()
    ['winner', 'runner_up', 'count', 'mean_offset', 'cut']
    """

    nodes: Ints
    """The nodes with flow; empty if no samples lie between any two nodes."""
    winner: Ints
    """Per pair, the nearest node."""
    runner_up: Ints
    """Per pair, the second nearest node."""
    count: Floats
    """Per pair, the number of samples; with ``half_life``, their remaining weight."""
    offset: Floats
    """Per pair, the sum of the samples' distances from the plane between the two nodes: 0 on the plane, 1 level with
    the winner."""
    offset_square: Floats
    """Per pair, the sum of their squares."""
    cut: Ints
    """Per pair: 0 where the samples count as flow, 1 where a valley separates the two nodes, 2 where the winner is
    separated from all others."""
    source: Ints
    """Per edge of the flow, one node."""
    target: Ints
    """Per edge, the other node."""
    amount: Floats
    """Per edge, the samples that flow in either direction."""
    height: Floats
    """Per node of ``nodes``, the density of flow; empty unless clusters are groups."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per pair."""
        mean = np.divide(self.offset, self.count, out=np.zeros_like(self.offset), where=self.count > 0)
        return _frame(
            {
                "winner": self.winner,
                "runner_up": self.runner_up,
                "count": self.count,
                "mean_offset": mean,
                "cut": self.cut,
            }
        )


@dataclass(frozen=True, eq=False)
class AssignmentView(_Record):
    """The feature transformation and cluster shares that prediction uses.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.assignment_view_.features_to_pandas().columns.tolist()
    ['center', 'denominator']
    """

    center: Floats
    """Median per feature."""
    denominator: Floats
    """Scale per feature, to the power γ."""
    gamma: float
    """Strength of normalisation; 0 is none."""
    support_share: Floats
    """Share of the support per cluster (p)."""
    concentration: float
    """Sum of the squared shares (q): the part of a cluster's support that its radius covers."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per cluster."""
        return _frame({"support_share": self.support_share})

    def features_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per feature."""
        return _frame({"center": self.center, "denominator": self.denominator})


@dataclass(frozen=True, eq=False)
class Moments(_Record):
    """Mean and standard deviation of the samples learned; with ``half_life``, weighted by their remaining weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.moments_.mean.round(1).tolist()
    [5.8, 3.1, 3.8, 1.2]
    """

    mean: Floats
    """Mean per feature."""
    deviation: Floats
    """Standard deviation per feature."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per feature."""
        return _frame({"mean": self.mean, "deviation": self.deviation})
