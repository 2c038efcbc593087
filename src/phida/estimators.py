"""The estimators, for scikit-learn."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from phida._estimator import Estimator
from phida._model import RULES, Settings, limits


class PHIDA(Estimator):
    """Online clustering with persistence-guided node-to-cluster mapping.

    One pass over the rows learns *nodes*. Every so often the nodes are put into a pruned mutual kNN graph,
    0-dimensional persistence of their support finds *PH components* in it, and a hierarchy maps whole components to
    *output clusters*, whose number comes out of the data. There is nothing to tune; ``max_nodes`` and ``half_life`` are
    for streams without end.

    Parameters
    ----------
    compatibility : {"equations", "released"}, default="equations"
        ``"equations"`` follows the paper's equations. ``"released"`` repeats one quirk of the authors' research code
        (rows keep an outdated feature transformation for a while), from which the published tables come. The two differ
        within noise.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.
    max_nodes : int or None, default=None
        At least 3: never more nodes than this. Where one more is needed, close nodes of little support are merged
        first. This departs from the published method, which is None: as many nodes as the stream brings about.
    half_life : float or None, default=None
        Rows after which a row counts half, so that the model follows a stream that moves; what was not seen for many
        half-lives is forgotten. This departs from the published method, which is None: every row counts the same for
        ever.

    mapping : {"persistence", "coactivation"}, default="persistence"
        How nodes become clusters. ``"persistence"`` is the paper's way. ``"coactivation"``, not in the paper, joins
        nodes that won more samples together than chance would have it. What is learned is the same, so that a fitted
        model can be read by either: ``model.set_params(mapping="coactivation")``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        After ``fit``, the labels of the rows given; after ``partial_fit``, those of that batch; by the ``mapping`` of
        that moment. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_active_nodes_, n_components_ : int
        How many output clusters, learned nodes, nodes active for prediction, and PH components there are.
    n_samples_seen_ : int
        Rows learned.
    interval_ : int
        Rows between two adjustments of the vigilance (λ).
    vigilance_ : float
        Similarity below which a row becomes a node of its own (τ).
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Support-weighted means of the clusters' nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Per label, the id that its cluster keeps as learning goes on; a refresh never gives it to another one. A cluster
        that came up since the last refresh has the id that a refresh would give it now.
    lineage_ : Lineage
        What happened to clusters, by id: born, split, merged, died, revived. Has ``to_pandas()``.
    history_ : History
        How the model grew, one entry per refresh, thinned out. Has ``to_pandas()``.
    cut_clarity_ : CutClarity
        How clear the two gaps were that decide the number of clusters.
    nodes_, graph_, persistence_, hierarchy_, assignment_view_, co_wins_ : records
        What was learned, stage by stage; see ``phida.records``. Each has ``to_pandas()``.
    moments_ : record
        Mean and standard deviation of the rows learned, per feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    **Stages.** ``fit`` starts afresh, learns the rows in their order and ends with :meth:`refresh`. ``partial_fit``
    goes on and does not refresh, so learning depends on the stream alone: any chunking, down to one row a call, gives
    the same bits. ``fit(A).partial_fit(B)`` is ``partial_fit(A)``, ``refresh()``, ``partial_fit(B)``, and is not the
    same as ``partial_fit`` of both together, since ``refresh`` begins a new stage.

    **Reading never changes learning.** ``predict``, ``transform``, ``labels_`` and every attribute answer as if
    ``refresh()`` had just been called, without calling it. The label of a row does not depend on the other rows.

    **No sample_weight**: a row's effect depends on what came before it, so a weight of two is not the same as two
    rows in a row. **No random_state**: nothing is random; the same rows in the same order give the same bits on
    every machine.

    **Scaling.** PHIDA normalises features by itself where their scales differ much, and the paper's results are on raw
    features. If your features are in different units and you know how they compare, scale them first, as for k-means.

    **Threads.** The GIL is released while learning and predicting. Several threads may use one model: learning waits
    for learning, and readers see a complete state. Ctrl-C stops a long ``fit``; the rows learned so far stay.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> X = load_iris().data
    >>> model = PHIDA().fit(X)
    >>> model.n_clusters_
    8
    >>> model.predict(X[[0, 75, 149]]).tolist()
    [0, 5, 6]
    >>> model.partial_fit(X[:50]).n_samples_seen_
    200
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "compatibility": [StrOptions({"equations", "released"})],
        "compute_labels": ["boolean"],
        "max_nodes": [Interval(Integral, 3, 2**24, closed="both"), None],
        "half_life": [Interval(Real, 0, None, closed="neither"), None],
        "mapping": [StrOptions(set(RULES))],
    }

    def __init__(
        self,
        *,
        compatibility: str = "equations",
        compute_labels: bool = True,
        max_nodes: int | None = None,
        half_life: float | None = None,
        mapping: str = "persistence",
    ) -> None:
        self.compatibility = compatibility
        self.compute_labels = compute_labels
        self.max_nodes = max_nodes
        self.half_life = half_life
        self.mapping = mapping

    def _settings(self) -> Settings:
        return {"released": self.compatibility == "released", **limits(self.max_nodes, self.half_life)}

    @property
    def _rule(self) -> str:
        return self.mapping
