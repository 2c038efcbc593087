"""Inverse-distance ART with topology."""

from __future__ import annotations

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer


class IDAT(OnlineClusterer):
    """Inverse-distance adaptive resonance theory with topology.

    PHIDA's sibling. Each row goes to the nearest node, or becomes one if it is not similar enough; how similar is
    enough, and for how many rows, is recalculated from the latest rows. Nodes that learn the same rows more often than
    others are joined by an edge. Clusters are the connected components, and nodes that have proved themselves, the
    active ones, answer for them. There is nothing to tune.

    Parameters
    ----------
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last. Only with ``compute_labels``.
    n_clusters_ : int
        Clusters with an active node; all clusters while no node is active.
    n_nodes_, n_active_nodes_, n_samples_seen_ : int
        How many nodes, nodes active for prediction, and rows learned there are.
    interval_ : int
        Rows between two adjustments of the vigilance.
    vigilance_ : float
        Similarity below which a row becomes a node of its own.
    nodes_ : ndarray of shape (n_nodes_, n_features_in_)
        Where the nodes lie.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    How the stream is cut into ``partial_fit`` calls makes no difference.

    References
    ----------
    N. Masuyama, Y. Toda, Y. Nojima, H. Ishibuchi. IDAT. arXiv:2511.17983, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import IDAT
    >>> model = IDAT().fit(load_iris().data)
    >>> model.n_active_nodes_, model.n_clusters_
    (9, 5)
    """

    _native = _systems.IDAT

    def __init__(self, *, compute_labels: bool = True) -> None:
        self.compute_labels = compute_labels

    @property
    def n_active_nodes_(self) -> int:
        return self._fitted.n_active_nodes

    @property
    def interval_(self) -> int:
        return self._fitted.interval

    @property
    def vigilance_(self) -> float:
        return self._fitted.vigilance

    @property
    def _fitted(self) -> _systems.IDAT:
        return super()._fitted  # type: ignore[return-value]
