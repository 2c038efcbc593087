"""CIM-based ART with edges and ages."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer


class CAEA(OnlineClusterer):
    """Adaptive resonance theory with edges and ages, in the correntropy-induced metric (CIM).

    The first rows become nodes, and their distances set how near a row must be to its node. Winner and runner-up are
    joined by an edge, edges that are not renewed grow old and vanish, and nodes without an edge are removed every
    ``lam`` rows. Clusters are the connected components.

    Parameters
    ----------
    lam : int, default=28
        Rows of a call between two removals of isolated nodes (λ). Half of it, rounded up, is the number of rows that
        begin as nodes, and of the latest rows that give a new node its bandwidth.
    age_max : int, default=10
        The age up to which an edge is kept.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_samples_seen_ : int
        How many clusters, nodes and rows learned there are.
    vigilance_ : float
        CIM above which a row becomes a node of its own; 0 until there are nodes enough.
    nodes_ : ndarray of shape (n_nodes_, n_features_in_)
        Where the nodes lie.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    **One call is one stage, by definition.** Rows are counted anew in each call of ``partial_fit``, and bandwidths come
    from rows of the same call. So the result depends on how the stream is cut into calls.

    **All nodes may go.** If no node has an edge after ``lam`` rows, none is left; the next rows become nodes again. A
    model that ends so cannot predict, and says so.

    References
    ----------
    N. Masuyama et al. CAEA. *IEEE Access*, 2022.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import CAEA
    >>> model = CAEA(lam=16).fit(load_iris().data)
    >>> model.n_nodes_, model.n_clusters_
    (17, 11)
    """

    _native = _systems.CAEA
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClusterer._parameter_constraints,
        "lam": [Interval(Integral, 1, None, closed="left")],
        "age_max": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(self, *, lam: int = 28, age_max: int = 10, compute_labels: bool = True) -> None:
        self.lam = lam
        self.age_max = age_max
        self.compute_labels = compute_labels

    @property
    def vigilance_(self) -> float:
        return self._fitted.vigilance

    @property
    def _fitted(self) -> _systems.CAEA:
        return super()._fitted  # type: ignore[return-value]
