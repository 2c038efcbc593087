"""PHIDA and PHIDA+ with river's interface: ``learn_one`` and ``predict_one``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

try:
    from river import base
except ModuleNotFoundError as error:
    raise ImportError('phida.river needs river: pip install "phida[river]"') from error

from phida import _core, _threads
from phida._model import PLUS, PUBLISHED, Method, Model
from phida._named_rows import NamedRows, into_frame, into_series
from phida._parameters import PlusParameters, documented
from phida.answers.novelty import novelty_scores
from phida.lineage import Lineage

__all__ = ["PHIDA", "PHIDAPlus"]


class _Clusterer(base.Clusterer):
    """Base class of both clusterers. A subclass sets the method."""

    _method: ClassVar[Method]

    def __init__(self) -> None:
        self.__post_init__()

    def __post_init__(self) -> None:
        self._method.settings_of(self)  # checks the parameters
        self._model: Model[NamedRows] = Model()

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Learn a row.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        self._learn(x, x, NamedRows.row)

    def learn_many(self, X: Any) -> None:
        """Learn the rows of a frame in order: bit-identical to ``learn_one``, and faster.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, with a column per feature, in any order. All rows are checked before any
            is learned.
        """
        frame = into_frame(X)
        self._learn(frame, frame.columns, NamedRows.rows)

    def _learn(self, given: Any, names: Iterable[Hashable], rows: Callable[[NamedRows, Any], Any]) -> None:
        model = self._model
        if not model.begun:
            features = NamedRows(names)
            rows(features, given)  # an invalid first row must not fix the features
            model.begin(len(features.names), self._method.settings_of(self), features)
        now = [getattr(self, name) for name in self._method.parameters]
        if now != model.checked:
            model.refuse_changes(self._method.settings_of(self), "set it back, or call clone() for a new model")
            model.checked = now
        model.learn(rows(model.features, given))

    def predict_one(self, x: dict[Hashable, Any]) -> int:
        """Predict the cluster of a row, from 0 to ``n_clusters`` - 1; -1 before any row is learned.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        model = self._model
        return int(model.learner.assign(model.features.row(x))[0]) if model.n_seen > 0 else -1

    def predict_id_one(self, x: dict[Hashable, Any]) -> int:
        """Predict the lasting cluster id of a row; -1 before any row is learned.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        model = self._model
        return int(model.learner.assign_ids(model.features.row(x))[0]) if model.n_seen > 0 else -1

    def score_one(self, x: dict[Hashable, Any]) -> float:
        """Score how unusual a row is: the share of recent rows that fitted better when they were learned.

        High scores are unusual, as for river's anomaly detectors: 1 minus ``score_samples`` of the scikit-learn
        estimators; 0.5 before any row is learned.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        reading = self._reading()
        return 0.5 if reading is None else 1.0 - float(novelty_scores(reading, self._model.features.row(x))[0])

    def predict_many(self, X: Any) -> Any:
        """Predict the cluster of each row of a frame; -1 before any row is learned.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.

        Returns
        -------
        A series of the same library, with the frame's index where it has one.
        """
        frame, reading = into_frame(X), self._reading()
        if reading is None:
            return into_series(np.full(len(frame), -1), like=frame)
        rows = self._model.features.rows(frame)
        return into_series(reading.assign(rows, _threads.for_batch(rows.size)), like=frame)

    @property
    def n_clusters(self) -> int:
        """Number of clusters; 0 before the first row."""
        reading = self._reading()
        return 0 if reading is None else reading.n_clusters

    @property
    def centers(self) -> dict[int, dict[Hashable, float]]:
        """Centre of each cluster by cluster number, as a dict of features: the weighted mean of its nodes."""
        reading = self._reading()
        centers = [] if reading is None else reading.cluster_centers().tolist()
        return {label: self._named(center) for label, center in enumerate(centers)}

    @property
    def lineage(self) -> Lineage:
        """Confirmed events of clusters, by id: born, split, merged, died, revived."""
        model = self._model
        return Lineage.from_columns(model.learner.lineage()) if model.begun else Lineage([])

    def _named(self, row: Iterable[float]) -> dict[Hashable, float]:
        return dict(zip(self._model.features.names, row, strict=True))

    @property
    def _raw_memory_usage(self) -> int:
        """Return the bytes of the object and its native state, without working memory."""
        native = self._model.learner.__getstate__().values() if self._model.begun else ()
        return int(super()._raw_memory_usage) + sum(getattr(value, "nbytes", 0) for value in native)

    def _unit_test_skips(self) -> set[str]:
        """Return the river checks that fixed features make inapplicable."""
        return {"check_emerging_features", "check_disappearing_features", "check_radically_disappearing_features"}

    def _reading(self) -> _core.Reading | None:
        """Return a reading of the model; None before the first row."""
        return self._model.reading() if self._model.n_seen > 0 else None


class PHIDA(_Clusterer):
    """Online clustering with persistence-guided node-to-cluster mapping, for river: the published method.

    The learner of :class:`phida.PHIDA`, without parameters. See :class:`phida.river.PHIDAPlus`, which is recommended
    for new work.

    Examples
    --------
    >>> from phida.river import PHIDA
    >>> from river import datasets, preprocessing
    >>> model = preprocessing.StandardScaler() | PHIDA()
    >>> for x, _ in datasets.ImageSegments().take(500):
    ...     model.learn_one(x)
    >>> model.predict_one(x), model["PHIDA"].n_clusters
    (1, 9)
    """

    _method: ClassVar[Method] = PUBLISHED


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PHIDAPlus(_Clusterer, PlusParameters):
    """Online clustering by peaks of density, for river.

    The learner of :class:`phida.PHIDAPlus`: bit-identical to its ``partial_fit`` on the same rows, one by one or in
    frames. It finds the number of clusters. The parameters cannot change after the first row.

    Notes
    -----
    **Features.** The first row fixes the features and the order in which they are summed. Later rows may hold them in
    any order. A missing or new feature, or a value that is not a number, NaN, infinite or beyond 1e140, raises a
    ``ValueError`` that names the feature. Then no row of the call is learned.

    **Cluster numbers are not lasting ids.** After more learning, cluster 3 may be a different cluster.
    ``predict_id_one`` returns ids that last, and ``lineage`` records how they change. Predicting never changes the
    model; see the notes on :class:`phida.PHIDAPlus`.

    Examples
    --------
    >>> from phida.river import PHIDAPlus
    >>> from river import datasets, preprocessing
    >>> model = preprocessing.StandardScaler() | PHIDAPlus()
    >>> for x, _ in datasets.ImageSegments().take(500):
    ...     model.learn_one(x)
    >>> model["PHIDAPlus"].n_clusters >= 1
    True
    """

    _method: ClassVar[Method] = PLUS

    @property
    def examples(self) -> dict[int, list[dict[Hashable, float]]]:
        """Rows that each cluster has seen, by cluster number: those nearest to its centre first."""
        found = self._model.examples(None) if self._model.begun else None
        rows: dict[int, list[dict[Hashable, float]]] = {}
        if found is not None:
            for cluster, values in zip(found.cluster.tolist(), found.values.tolist(), strict=True):
                rows.setdefault(cluster, []).append(self._named(values))
        return rows
