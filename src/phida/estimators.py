"""The estimators, for scikit-learn."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from phida import records, state_file
from phida._estimator import Estimator
from phida._model import LEVELS, PUBLISHED, Settings, check_level, limits

__all__ = ["PHIDA", "Estimator", "PHIDAPlus"]


class PHIDA(Estimator):
    """Online clustering with persistence-guided node-to-cluster mapping: the published method, to the bit.

    One pass over the rows learns *nodes*. Every so often the nodes are put into a pruned mutual kNN graph,
    0-dimensional persistence of their support finds *PH components* in it, and a hierarchy maps whole components to
    *output clusters*, whose number comes out of the data. There is nothing to tune.

    :class:`phida.PHIDAPlus` is recommended for new work: it finds groups that are plain to see where this method finds
    far too few or too many.

    Parameters
    ----------
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        After ``fit``, the labels of the rows given; after ``partial_fit``, those of that batch. Only with
        ``compute_labels``.
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
        Per label, the id of the confirmed cluster that most of it belongs to. Two labels have one id while it is not
        confirmed that a cluster has split.
    quiet_ids_ : ndarray
        Ids of confirmed clusters that have stopped getting rows.
    lineage_ : Lineage
        What happened to clusters, by id, once it is confirmed: born, split, merged, died, revived. Has ``to_pandas()``.
    candidates_ : tuple of Candidate
        Changes that may be going on and are not confirmed yet.
    history_ : History
        How the model grew, one entry per refresh, thinned out. Has ``to_pandas()``.
    cut_clarity_ : CutClarity
        How clear the two gaps were that decide the number of clusters.
    nodes_, graph_, persistence_, hierarchy_, assignment_view_ : records
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"compute_labels": ["boolean"]}

    def __init__(self, *, compute_labels: bool = True) -> None:
        self.compute_labels = compute_labels

    def _settings(self) -> Settings:
        return self._kind

    @property
    def _rule(self) -> str:
        return PUBLISHED

    def _counts(self) -> dict[str, int]:
        return {"clusters": self.n_clusters_}


