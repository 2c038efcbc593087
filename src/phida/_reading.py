"""Queries to a model at one point in time: labels, distances, novelty, records, explanations, other cuts."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from phida import _core, _threads, _validation, records
from phida._model import Learner, Model
from phida._validation import Columns
from phida.answers.clarity import CutClarity, DensityClarity, cut_clarity
from phida.answers.explanation import DensityExplanation, Explainer, Explanation, RowExplanation
from phida.answers.novelty import novelty_scores
from phida.answers.summary import Summary
from phida.errors import InputError, ParameterError
from phida.lineage import Candidate, History, Lineage


class Held(NamedTuple):
    """Source of an answer: a reading of a model, and the columns that rows must have."""

    reading: _core.Reading
    columns: Columns
    uncut: _core.Reading | None = None
    """For a cut: the reading of the model, with its own hierarchy."""

    @property
    def names(self) -> tuple[str, ...] | None:
        """Return the names of the features, if any."""
        return None if self.columns.names is None else tuple(self.columns.names)

    @property
    def whole(self) -> _core.Reading:
        """Return the reading of the model."""
        return self.reading if self.uncut is None else self.uncut


class Answers:
    """Base class for questions about a model at one point in time: estimators, cuts and readings."""

    _held: Held

    def _snapshot(self) -> Held:
        """Return the snapshot to predict from."""
        return self._held

    @classmethod
    def _of(cls, held: Held) -> Self:
        """Return the answers of a snapshot."""
        found = cls()
        found._held = held
        return found

    def _frozen(self) -> Answers:
        """Return the answers of this moment; the model may go on learning."""
        return Answers._of(self._snapshot())

    def _labels_from(self) -> tuple[_core.Reading | Learner, Columns]:
        """Return the source of labels and ids: a reading, or a learner, which is faster for a few rows."""
        return self._held.reading, self._held.columns

    @property
    def _reading(self) -> _core.Reading:
        return self._snapshot().reading

    def predict(self, X: Any, *, novelty: float | None = None) -> NDArray[np.int64]:
        """Predict the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        novelty : float, optional
            Rows whose :meth:`score_samples` is below this get -1: 0.01 marks the most unusual 1 % of rows. None: every
            row gets its nearest cluster.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            From 0 to ``n_clusters_`` - 1.
        """
        if novelty is None:
            source, columns = self._labels_from()
            samples = _validation.samples(self, X, columns, keep_float32=True)
            return _validation.by_parts(lambda part: source.assign(part, _threads.for_batch(part.size)), samples)
        if not isinstance(novelty, Real) or not 0 <= novelty <= 1:
            raise ParameterError(f"novelty must be a share of rows from 0 to 1, not {novelty!r}.")
        reading, columns, _ = self._snapshot()
        samples = _validation.samples(self, X, columns)
        labels = reading.assign(samples, _threads.for_batch(samples.size))
        labels[novelty_scores(reading, samples) < novelty] = -1
        return labels

    def predict_id(self, X: Any) -> NDArray[np.int64]:
        """Predict the cluster of each row as an id that lasts as learning continues.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ids : ndarray of shape (n_samples,)
            ``cluster_ids_[label]`` of each row's label.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> model = PHIDA().fit(load_iris().data)
        >>> model.predict_id([[5.0, 3.4, 1.5, 0.2]]).tolist()
        [0]
        """
        source, columns = self._labels_from()
        samples = _validation.samples(self, X, columns, keep_float32=True)
        return _validation.by_parts(lambda part: source.assign_ids(part, _threads.for_batch(part.size)), samples)

    def _distances(self, X: Any) -> NDArray[np.float64]:
        """Return distances as :meth:`transform`, which ``set_output`` may wrap in a frame."""
        reading, columns, _ = self._snapshot()
        samples = _validation.samples(self, X, columns)
        return reading.scores(samples, _threads.for_batch(samples.size))

    def assignment_margin(self, X: Any) -> NDArray[np.float64]:
        """Compute the difference of the distances to the second nearest and the nearest cluster.

        Distances are those of :meth:`transform`. The label stays the same as long as no distance changes by half of the
        margin (the paper's proposition 3). With a single cluster, the margin is infinite.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        margins : ndarray of shape (n_samples,)
        """
        return _margins(self._distances(X))

    def membership(self, X: Any) -> NDArray[np.float64]:
        """Compute the membership of each row in each cluster.

        Memberships are inversely proportional to the distances of :meth:`transform`, and sum to 1.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        shares : ndarray of shape (n_samples, n_clusters_)
            The label of a row is the cluster with the largest share.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> model = PHIDA().fit(load_iris().data)
        >>> model.cut(n_clusters=5).membership([[5.0, 3.4, 1.5, 0.2]]).round(2).tolist()
        [[0.89, 0.03, 0.04, 0.01, 0.02]]
        """
        distances = self._distances(X)
        nearest = distances.min(axis=1, keepdims=True)
        # Relative to the nearest distance, so that nothing overflows. A row at distance 0 belongs to its cluster alone;
        # one infinitely far from all belongs to all.
        shares: NDArray[np.float64] = (distances == nearest).astype(np.float64)
        np.divide(nearest, distances, out=shares, where=(distances > 0) & np.isfinite(distances))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Score how usual each row is: the share of recent rows that fitted worse when they were learned.

        In PHIDA, the fit of a row is its similarity to the winning node minus the vigilance. In PHIDA+, it falls with
        the distance to the nearest node. The fit is compared with that of the latest 1,024 rows learned, so 0.01 means
        the same for every stream: only 1 % of new rows of the same kind are so unusual. In PHIDA, this is
        rough, because the vigilance changes while it learns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            From 0 (unlike all recent rows) to 1; 0.5 before there are rows to compare with.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> model = PHIDA().fit(load_iris().data)
        >>> model.score_samples([[5.0, 3.4, 1.5, 0.2], [50.0, 3.4, 1.5, 0.2]]).round(3).tolist()
        [0.175, 0.003]
        >>> model.predict([[50.0, 3.4, 1.5, 0.2]], novelty=0.01).tolist()
        [-1]
        """
        reading, columns, _ = self._snapshot()
        return novelty_scores(reading, _validation.samples(self, X, columns))

    @overload
    def explain(self, a: Any, b: None = None, *, kind: Literal["row"] = "row") -> RowExplanation: ...
    @overload
    def explain(self, a: Any, b: Any = None, *, kind: str = "row") -> Explanation | DensityExplanation: ...
    def explain(self, a: Any, b: Any = None, *, kind: str = "row") -> Explanation | DensityExplanation | RowExplanation:
        """Explain the cluster of a row, or why two rows, nodes or clusters are in the same cluster or not.

        Parameters
        ----------
        a, b : array-like of shape (n_features,), dict or Series; or int
            Two rows (named values are matched by name), two nodes by position in ``nodes_``, or two clusters by label.
            Without ``b``, a row is explained alone, and a cluster is compared with the nearest one.
        kind : {"row", "node", "cluster"}, default="row"
            Kind of ``a`` and ``b``.

        Returns
        -------
        explanation : RowExplanation, Explanation or DensityExplanation
            A record; ``print`` shows it as text.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDAPlus
        >>> flowers = load_iris(as_frame=True).data
        >>> model = PHIDAPlus().fit(flowers)
        >>> print(model.explain(0, 1, kind="cluster"))  # doctest: +ELLIPSIS
        Cluster 0 differs from cluster 1 mainly in petal length (cm) (-2.0 sd)...
        """
        if kind not in ("row", "node", "cluster"):
            raise ParameterError(f"kind must be 'row', 'node' or 'cluster', not {kind!r}.")
        frozen = self._frozen()
        snapshot, explainer = frozen._snapshot(), Explainer(frozen)
        if kind == "row":
            first = _row(self, snapshot.columns, a)
            return explainer.row(first) if b is None else explainer.rows(first, _row(self, snapshot.columns, b))
        if kind == "node":
            count = snapshot.reading.n_nodes
            return explainer.nodes(_checked(a, kind, count), _checked(b, kind, count))
        count = snapshot.reading.n_clusters
        label = _checked(a, kind, count)
        other = explainer.nearest_cluster(label) if b is None else _checked(b, kind, count)
        if other is None:
            raise InputError("there is only one cluster, and nothing to compare it with.")
        return explainer.clusters(label, other)

    @property
    def cluster_ids_(self) -> NDArray[np.int64]:
        return self._reading.cluster_ids()

    @property
    def cut_clarity_(self) -> CutClarity | DensityClarity:
        reading = self._reading
        persistence, hierarchy = records.Persistence(**reading.persistence()), records.Hierarchy(**reading.hierarchy())
        return cut_clarity(persistence, hierarchy, reading.n_components)

    @property
    def n_clusters_(self) -> int:
        return self._reading.n_clusters

    @property
    def n_nodes_(self) -> int:
        return self._reading.n_nodes

    @property
    def cluster_centers_(self) -> NDArray[np.float64]:
        return self._reading.cluster_centers()

    @property
    def moments_(self) -> records.Moments:
        return records.Moments(**self._reading.moments())

    @property
    def nodes_(self) -> records.Nodes:
        snapshot = self._snapshot()
        return records.Nodes(**snapshot.reading.nodes(), feature_names=snapshot.names)

    @property
    def graph_(self) -> records.Graph:
        return records.Graph(**self._reading.graph())

    @property
    def persistence_(self) -> records.Persistence:
        return records.Persistence(**self._reading.persistence())

    @property
    def hierarchy_(self) -> records.Hierarchy:
        return records.Hierarchy(**self._reading.hierarchy())

    @property
    def assignment_view_(self) -> records.AssignmentView:
        return records.AssignmentView(**self._reading.view())


class ModelAnswers(Answers):
    """Answers of the current model."""

    @property
    @abstractmethod
    def _fitted(self) -> Model[Columns]:
        """Return the model if it has learned rows."""

    def _labels_from(self) -> tuple[_core.Reading | Learner, Columns]:
        model = self._fitted
        return model.learner, model.features

    def _snapshot(self) -> Held:
        model = self._fitted
        return Held(model.reading(), model.features)

    def summary(self) -> str:
        """Describe what was learned: clusters, their features, the closest two, and the clarity of their number.

        Returns
        -------
        text : str
            What ``phida inspect`` prints of a model file.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDAPlus
        >>> flowers = load_iris(as_frame=True).data
        >>> print(PHIDAPlus().fit(flowers).summary().splitlines()[0])  # doctest: +ELLIPSIS
        PHIDAPlus: 150 rows learned, 4 features, ... nodes, 2 clusters
        """
        return Summary.of(self).described(self._fitted.method.class_name.rpartition(".")[2], self.n_samples_seen_)

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted.n_seen

    @property
    def lineage_(self) -> Lineage:
        return Lineage.from_columns(self._fitted.learner.lineage())

    @property
    def candidates_(self) -> tuple[Candidate, ...]:
        return Candidate.from_columns(self._fitted.learner.candidates())

    @property
    def quiet_ids_(self) -> NDArray[np.int64]:
        living = self._fitted.learner.living()
        ids: NDArray[np.int64] = living["id"][living["quiet"] == 1]
        return ids

    @property
    def history_(self) -> History:
        columns, names = (
            self._fitted.learner.history(),
            ("sample", "n_nodes", "n_clusters", *self._fitted.method.figures),
        )
        return History(**{name: columns[f"history_{name}"] for name in names if f"history_{name}" in columns})


class Reading(ModelAnswers):
    """A copy of a model that takes checked matrices."""

    def __init__(self, model: Model[Columns], names: Sequence[str] | None) -> None:
        """Copy the model; waits at most a few milliseconds for learning."""
        self._model: Model[Columns] = copy.deepcopy(model)
        self.names = tuple(names or (f"feature {j}" for j in range(model.features.width)))
        self.figures = self._model.figures()

    @property
    def _fitted(self) -> Model[Columns]:
        return self._model

    def _frozen(self) -> Answers:
        return named_answers(self._model.reading(), self._model.features.width, self.names)

    @property
    def examples_(self) -> records.Examples | None:
        return self._model.examples(None)


def named_answers(reading: _core.Reading, width: int, names: Sequence[str] | None) -> Answers:
    """Return the answers of a reading, with names of its features."""
    known = None if names is None else np.array(names, dtype=object)
    return Answers._of(Held(reading, Columns(width, known)))


def _margins(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    if distances.shape[1] == 1:
        return np.full(len(distances), np.inf)
    nearest = np.partition(distances, 1, axis=1)
    return nearest[:, 1] - nearest[:, 0]


def _checked(given: Any, kind: str, count: int) -> int:
    if type(given) is bool or not isinstance(given, int | np.integer) or not 0 <= given < count:
        raise InputError(f"{kind} {given!r} does not exist; {kind}s are numbered from 0 to {count - 1}.")
    return int(given)


def _row(owner: Any, columns: Columns, given: Any) -> NDArray[np.float64]:
    """Return one row as a matrix, by name if it has names; with its own errors, since the caller passed no matrix."""
    names = columns.names
    by_name = isinstance(given, Mapping) or (hasattr(given, "to_dict") and np.ndim(given) == 1)
    if by_name and names is not None:
        if set(given.keys()) != set(names):
            raise InputError(f"the row has the features {list(given.keys())}, but the model has {list(names)}.")
        given = [given[name] for name in names]
    elif isinstance(given, Mapping):
        given = list(given.values())
    values = np.asarray(given)
    if values.size != columns.width or values.ndim != 1 + (values.ndim == 2):
        raise InputError(f"a row must have {columns.width} features; got an array of shape {values.shape}.")
    return _validation.rows(owner, values.reshape(1, -1))
