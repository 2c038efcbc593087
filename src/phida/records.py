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
    >>> len(model.nodes_), int(model.nodes_.support.sum())
    (29, 186)
    >>> model.nodes_.to_pandas()[["id", "support", "component", "cluster"]].head(2)
       id  support  component  cluster
    0   0       13          0        0
    1   1        8          1        1
    """

    id: Ints
    """Creation number; never reused, so it names a node for ever."""
    birth: Ints
    """How many samples had been learned when the node was created."""
    representatives: Floats
    """Position per node, in the space of the data (y)."""
    support: Ints | Floats
    """How many samples updated the node (M); where old samples fade (``half_life``), what is left of them."""
    scale: Floats
    """Node scale (s): distances are measured against it."""
    active: Bools
    """Active for prediction."""
    component: Ints
    """PH component, -1 for none."""
    cluster: Ints
    """Output cluster, -1 for none."""
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
            "scale": self.scale,
            "active": self.active,
            "component": self.component,
            "cluster": self.cluster,
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
    """0-dimensional persistence of log support on the graph.

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
    """Log support of the mode."""
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
        """How long each mode lasts: birth minus death."""
        return self.birth - self.death

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

    With ``mapping="coactivation"`` single nodes take the place of components, and what they won together that of
    distance.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> tree = model.hierarchy_
    >>> print(len(tree.mode), "components,", tree.level, "merges made, at least", tree.minimum_count, "clusters")
    8 components, 0 merges made, at least 7 clusters
    """

    mapping: str
    """The rule that made it: ``persistence``, the paper's, or ``coactivation``; the first also where no two nodes ever
    won together."""
    mode: Ints
    """The densest node of each component."""
    persistence: Floats
    """Persistence of each component (π); NaN for a node."""
    mass: Floats
    """PH-stable mass of each component (S*); the support of a node."""
    centroid: Floats
    """Mass-weighted centroid of each component, in the transformed space."""
    group: Ints
    """Per node, its component, or the number of the node among those in the map; -1 outside."""
    cluster: Ints
    """Output cluster of each component."""
    merge_into: Ints
    """Per merge, the group that stays, named by its lowest component."""
    merge_from: Ints
    """Per merge, the group that joins it."""
    merge_height: Floats
    """Per merge, the increase in weighted dispersion (q). With co-activation: by how much the share of samples that two
    groups won together falls short of what chance would give; merges are made while that is negative."""
    minimum_count: int
    """The least number of clusters that the masses justify (C_min); 1 with co-activation."""
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
class CoWins(_Record):
    """How often nodes won samples together: one was the winner, the other its runner-up.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA(mapping="coactivation").fit(load_iris().data)
    >>> model.co_wins_.to_pandas().columns.tolist()
    ['winner', 'runner_up', 'count']
    """

    winner: Ints
    """The node that was nearest."""
    runner_up: Ints
    """The one that was nearest but for it."""
    count: Ints | Floats
    """Samples; where old samples fade (``half_life``), what is left of them."""

    def to_pandas(self) -> pd.DataFrame:
        """One row per pair that ever won together."""
        return _frame({"winner": self.winner, "runner_up": self.runner_up, "count": self.count})


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
