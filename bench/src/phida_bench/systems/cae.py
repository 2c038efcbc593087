"""CIM-based ART with edges."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer


class CAE(OnlineClusterer):
    """Adaptive resonance theory with edges, in the correntropy-induced metric (CIM).

    The first rows become nodes until they are diverse enough, which a determinant tells; their number and their
    distances then set how many nodes must be alive and how near a row must be to its node. Winner and runner-up are
    joined by an edge, edges go when they are older than edges usually get, and nodes without an edge are removed at
    intervals. Clusters are the connected components. There is nothing to tune.

    Parameters
    ----------
    max_nodes : int, default=2000
        Rows that would become a node beyond these are ignored.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_samples_seen_ : int
        How many clusters, nodes and rows learned there are.
    interval_ : int or None
        Rows between two removals of isolated nodes; None until the nodes are diverse enough.
    vigilance_ : float
        CIM above which a row becomes a node of its own.
    nodes_ : ndarray of shape (n_nodes_, n_features_in_)
        Where the nodes lie.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    **One call is one stage, by definition.** The rows between two removals of isolated nodes are counted anew in each
    call of ``partial_fit``, and the first bandwidth comes from the first ten rows of the first call. So the result
    depends on how the stream is cut into calls.

    **All nodes may go.** If no node has an edge at the end of an interval, none is left; the next rows become nodes
    again. A model that ends so cannot predict, and says so.

    **Repeated rows.** Two equal nodes make the determinant 0 up to rounding, and rounding decides whether it is seen.
    The same rows still give the same bits everywhere.

    In many dimensions the first nodes may never be diverse enough: then every row is a cluster of its own.

    References
    ----------
    N. Masuyama et al. CAE. *Neural Computing and Applications* 38, 217, 2026. arXiv:2305.01507.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import CAE
    >>> order = np.random.default_rng(0).permutation(150)
    >>> model = CAE().fit(load_iris().data[order])
    >>> model.n_nodes_, model.n_clusters_
    (35, 23)
    """

    _native = _systems.CAE
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClusterer._parameter_constraints,
        "max_nodes": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(self, *, max_nodes: int = 2000, compute_labels: bool = True) -> None:
        self.max_nodes = max_nodes
        self.compute_labels = compute_labels

    @property
    def interval_(self) -> int | None:
        return self._fitted.interval or None

    @property
    def vigilance_(self) -> float:
        return self._fitted.vigilance

    @property
    def _fitted(self) -> _systems.CAE:
        return super()._fitted  # type: ignore[return-value]
