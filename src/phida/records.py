"""Read-only records of a model: nodes, graph, persistence, hierarchy, assignment view.

A record is a snapshot: its arrays are read-only, and later learning does not change them. Other records refer to nodes
by their position in :class:`Nodes`. Components and clusters are numbered from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from phida import _html
from phida.errors import InputError

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


#: Maximum length of a record's repr, values shown per column, and rows shown in its table.
_LONGEST, _VALUES, _ROWS = 300, 3, 5


def _text(value: Any) -> str:
    """Return one value as short text."""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _short(value: Any) -> str:
    """Return a field as short text: the first values, or the shape of a matrix."""
    if isinstance(value, np.ndarray) and value.ndim > 1:
        return f"<{' × '.join(map(str, value.shape))}>"
    if isinstance(value, np.ndarray | tuple):
        shown = ", ".join(map(_text, value[:_VALUES]))
        return f"[{shown}{', …' if len(value) > _VALUES else ''}]"
    return _text(value) if isinstance(value, int | float) else repr(value)


@dataclass(frozen=True, eq=False)
class _Record:
    _key: ClassVar[str]
    """A field with one value per entry."""
    _entry: ClassVar[str]
    """What an entry is."""
    _shown: ClassVar[str]
    """Columns of the frame."""

    def __init_subclass__(cls, key: str, entry: str, frame: str = "") -> None:
        cls._key, cls._entry, cls._shown = key, entry, frame
        # A dataclass writes a repr of all values, unless its class defines one.
        cls.__repr__ = _Record.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return the type, the number of entries, and the first values of as many fields as fit."""
        columns, others = self._columns()
        text = f"{type(self).__name__}({self._counted(columns)}"
        for name, value in (columns | others).items():
            part = f", {name}={_short(value)}"
            if len(text) + len(part) > _LONGEST - 4:
                return text + ", …)"
            text += part
        return text + ")"

    def _repr_html_(self) -> str:
        """Return the first rows as a table, and the number of the others."""
        columns, others = self._columns()
        flat = {name: column for name, column in columns.items() if np.ndim(column) == 1}
        rows = list(zip(*(map(_text, column[:_ROWS]) for column in flat.values()), strict=True))
        notes = [f"{name}={_short(value)}" for name, value in others.items()]
        notes += [f"{name}={_short(column)}" for name, column in columns.items() if name not in flat]
        caption = ", ".join([f"{type(self).__name__}: {self._counted(columns)}", *notes])
        hidden = len(getattr(self, self._key)) - _ROWS
        return _html.table(list(flat), rows, caption=caption, more=f"and {hidden:,} more" if hidden > 0 else "")

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per entry."""
        return self._frame_of(self._shown)

    def _frame_of(self, names: str, **others: Any) -> pd.DataFrame:
        """Return a frame of fields that are not None, and of other columns."""
        found = {name: getattr(self, name) for name in names.split()}
        return _frame({name: values for name, values in (found | others).items() if values is not None})

    def _counted(self, columns: dict[str, Any]) -> str:
        size = len(columns[self._key])
        return f"{size:,} {self._entry}{'' if size == 1 else 's'}"

    def _columns(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the fields with one value per entry, and the other non-empty fields."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values = {name: value for name, value in values.items() if value is not None}
        size = len(values[self._key])
        columns = {
            name: value for name, value in values.items() if isinstance(value, np.ndarray) and len(value) == size
        }
        return columns, {name: value for name, value in values.items() if name not in columns}

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Nodes(_Record, key="id", entry="node"):
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
    """Number of samples that updated the node (M). In PHIDA+: the weight of its samples, which fades with
    ``half_life``."""
    rows: Ints
    """Number of samples that the node won, including those of removed nodes that it was nearest to. The sum over all
    nodes is the number of samples learned, unless nodes were forgotten (``half_life``)."""
    scale: Floats
    """Scale of the node (s), the unit of distances to it. In PHIDA+: root mean squared distance of its samples to it,
    after scaling of the features."""
    active: Bools
    """Whether the node is active for prediction; always in PHIDA+."""
    component: Ints
    """PH component, -1 for none. In PHIDA+: the cluster."""
    cluster: Ints
    """Output cluster, -1 for none."""
    cluster_id: Ints
    """Id of the confirmed cluster, -1 for none."""
    feature_names: tuple[str, ...] | None
    """Names of the features, if the input had any."""

    def __len__(self) -> int:
        return len(self.id)

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per node; its position is in columns named by feature, or ``x0``, ``x1``, …"""
        names = self.feature_names or tuple(f"x{j}" for j in range(self.representatives.shape[1]))
        values = dict(zip(names, self.representatives.T, strict=True))
        return self._frame_of("id birth support rows scale active component cluster cluster_id", **values)


