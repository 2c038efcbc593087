"""PHIDA's native core. Private: use the phida package."""

from typing import Any

import numpy
from numpy.typing import NDArray

Matrix = NDArray[numpy.float64]
Vector = NDArray[numpy.float64]
Indices = NDArray[numpy.int32]


class Reading:
    """An immutable view of the model."""

    def assign(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """Return the label of each row."""

    def assign_ids(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """Return the lasting id of each row: that of its label."""

    def scores(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.float64]:
        """Return the score h_c of each row and cluster."""

    def margins(self, samples: Matrix) -> NDArray[numpy.float64]:
        """Return each row's similarity to its winner minus the vigilance."""

    def usual_margins(self) -> NDArray[numpy.float64]:
        """
        Return the margins of the latest samples, for comparison with new rows.
        """

    def at_level(self, level: int) -> Reading:
        """Return the same leaves after the first merges, up to a level."""

    def with_clusters(self, n: int) -> Reading:
        """Return a cut into n clusters; that of PHIDA+ is by size."""

    def merge_heights(self) -> NDArray[numpy.float64]:
        """Heights of all merges, also below the minimum number of clusters."""

    def cluster_ids(self) -> NDArray[numpy.int64]: ...

    def nodes(self) -> dict[str, Any]: ...

    def graph(self) -> dict[str, Any]: ...

    def persistence(self) -> dict[str, Any]: ...

    def hierarchy(self) -> dict[str, Any]: ...

    def view(self) -> dict[str, Any]: ...

    def moments(self) -> dict[str, Any]: ...

    def cluster_centers(self) -> NDArray[numpy.float64]: ...

    @property
    def n_nodes(self) -> int: ...

    @property
    def n_active_nodes(self) -> int: ...

    @property
    def n_components(self) -> int: ...

    @property
    def n_leaves(self) -> int: ...

    @property
    def leaves(self) -> str: ...

    @property
    def n_clusters(self) -> int: ...

class Learner:
    """The online learner of PHIDA. The switches are the paper's ablations."""

    def __init__(self, n_features: int, *, released: bool = False, ph: bool = True, refresh: bool = True, remove: bool = True, prune: bool = True, mapping: bool = True) -> None: ...

    def learn(self, samples: Matrix) -> int:
        """
        Learn rows in order. The caller has checked that every value is finite.
        """

    def last_step(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def interval(self) -> int: ...

    @property
    def vigilance(self) -> float: ...

    @property
    def ratio(self) -> float: ...

    def end_learning(self) -> None:
        """Refresh and begin a new stage."""

    def reading(self) -> Reading:
        """Return a reading of the model; learning is not affected."""

    def assign(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """
        Return the label of each row, as the reading does; faster for a few rows.
        """

    def assign_ids(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """Return the lasting id of each row, likewise."""

    def lineage(self, since: int = 0) -> dict[str, Any]:
        """Return the events of clusters from a number on, as columns."""

    def living(self) -> dict[str, Any]:
        """
        The confirmed clusters, as columns. Birth: mean creation time of their nodes, weighted by wins. Quiet: whether they have stopped winning rows.
        """

    def candidates(self) -> dict[str, Any]:
        """Unconfirmed changes, as columns."""

    def history(self) -> dict[str, Any]:
        """The learner's size at every n-th refresh, as columns."""

    def __getstate__(self) -> dict[str, Any]: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_events(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

class PlusLearner:
    """The online learner of PHIDA+."""

    def __init__(self, n_features: int, **settings: float) -> None:
        """The settings are the fields of FineSettings, as a model file has them."""

    def learn(self, samples: Matrix, weights: Vector | None = None, *, follow: bool = True) -> int:
        """
        Learn rows in order, each counting for as many rows as its weight says. Every value must be finite; the caller has checked. If clusters are not followed, end_learning maps the nodes.
        """

    def merge(self, others: list[PlusLearner], *, follow: bool = True, one_stream: bool = False) -> None:
        """
        Add the nodes of other learners with the same settings. If clusters are not followed, end_learning maps the nodes. Examples of parts of one stream keep their row numbers.
        """

    def number_examples(self, part: int, n_parts: int, block: int) -> None:
        """
        Number the rows of examples by the stream whose blocks were dealt to several learners.
        """

    def last_step(self) -> dict[str, Any]: ...

    def examples(self) -> dict[str, Any]:
        """Return example rows of the clusters, as columns."""

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

    @property
    def allowance(self) -> float: ...

    def end_learning(self) -> None:
        """Refresh and begin a new stage."""

    def reading(self) -> Reading:
        """Return a reading of the model; learning is not affected."""

    def assign(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """
        Return the label of each row, as the reading does; faster for a few rows.
        """

    def assign_ids(self, samples: Matrix, threads: int = 1) -> NDArray[numpy.int64]:
        """Return the lasting id of each row, likewise."""

    def lineage(self, since: int = 0) -> dict[str, Any]:
        """Return the events of clusters from a number on, as columns."""

    def living(self) -> dict[str, Any]:
        """
        The confirmed clusters, as columns. Birth: mean creation time of their nodes, weighted by wins. Quiet: whether they have stopped winning rows.
        """

    def candidates(self) -> dict[str, Any]:
        """Unconfirmed changes, as columns."""

    def history(self) -> dict[str, Any]:
        """The learner's size at every n-th refresh, as columns."""

    def __getstate__(self) -> dict[str, Any]: ...

    @property
    def n_features(self) -> int: ...

    @property
    def n_seen(self) -> int: ...

    @property
    def n_events(self) -> int: ...

    @property
    def n_nodes(self) -> int: ...

def log(x: float) -> float: ...

def exp(x: float) -> float: ...

def pow(base: float, exponent: float) -> float: ...

def entropy_count(masses: Vector) -> float: ...

def hazen_quantile(values: Vector, q: float) -> float: ...

def adaptive_transform(rows: Matrix) -> dict[str, Any]: ...

def feature_weights(m2: Matrix, support: Vector, count: float, stream_m2: Vector) -> NDArray[numpy.float64]: ...

def nearest_two(query: Vector, rows: Matrix, inverse: Vector | None, gamma: float, m2: Matrix, support: Vector, count: float, stream_m2: Vector) -> tuple[Any, ...]: ...

def knn_graph(rows: Matrix, m2: Matrix | None = None, support: Vector | None = None, count: float = 0.0, stream_m2: Vector | None = None) -> dict[str, Any]: ...

def ph_components(offset: Indices, neighbour: Indices, support: Vector, prune: bool = True) -> dict[str, Any]: ...

def hierarchy(rows: Matrix, support: Vector, component: Indices, persistence: Vector) -> dict[str, Any]: ...

def cut_level(heights: Vector) -> int: ...

def assign(rows: Matrix, support: Vector, cluster: Indices, n_clusters: int, samples: Matrix) -> tuple[Any, ...]: ...

def recalculate_vigilance(samples: Matrix, inverse: Vector | None, interval: int, threshold: float, ratio: float, current_ratio: float, alpha: float) -> tuple[Any, ...]: ...

def simd_level() -> str:
    """Return the instruction set in use: baseline, avx2, avx512 or avx512vnni."""

def simd_levels() -> list[str]:
    """Return the instruction sets of this processor and build."""

def use_simd_level(level: str) -> None:
    """Replace the instruction set in use, for tests."""

def first_outside(values: Matrix, limit: float) -> int:
    """
    Return the flat index of the first value that is NaN or exceeds the limit in magnitude, or -1.
    """
