"""Read-only records of what was learned: nodes, PH graph, persistence, hierarchy, assignment view.

Every record belongs to one moment. Its arrays cannot be written to, and later learning does not change them. Nodes are
named by their position in :class:`Nodes`; components and clusters are numbered from 0.
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
    """Creation number; never reused, so it names a node for ever."""
    birth: Ints
    """How many samples had been learned when the node was created."""
    representatives: Floats
    """Position per node, in the space of the data (y)."""
    support: Ints | Floats
    """How many samples updated the node (M); where old samples fade (``half_life``), what is left of them."""
    rows: Ints
    """How many samples the node won, with those of removed nodes that it was nearest to. All nodes together have every
    sample learned, except where nodes are forgotten (``half_life``)."""
    scale: Floats
    """Node scale (s): distances are measured against it."""
    active: Bools
    """Active for prediction."""
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
        """One row per node; representatives in columns of the features' names, or ``x0``, ``x1``, …"""
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
    """The pruned mutual kNN graph over the nodes that persistence looks at.

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
    """Candidates per node."""
    node_threshold: Floats
    """Longest edge that a node's own candidates allow, in the order of ``nodes``."""
    global_threshold: float
    """Longest edge that all candidates together allow."""
    isolated: Ints
    """Nodes without an edge."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per edge."""
        return _frame({"source": self.source, "target": self.target, "distance": self.distance})


@dataclass(frozen=True, eq=False)
class Persistence(_Record):
    """0-dimensional persistence: of log support on the PH graph, or in PHIDA+ of the log density of flow between nodes.

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
    """Level at which the mode met a denser one; -inf if it never did."""
    partner: Ints
    """The mode into which it died, -1 if it did not."""
    input_nodes: Ints
    """The nodes of the graph."""
    base: Ints
    """Mode of each of ``input_nodes`` when it was activated; -1 for isolated nodes, which take no part."""
    threshold: float
    """Modes that persist no longer than this are absorbed (ε)."""

    @property
    def persistence(self) -> Floats:
        """How long each mode lasts: birth minus death; inf for a mode that never met a denser one."""
        forever = np.full(len(self.birth), np.inf)
        lasting: Floats = np.subtract(self.birth, self.death, out=forever, where=np.isfinite(self.death))
        return lasting

    def to_pandas(self) -> pd.DataFrame:
        """One row per mode."""
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
    """The merges that lead from PH components to output clusters, and where they are cut.

    In PHIDA+ single nodes take the place of components: they are merged by the prominence of peaks of flow (groups) or
    by modularity (parts).

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
    """What merging starts from: ``component`` or ``node``."""
    height: str
    """What a merge height measures: ``dispersion``, the increase in weighted dispersion (q); ``prominence``, the height
    of the lower peak of flow over the valley between the two; or ``modularity``, what is lost of it, below 0 where it
    is gained."""
    mode: Ints
    """The densest node of each component, or the node that is the leaf."""
    persistence: Floats
    """Persistence of each component (π); NaN for a node."""
    mass: Floats
    """PH-stable mass of each component (S*); the support of a node."""
    centroid: Floats
    """Mass-weighted centroid of each component, in the transformed space."""
    leaf: Ints
    """Per node, its leaf: a component, or its own number among the nodes in the map; -1 outside."""
    cluster: Ints
    """Output cluster of each leaf."""
    merge_into: Ints
    """Per merge, the cluster that stays, named by its lowest leaf."""
    merge_from: Ints
    """Per merge, the cluster that joins it."""
    merge_height: Floats
    """Per merge, what ``height`` says."""
    minimum_count: int
    """The least number of clusters that the masses justify (C_min); 1 in PHIDA+."""
    level: int
    """How many merges the cut makes."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per merge, made or not."""
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
        """One row per component."""
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
    """What samples tell about the space between nodes, in PHIDA+.

    Pairs of winner and runner-up, and the flow of samples that is left where no valley cuts it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> model = PHIDAPlus().fit(load_iris().data)
    >>> model.flow_.to_pandas().columns.tolist()
    ['winner', 'runner_up', 'count', 'mean_offset', 'cut']
    """

    nodes: Ints
    """The nodes that take part; empty where no two nodes have samples between them."""
    winner: Ints
    """Per pair, the nearest node."""
    runner_up: Ints
    """Per pair, the second nearest node."""
    count: Floats
    """Per pair, the samples; where old samples fade (``half_life``), what is left of them."""
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
        """One row per pair."""
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
    """What prediction measures with: the feature transformation and the clusters' shares.

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
    """How far features are normalised: 0 not at all."""
    support_share: Floats
    """Share of the support per cluster (p)."""
    concentration: float
    """Sum of the squared shares (q): the part of a cluster's support that its radius covers."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per cluster."""
        return _frame({"support_share": self.support_share})

    def features_to_pandas(self) -> pd.DataFrame:
        """One row per feature."""
        return _frame({"center": self.center, "denominator": self.denominator})


@dataclass(frozen=True, eq=False)
class Moments(_Record):
    """Mean and spread of the samples learned; where old samples fade (``half_life``), of what is left of them.

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
        """One row per feature."""
        return _frame({"mean": self.mean, "deviation": self.deviation})