class PHIDAPlus(Estimator):
    """Online clustering that finds groups where groups are plain to see, without a number of clusters to choose.

    The successor of :class:`phida.PHIDA`, and what we recommend. Learning adds nodes where rows are far from all
    nodes, and counts how rows lie between their two nearest nodes. Where they thin out, a *valley* separates the nodes.

    *Groups* are what a visible gap separates. *Parts* also divide what has no gap, which suits classes that overlap.
    Both are read from the same model, and neither is nested in the other.

    Parameters
    ----------
    level : {"groups", "parts"}, default="groups"
        Which clusters ``labels_``, ``predict`` and every attribute speak of. It can be changed on a fitted model:
        ``model.set_params(level="parts")``.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.
    max_nodes : int or None, default=None
        At least 3: never more nodes than this. Where one more is needed, close nodes of little support are merged
        first. None: as many nodes as the stream needs.
    half_life : float or None, default=None
        Rows after which a row counts half, so that the model follows a stream that moves; what was not seen for many
        half-lives is forgotten. None: every row counts the same for ever.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        After ``fit``, the labels of the rows given; after ``partial_fit``, those of that batch; at the ``level`` of
        that moment. Only with ``compute_labels``.
    n_groups_, n_parts_ : int
        How many groups and parts there are, whatever the ``level``.
    n_clusters_, n_nodes_, n_active_nodes_, n_components_ : int
        How many output clusters (groups or parts, by ``level``), learned nodes, active nodes and PH components.
    n_samples_seen_ : int
        Rows learned.
    interval_ : int
        Rows between two adjustments of the vigilance (λ).
    vigilance_ : float
        Similarity below which a row becomes a node of its own (τ).
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Support-weighted means of the clusters' nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Per label, the id of the confirmed cluster that most of it belongs to. Two labels have one id while it is not
        confirmed that a cluster has split.
    quiet_ids_ : ndarray
        Ids of confirmed clusters that have stopped getting rows.
    lineage_ : Lineage
        What happened to clusters, by id, once it is confirmed: born, split, merged, died, revived. Has ``to_pandas()``.
    candidates_ : tuple of Candidate
        Changes that may be going on and are not confirmed yet.
    history_ : History
        How the model grew, one entry per refresh, thinned out. Has ``to_pandas()``.
    cut_clarity_ : FlowClarity
        How far the nearest decision about the number of clusters was from being the other way round.
    nodes_, graph_, flow_, persistence_, hierarchy_, assignment_view_ : records
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

    **The first few rows.** Until two nodes have rows between them, clusters and records are those of the published
    method: ``hierarchy_.leaves`` is ``component``, and ``cut_clarity_`` a ``CutClarity``.

    **Reading never changes learning.** ``predict``, ``transform``, ``labels_`` and every attribute answer as if
    ``refresh()`` had just been called, without calling it. The label of a row does not depend on the other rows.

    **No sample_weight**: a row's effect depends on what came before it, so a weight of two is not the same as two
    rows in a row. **No random_state**: nothing is random; the same rows in the same order give the same bits on
    every machine.

    **Scaling.** PHIDA+ normalises features by itself where their scales differ much, so raw features often do. If your
    features are in different units and you know how they compare, scale them first, as for k-means.

    **Threads.** The GIL is released while learning and predicting. Several threads may use one model: learning waits
    for learning, and readers see a complete state. Ctrl-C stops a long ``fit``; the rows learned so far stay.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from phida import PHIDAPlus
    >>> X, _ = make_blobs(5000, n_features=10, centers=20, random_state=0)
    >>> model = PHIDAPlus().fit(X)
    >>> model.n_groups_
    20
    >>> model.predict(X[:3], level="parts").shape
    (3,)
    """

    _kind: ClassVar[Settings] = {"released": False, "plus": True}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "level": [StrOptions(set(LEVELS))],
        "compute_labels": ["boolean"],
        "max_nodes": [Interval(Integral, 3, 2**24, closed="both"), None],
        "half_life": [Interval(Real, 0, 1e300, closed="right"), None],
    }

    def __init__(
        self,
        *,
        level: str = "groups",
        compute_labels: bool = True,
        max_nodes: int | None = None,
        half_life: float | None = None,
    ) -> None:
        self.level = level
        self.compute_labels = compute_labels
        self.max_nodes = max_nodes
        self.half_life = half_life

    def _settings(self) -> Settings:
        return {**self._kind, **limits(self.max_nodes, self.half_life)}

    @property
    def _rule(self) -> str:
        return check_level(self.level)  # it may have been changed on a fitted model

    def predict(self, X: Any, *, novelty: float | None = None, level: str | None = None) -> NDArray[np.int64]:
        """Cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        novelty : float, optional
            Rows whose :meth:`score_samples` is below this get -1: 0.01 marks the most unusual 1 % of rows.
        level : {"groups", "parts"}, optional
            Which clusters; None: those of the parameter ``level``.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            From 0 to ``n_clusters_`` - 1.
        """
        return self._labels(self._snapshot(None if level is None else check_level(level)), X, novelty)

    def _counts(self) -> dict[str, int]:
        return {"groups": self.n_groups_, "parts": self.n_parts_}

    @property
    def n_groups_(self) -> int:
        return self._snapshot("groups").reading.n_clusters

    @property
    def n_parts_(self) -> int:
        return self._snapshot("parts").reading.n_clusters

    @property
    def flow_(self) -> records.Flow:
        return records.Flow(**self._reading.flow())


def load(path: str | os.PathLike[str]) -> PHIDA | PHIDAPlus:
    """A model from a file, of the estimator that wrote it.

    Parameters
    ----------
    path : path-like
        What :meth:`PHIDA.save`, :meth:`PHIDAPlus.save` or the command line wrote.

    Returns
    -------
    model : PHIDA or PHIDAPlus

    Raises
    ------
    phida.StateFileError
        The file is damaged, foreign or from a newer phida.

    Examples
    --------
    >>> import tempfile, pathlib, phida
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> phida.PHIDAPlus().fit([[1.0], [2.0], [9.0]]).save(path)
    >>> phida.load(path)
    PHIDAPlus()
    """
    state, facts = state_file.read(path)
    kind: type[PHIDA] | type[PHIDAPlus] = PHIDAPlus if state.get("plus") is True else PHIDA
    return kind._restored(os.fspath(path), state, facts)
