"""The scikit-learn estimators PHIDAPlus and PHIDA."""

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
    """Online clustering with persistence-guided node-to-cluster mapping: the published method.

    One pass over the rows learns *nodes*. At each refresh, the nodes form a pruned mutual kNN graph. 0-dimensional
    persistence of their support finds *PH components* in the graph. A hierarchy then maps whole components to *output
    clusters*, whose number follows from the data. There are no parameters to tune.

    :class:`phida.PHIDAPlus` is recommended for new work. It finds clearly separated groups where this method finds far
    too few or too many clusters.

    Parameters
    ----------
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows passed to the last ``fit`` or ``partial_fit``. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_active_nodes_, n_components_ : int
        Number of output clusters, learned nodes, nodes active for prediction, and PH components.
    n_samples_seen_ : int
        Number of rows learned.
    interval_ : int
        Number of rows between two adjustments of the vigilance (λ).
    vigilance_ : float
        Similarity threshold (τ): a row below it becomes a new node.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Support-weighted means of the clusters' nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Lasting id of each label: the confirmed cluster that holds most of it. Two labels share an id until the split of
        their cluster is confirmed.
    quiet_ids_ : ndarray
        Ids of confirmed clusters that no longer receive rows.
    lineage_ : Lineage
        Confirmed events of clusters, by id: born, split, merged, died, revived. Has ``to_pandas()``.
    candidates_ : tuple of Candidate
        Possible events that are not confirmed yet.
    history_ : History
        Growth of the model, one entry per refresh, thinned to a fixed length. Has ``to_pandas()``.
    cut_clarity_ : CutClarity
        Clarity of the two gaps that decide the number of clusters.
    nodes_, graph_, persistence_, hierarchy_, assignment_view_ : records
        Learned state of each stage; see ``phida.records``. Each has ``to_pandas()``.
    moments_ : record
        Mean and standard deviation of the rows learned, per feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    **Stages.** ``fit`` resets the model, learns the rows in order and ends with :meth:`refresh`. ``partial_fit``
    continues and does not refresh, so the result is bit-identical for any batch size. ``fit(A).partial_fit(B)`` equals
    ``partial_fit(A)``, ``refresh()``, ``partial_fit(B)``. It differs from ``partial_fit`` of both together, because
    ``refresh`` begins a new stage.

    **Predicting never changes the model.** ``predict``, ``transform``, ``labels_`` and all attributes give the results
    that they would give after ``refresh()``, without calling it. The label of a row does not depend on the other rows.

    **No sample_weight**: a row's effect depends on the rows before it, so a weight of two does not equal the same row
    twice. **No random_state**: nothing is random. The same rows in the same order give a bit-identical model on every
    machine.

    **Scaling.** PHIDA normalises features whose scales differ much, and the paper's results are on raw features. If
    features have different units and you know how they compare, scale them first, as for k-means.

    **Threads.** The GIL is released while learning and predicting. Several threads may use one model: one
    thread learns at a time, and predictions use a complete state. Ctrl-C stops a long ``fit``; the rows learned so far
    are kept.

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
    """Online clustering that finds well separated groups, without a number of clusters to choose.

    The recommended successor of :class:`phida.PHIDA`. Learning adds a node where a row is far from all nodes. It also
    counts where rows lie between their two nearest nodes. If few rows lie midway, a *valley* separates the two nodes.

    *Groups* are clusters with a visible gap between them. *Parts* need no gap, which suits overlapping classes. One
    model gives both, and neither is nested in the other.

    Parameters
    ----------
    level : {"groups", "parts"}, default="groups"
        Clusters that ``labels_``, ``predict`` and all attributes refer to. It can be changed on a fitted model:
        ``model.set_params(level="parts")``.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.
    max_nodes : int or None, default=None
        Maximum number of nodes, at least 3. At the limit, close nodes of little support are merged to make room. None:
        no limit.
    half_life : float or None, default=None
        Number of rows after which the weight of a row is halved, so that the model follows a changing stream. Clusters
        without rows for many half-lives are forgotten. None: all rows have the same weight.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows passed to the last ``fit`` or ``partial_fit``, at the ``level`` of that time. Only with
        ``compute_labels``.
    n_groups_, n_parts_ : int
        Number of groups and of parts, at any ``level``.
    n_clusters_, n_nodes_, n_active_nodes_, n_components_ : int
        Number of output clusters (groups or parts, by ``level``), learned nodes, active nodes and PH components.
    n_samples_seen_ : int
        Number of rows learned.
    interval_ : int
        Number of rows between two adjustments of the vigilance (λ).
    vigilance_ : float
        Similarity threshold (τ): a row below it becomes a new node.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Support-weighted means of the clusters' nodes.
    cluster_ids_ : ndarray of shape (n_clusters_,)
        Lasting id of each label: the confirmed cluster that holds most of it. Two labels share an id until the split of
        their cluster is confirmed.
    quiet_ids_ : ndarray
        Ids of confirmed clusters that no longer receive rows.
    lineage_ : Lineage
        Confirmed events of clusters, by id: born, split, merged, died, revived. Has ``to_pandas()``.
    candidates_ : tuple of Candidate
        Possible events that are not confirmed yet.
    history_ : History
        Growth of the model, one entry per refresh, thinned to a fixed length. Has ``to_pandas()``.
    cut_clarity_ : FlowClarity
        Clarity of the number of clusters: how close the closest decision was.
    nodes_, graph_, flow_, persistence_, hierarchy_, assignment_view_ : records
        Learned state of each stage; see ``phida.records``. Each has ``to_pandas()``.
    moments_ : record
        Mean and standard deviation of the rows learned, per feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    **Stages.** ``fit`` resets the model, learns the rows in order and ends with :meth:`refresh`. ``partial_fit``
    continues and does not refresh, so the result is bit-identical for any batch size. ``fit(A).partial_fit(B)`` equals
    ``partial_fit(A)``, ``refresh()``, ``partial_fit(B)``. It differs from ``partial_fit`` of both together, because
    ``refresh`` begins a new stage.

    **The first few rows.** Until rows lie between two nodes, clusters and records are those of the published method:
    ``hierarchy_.leaves`` is ``component``, and ``cut_clarity_`` is a ``CutClarity``.

    **Predicting never changes the model.** ``predict``, ``transform``, ``labels_`` and all attributes give the results
    that they would give after ``refresh()``, without calling it. The label of a row does not depend on the other rows.

    **No sample_weight**: a row's effect depends on the rows before it, so a weight of two does not equal the same row
    twice. **No random_state**: nothing is random. The same rows in the same order give a bit-identical model on every
    machine.

    **Scaling.** PHIDA+ normalises features whose scales differ much, so raw features often work. If features have
    different units and you know how they compare, scale them first, as for k-means.

    **Threads.** The GIL is released while learning and predicting. Several threads may use one model: one
    thread learns at a time, and predictions use a complete state. Ctrl-C stops a long ``fit``; the rows learned so far
    are kept.

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
        """Predict the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        novelty : float, optional
            Rows whose :meth:`score_samples` is below this get -1: 0.01 marks the most unusual 1 % of rows.
        level : {"groups", "parts"}, optional
            Level of the clusters (default: the parameter ``level``).

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
    """Load a model from a file.

    Parameters
    ----------
    path : path-like
        File written by :meth:`PHIDA.save`, :meth:`PHIDAPlus.save` or the command line.

    Returns
    -------
    model : PHIDA or PHIDAPlus
        An instance of the class that wrote the file.

    Raises
    ------
    phida.StateFileError
        The file is damaged, is not a phida model, or was written by a newer phida.

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
