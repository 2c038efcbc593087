"""The scikit-learn estimators PHIDAPlus and PHIDA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sklearn.exceptions import NotFittedError

from phida import _core, _threads, state_file
from phida._estimator import Cut, Estimator
from phida._model import PLUS, Method, method_of
from phida._parameters import MissingParameters, PlusParameters, documented
from phida.records import Examples

__all__ = ["PHIDA", "Cut", "Estimator", "PHIDAPlus", "load"]


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PHIDA(Estimator):
    """Online clustering with persistence-guided node-to-cluster mapping: the published method.

    One pass over the rows learns *nodes*. At each refresh, the nodes form a pruned mutual kNN graph. 0-dimensional
    persistence of their support finds *PH components* in the graph. A hierarchy then maps whole components to *output
    clusters*, whose number follows from the data. There are no parameters to tune.

    :class:`phida.PHIDAPlus` is recommended for new work. It finds clearly separated clusters where this method finds
    far too few or too many.

    Attributes
    ----------
    n_active_nodes_, n_components_ : int
        Number of nodes active for prediction, and of PH components.
    interval_ : int
        Number of rows between two adjustments of the vigilance (λ).
    vigilance_ : float
        Similarity threshold (τ): a row below it becomes a new node.
    cut_clarity_ : CutClarity
        Clarity of the two gaps that decide the number of clusters.
    {attributes}

    Notes
    -----
    **Stages.** ``fit`` resets the model, learns the rows in order and ends with :meth:`refresh`. ``partial_fit``
    continues and does not refresh, so the result is bit-identical for any batch size. ``fit(A).partial_fit(B)`` equals
    ``partial_fit(A)``, ``refresh()``, ``partial_fit(B)``. It differs from ``partial_fit`` of both together, because
    ``refresh`` begins a new stage.

    **Predicting never changes the model.** ``predict``, ``transform``, ``labels_`` and all attributes give the results
    that they would give after ``refresh()``, without calling it. The label of a row does not depend on the other rows.

    **No sample_weight**: a row's effect depends on the rows before it, so a weight of two does not equal the same row
    twice.

    **Scaling.** PHIDA normalises features whose scales differ much, and the paper's results are on raw features. If
    features have different units and you know how they compare, scale them first, as for k-means.

    {notes}

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

    @property
    def n_active_nodes_(self) -> int:
        return self._reading.n_active_nodes

    @property
    def n_components_(self) -> int:
        return self._reading.n_components

    @property
    def interval_(self) -> int:
        return self._published.interval

    @property
    def vigilance_(self) -> float:
        return self._published.vigilance

    @property
    def _published(self) -> _core.Learner:
        learner = self._fitted.learner
        assert isinstance(learner, _core.Learner)
        return learner


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PHIDAPlus(Estimator, PlusParameters, MissingParameters):
    """Online clustering by peaks of density, without a number of clusters to choose.

    The recommended successor of :class:`phida.PHIDA`. One pass over the rows learns up to ``max_nodes`` *nodes*, each
    with its mean, weight and scatter. The first rows are the nodes themselves. When the limit is reached, the closest
    nodes merge.

    Clusters are peaks of the density of rows over the nodes, measured at several scales. Two peaks are two clusters if
    the density between them falls further than chance alone would let it.

    Attributes
    ----------
    allowance_ : float
        Squared distance that the rows of a node may add up to before the next row becomes a node; 0 until the nodes
        merge for the first time.
    cut_clarity_ : DensityClarity
        Clarity of the number of clusters: how close the closest decision was.
    examples_ : Examples
        Rows that each cluster has seen, those nearest to its centre first. Has ``to_pandas()``.
    {attributes}

    Notes
    -----
    **Stages.** ``fit`` resets the model, learns the rows in order and maps the nodes to clusters once, at the end.
    Cluster ids begin there. ``partial_fit`` continues, maps the nodes now and then and follows the clusters; the result
    is bit-identical for any batch size. Call :meth:`refresh` where you want the clusters of the latest row.

    **Weights.** A weight is a number of rows. Rows of weight 0 are not learned, but get labels.

    **Merging.** Models that learned different rows can be merged: see :meth:`merge`.

    **Predicting never changes the model.** The label of a row is the cluster, at the last map, of the node nearest to
    it. Nodes change with every row. They are mapped to clusters by ``refresh()`` and, in ``partial_fit``, when the rows
    since the last map are a quarter of those before it (as many, if there are 1,024 nodes or more), and when rows come
    that are far from all nodes. A node created since then belongs where the node nearest to it belongs. All attributes
    are of the same map.

    {notes}

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from phida import PHIDAPlus
    >>> X, _ = make_blobs(5000, n_features=10, centers=20, random_state=0)
    >>> model = PHIDAPlus().fit(X)
    >>> model.n_clusters_
    20
    >>> a, b = PHIDAPlus().fit(X[:2000]), PHIDAPlus().fit(X[2000:])
    >>> a.merge(b).n_samples_seen_
    5000
    """

    _method: ClassVar[Method] = PLUS

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, n_jobs: int | None = None) -> Self:
        """Reset the model, learn the rows, and refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers: NumPy, lists, pandas, polars or pyarrow.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Number of rows that each row counts as: finite, 0 or more. None: every row counts once.
        n_jobs : int, optional
            None: learn all rows in order. A number: learn blocks of 4,096 rows in that many threads (-1: one per core),
            as 8 models, and merge them. The number does not affect the result. With ``half_life``, the order of all
            rows matters, and one thread learns them.

        Returns
        -------
        self
        """
        n_threads = None if n_jobs is None else _threads.for_jobs(n_jobs)
        return self._fit(X, sample_weight, n_threads)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows, without reset or refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream. All rows are checked before any is learned.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            As for :meth:`fit`.

        Returns
        -------
        self
        """
        return self._partial_fit(X, sample_weight)

    def merge(self, *others: PHIDAPlus) -> Self:
        """Add what other models have learned, as if this one had learned their rows too.

        The nodes of all models become one list, and the closest nodes merge until the list is within ``max_nodes``. If
        there are more than 8 models, the others first merge in pairs. If an error occurs, no model changes.

        Parameters
        ----------
        *others : PHIDAPlus
            Fitted models with the same parameters and features. They do not change.

        Returns
        -------
        self
        """
        return self._merge(others)

    def _merge(self, others: Sequence[PHIDAPlus], *, follow: bool = True) -> Self:
        model = self._unchanged
        if not others:
            return self
        theirs = []
        for number, other in enumerate(others, start=2):
            if not isinstance(other, PHIDAPlus):
                hint = " Pass the models of a list with merge(*models)." if isinstance(other, list | tuple) else ""
                raise TypeError(
                    f"model {number} is a {type(other).__name__}; only models of PHIDAPlus can be merged.{hint}"
                )
            if not other.__sklearn_is_fitted__():
                raise NotFittedError(f"model {number} is not fitted; merge models that have learned rows.")
            theirs.append(other._fitted)
        model.merge(theirs, follow=follow)
        self.__dict__.pop("labels_", None)  # they are of other rows
        model.dispatch()
        return self

    @property
    def allowance_(self) -> float:
        return self._fitted.plus.allowance

    @property
    def examples_(self) -> Examples:
        found = self._fitted.examples(self._fitted.features.names)
        assert found is not None
        return found


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
        The file is damaged, is not a phida model, or was written by a phida that this one cannot read.

    Examples
    --------
    >>> import tempfile, pathlib, phida
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> phida.PHIDAPlus().fit([[1.0], [2.0], [9.0]]).save(path)
    >>> phida.load(path)
    PHIDAPlus()
    """
    state, facts = state_file.read(path)
    return class_of(method_of(state))._restored(os.fspath(path), state, facts)


def class_of(method: Method) -> type[PHIDA] | type[PHIDAPlus]:
    """Return the estimator class of a method."""
    return PHIDAPlus if method is PLUS else PHIDA
