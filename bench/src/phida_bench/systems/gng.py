"""Growing Neural Gas."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer


class GNG(OnlineClusterer):
    """Growing Neural Gas.

    Nodes joined by edges follow the rows. The winner and its neighbours move towards each row, the edge between winner
    and runner-up is renewed while the winner's others grow old and vanish, and every ``lam`` rows a node is inserted
    where the accumulated error is largest. Clusters are the connected components of the graph.

    Parameters
    ----------
    lam : int, default=100
        Rows between two insertions (λ).
    a_max : int, default=50
        The age up to which an edge is kept.
    eps_b, eps_n : float, default=0.2, 0.006
        Share of the way that the winner and its neighbours move towards a row.
    alpha : float, default=0.5
        What remains of the errors of two nodes when one is inserted between them.
    d : float, default=0.995
        What remains of every error after each row.
    n_max : int, default=2000
        Number of nodes at which insertion stops.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_samples_seen_ : int
        How many clusters, nodes and rows learned there are.
    nodes_ : ndarray of shape (n_nodes_, n_features_in_)
        Where the nodes lie.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The first two rows become the first two nodes, so nothing is random. How the stream is cut into ``partial_fit``
    calls makes no difference.

    References
    ----------
    B. Fritzke. A growing neural gas network learns topologies. *Advances in Neural Information Processing Systems 7*,
    1995.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import GNG
    >>> model = GNG(lam=10, a_max=5).fit(load_iris().data)
    >>> model.n_nodes_, model.n_clusters_
    (17, 2)
    """

    _native = _systems.GNG
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClusterer._parameter_constraints,
        "lam": [Interval(Integral, 1, None, closed="left")],
        "a_max": [Interval(Integral, 0, None, closed="left")],
        "eps_b": [Interval(Real, 0, 1, closed="both")],
        "eps_n": [Interval(Real, 0, 1, closed="both")],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "d": [Interval(Real, 0, 1, closed="right")],
        "n_max": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self,
        *,
        lam: int = 100,
        a_max: int = 50,
        eps_b: float = 0.2,
        eps_n: float = 0.006,
        alpha: float = 0.5,
        d: float = 0.995,
        n_max: int = 2000,
        compute_labels: bool = True,
    ) -> None:
        self.lam = lam
        self.a_max = a_max
        self.eps_b = eps_b
        self.eps_n = eps_n
        self.alpha = alpha
        self.d = d
        self.n_max = n_max
        self.compute_labels = compute_labels