@dataclass(frozen=True, eq=False)
class Graph(_Record, key="source", entry="edge", frame="source target distance"):
    """The graph over the nodes that persistence is computed on.

    In PHIDA, the pruned mutual kNN graph. PHIDA+ connects each node to its nearest nodes and prunes no edge.

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
    """Maximum edge length of each of ``nodes``, from its own candidates; empty in PHIDA+."""
    global_threshold: float
    """Maximum edge length, from all candidates; inf in PHIDA+."""
    isolated: Ints
    """Nodes without an edge."""


@dataclass(frozen=True, eq=False)
class Persistence(_Record, key="node", entry="mode"):
    """0-dimensional persistence on the graph: of log support in PHIDA, of log density in PHIDA+.

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
    """Log support or log density of the mode."""
    death: Floats
    """Level at which the mode meets a denser one; -inf if it never does."""
    partner: Ints
    """The mode that it merges into, -1 for none."""
    input_nodes: Ints
    """The nodes of the graph."""
    base: Ints
    """Mode of each of ``input_nodes`` at its activation; -1 for isolated nodes, which are left out."""
    threshold: float | Floats
    """Persistence threshold (ε): modes up to it are absorbed. In PHIDA+ one per mode: the persistence that chance alone
    would show."""
    scale: Ints | None = None
    """PHIDA+ only: number of neighbours that the density of each mode was measured over."""

    @property
    def persistence(self) -> Floats:
        """Persistence of each mode: birth minus death; inf for a mode that never meets a denser one."""
        forever = np.full(len(self.birth), np.inf)
        lasting: Floats = np.subtract(self.birth, self.death, out=forever, where=np.isfinite(self.death))
        return lasting

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per mode."""
        threshold = None if self.scale is None else self.threshold
        return self._frame_of("node birth death persistence partner", threshold=threshold, scale=self.scale)


@dataclass(frozen=True, eq=False)
class Hierarchy(_Record, key="merge_into", entry="merge"):
    """The merges from PH components to output clusters, and the cut.

    In PHIDA+, the leaves are single nodes instead of components, merged by the prominence of peaks of density.

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
    """Meaning of merge heights: ``dispersion``, the increase in weighted dispersion (q); or ``prominence``, that of the
    lower of the two peaks, in units of what chance alone would show. Merges below 1 are made. For a cut of PHIDA+ into
    a number of clusters: ``size``, support times squared distance."""
    threshold: float
    """Height from which clusters stay apart: 1 for ``prominence``; inf for ``dispersion``, whose largest jump decides;
    NaN for ``size``, where no height does."""
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
    merge_prominence: Floats | None = None
    """PHIDA+ only: log density of the lower peak minus that of the saddle between the two, per merge."""
    merge_chance: Floats | None = None
    """PHIDA+ only: the prominence that chance alone would show, per merge."""

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per merge, made or not."""
        made = np.arange(len(self.merge_height)) < self.level
        merges = {"into": self.merge_into, "from": self.merge_from, "height": self.merge_height, "made": made}
        return self._frame_of("", **merges, prominence=self.merge_prominence, chance=self.merge_chance)

    def components_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per component."""
        return self._frame_of("mode persistence mass cluster")


@dataclass(frozen=True, eq=False)
class AssignmentView(_Record, key="support_share", entry="cluster", frame="support_share"):
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
    """Median per feature; the mean in PHIDA+."""
    denominator: Floats
    """Scale per feature, to the power γ."""
    gamma: float
    """Strength of normalisation; 0 is none."""
    support_share: Floats
    """Share of the support per cluster (p)."""
    concentration: float
    """Sum of the squared shares (q): the part of a cluster's support that its radius covers."""

    def features_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per feature."""
        return self._frame_of("center denominator")


@dataclass(frozen=True, eq=False)
class Moments(_Record, key="mean", entry="feature", frame="mean deviation"):
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


@dataclass(frozen=True, eq=False)
class Examples(_Record, key="row", entry="row"):
    """Rows that clusters of PHIDA+ have won; those nearest to the centre of the cluster come first.

    A node keeps its first row; merged nodes keep that of the heavier one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> flowers = load_iris(as_frame=True).data
    >>> examples = PHIDAPlus().fit(flowers).examples_
    >>> row = examples.row[0]
    >>> bool((flowers.iloc[row] == examples.values[0]).all())
    True
    """

    cluster: Ints
    """Label of the cluster; ascending."""
    row: Ints
    """Number of the row among the rows learned, from 0; -1 if it came from a merged model."""
    values: Floats
    """The row."""
    feature_names: tuple[str, ...] | None = None
    """Names of the features, if they have any."""

    def to_pandas(self, ids: Any = None) -> pd.DataFrame:
        """Return a frame with one row per example.

        Parameters
        ----------
        ids : sequence, default=None
            Text, file name or id of each row learned, in the order of learning. The frame then has a column ``id``,
            which is None for rows of a model that was merged in. Rows of weight 0 are not learned: leave theirs out.
        """
        names = self.feature_names or tuple(f"feature {j}" for j in range(self.values.shape[1]))
        columns: dict[str, Any] = dict(zip(names, self.values.T, strict=True))
        if ids is not None:
            if len(ids) <= self.row.max(initial=-1):
                raise InputError(
                    f"ids has {len(ids)} values, but row {self.row.max()} is an example; pass one for each row learned."
                )
            known = list(ids)
            columns = {"id": [known[row] if row >= 0 else None for row in self.row.tolist()]} | columns
        return self._frame_of("cluster row", **columns)
