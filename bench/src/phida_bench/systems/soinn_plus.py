"""SOINN+."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer


class SOINNPlus(OnlineClusterer):
    """SOINN+, a self-organising incremental neural network without parameters.

    A row that is farther from its two nearest nodes than these are from their neighbours becomes a node; otherwise it
    joins the two by an edge and moves the winner. Edges that have grown too old for their component and isolated nodes
    that are of too little use are deleted, by limits that remember what was deleted before. Clusters are the connected
    components of the graph.

    Parameters
    ----------
    compatibility : {"equations", "released"}, default="equations"
        ``"equations"`` follows the method as described. ``"released"`` repeats two slips of its authors' program: nodes
        deleted for want of edges are counted by the sum of their numbers, so that the limit for other nodes soon rests
        on the past; and the usual thresholds are those of renewed edges. On streams that come class by class it keeps
        somewhat fewer nodes, which is nearer to published counts on most data sets tried.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_samples_seen_ : int
        How many clusters, nodes and rows learned there are. An isolated node is a cluster.
    nodes_ : ndarray of shape (n_nodes_, n_features_in_)
        Where the nodes lie.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The number of nodes is not limited. How the stream is cut into ``partial_fit`` calls makes no difference. Where all
    edges have been deleted, the next one is always permitted.

    References
    ----------
    C. Wiwatcharakoses and D. Berrar. SOINN+, a self-organizing incremental neural network for unsupervised learning
    from noisy data streams. *Expert Systems with Applications* 143, 113069, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import SOINNPlus
    >>> model = SOINNPlus().fit(load_iris().data)
    >>> model.n_nodes_, model.n_clusters_
    (43, 23)
    """

    _native = _systems.SOINNPlus
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClusterer._parameter_constraints,
        "compatibility": [StrOptions({"equations", "released"})],
    }

    def __init__(self, *, compatibility: str = "equations", compute_labels: bool = True) -> None:
        self.compatibility = compatibility
        self.compute_labels = compute_labels

    def _settings(self, n_features: int) -> dict[str, Any]:
        released = self.compatibility == "released"
        return {"count_indices": released, "usual_of_renewed": released}
