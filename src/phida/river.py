"""PHIDA and PHIDA+ for river: the same learners behind ``learn_one`` and ``predict_one``."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np

try:
    from river import base
except ModuleNotFoundError as error:
    raise ImportError('phida.river needs river: pip install "phida[river]"') from error

from phida import _core, _threads
from phida._model import PUBLISHED, Model, Settings, check_level, check_limits, limits
from phida._named_rows import NamedRows, into_frame, into_series
from phida.answers.novelty import novelty_scores
from phida.lineage import Lineage

__all__ = ["PHIDA", "PHIDAPlus"]


class _Clusterer(base.Clusterer):
    """What both clusterers share. A subclass has the settings of its native learner, and the rule to read it by."""

    def __init__(self) -> None:
        self._model: Model[NamedRows] = Model()

    @abstractmethod
    def _settings(self) -> Settings:
        """Settings of the native learner."""

    @property
    @abstractmethod
    def _rule(self) -> str:
        """The rule that maps nodes to clusters."""

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Learn a row.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        model = self._model
        if not model.begun:
            features = NamedRows(x)
            features.row(x)  # a row that is refused fixes nothing
            model.begin(len(features.names), self._settings(), features)
        model.learn(model.features.row(x), self._rule)

    def predict_one(self, x: dict[Hashable, Any]) -> int:
        """Cluster of a row, or -1 before any row was learned.

        Parameters
        ----------
        x
            Finite numbers by feature.

        Returns
        -------
        From 0 to ``n_clusters`` - 1.
        """
        reading = self._reading()
        return -1 if reading is None else int(reading.assign(self._model.features.row(x))[0])

    def predict_id_one(self, x: dict[Hashable, Any]) -> int:
        """Cluster of a row, by the id that the cluster keeps as learning goes on; -1 before any row was learned.

        Parameters
        ----------
        x
            Finite numbers by feature.
        """
        reading = self._reading()
        return -1 if reading is None else int(reading.assign_ids(self._model.features.row(x))[0])

    def score_one(self, x: dict[Hashable, Any]) -> float:
        """How unusual a row is: the share of the latest rows that fitted better when they came.

        High is unusual, as for river's anomaly detectors: 1 minus what ``score_samples`` of the estimators gives.

        Parameters
        ----------
        x
            Finite numbers by feature.

        Returns
        -------
        From 0 to 1; 0.5 before there is anything to compare with.
        """
        reading = self._reading()
        return 0.5 if reading is None else 1.0 - float(novelty_scores(reading, self._model.features.row(x))[0])

    def learn_many(self, X: Any) -> None:
        """Learn the rows of a frame in their order: to the bit as one by one, and faster.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame, with a column per feature, in any order. It is checked whole before any
            row is learned.
        """
        frame = into_frame(X)
        model = self._model
        if not model.begun:
            features = NamedRows(frame.columns)
            features.rows(frame)
            model.begin(len(features.names), self._settings(), features)
        model.learn(model.features.rows(frame), self._rule)

    def predict_many(self, X: Any) -> Any:
        """Cluster of each row of a frame, or -1 before any row was learned.

        Parameters
        ----------
        X
            A pandas, polars or pyarrow frame.

        Returns
        -------
        A series of the same library, with the frame's index where it has one.
        """
        frame = into_frame(X)
        reading = self._reading()
        if reading is None:
            return into_series(np.full(len(frame), -1), like=frame)
        rows = self._model.features.rows(frame)
        return into_series(reading.assign(rows, _threads.for_batch(rows.size)), like=frame)

    @property
    def n_clusters(self) -> int:
        reading = self._reading()
        return 0 if reading is None else reading.n_clusters

    @property
    def centers(self) -> dict[int, dict[Hashable, float]]:
        reading = self._reading()
        if reading is None:
            return {}
        names, centers = self._model.features.names, reading.cluster_centers().tolist()
        return {label: dict(zip(names, center, strict=True)) for label, center in enumerate(centers)}

    @property
    def lineage(self) -> Lineage:
        model = self._model
        return Lineage.from_columns(model.learner.lineage()) if model.begun else Lineage([])

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes, the native state among them: what is needed to go on, not what it is worked with."""
        model = self._model
        native = model.learner.__getstate__().values() if model.begun else ()
        return int(super()._raw_memory_usage) + sum(getattr(value, "nbytes", 0) for value in native)

    def _unit_test_skips(self) -> set[str]:
        """River's checks that do not hold here: the features are fixed."""
        return {"check_emerging_features", "check_disappearing_features", "check_radically_disappearing_features"}

    def _reading(self) -> _core.Reading | None:
        """The model as if learning had just ended; None where nothing was learned."""
        model = self._model
        return model.reading(self._rule) if model.n_seen > 0 else None


class PHIDA(_Clusterer):
    """Online clustering with persistence-guided node-to-cluster mapping, for river: the published method.

    The learner of :class:`phida.PHIDA`: the same rows in the same order give the same bits as its ``partial_fit``,
    whether they come one by one or in frames. It finds the number of clusters and has nothing to tune.
    :class:`phida.river.PHIDAPlus` is recommended for new work.

    Attributes
    ----------
    n_clusters : int
        How many clusters there are; 0 before the first row.
    centers : dict
        The centre of each cluster, a dict of its features, by cluster number: support-weighted means of its nodes.
    lineage : phida.lineage.Lineage
        What happened to clusters, by id: born, split, merged, died, revived.

    Notes
    -----
    **Features.** The first row fixes them, and the order in which they are summed up; later rows may hold them in any
    order. A row with a feature missing, new, not a number, NaN, infinite or beyond 1e140 raises a ``ValueError`` that
    names it, and changes nothing; of a frame, no row is learned then.

    **Reading never changes learning.** Predictions, ``centers`` and ``n_clusters`` answer as if learning had just
    ended, for which the clusters are worked out on a copy. That is done once after each row or frame that is learned,
    when somebody asks, and costs much more than learning a row. Where answers may wait, learn and predict many rows at
    a time.

    **Cluster numbers are not identities.** After more learning, cluster 3 may be another one; ``predict_id_one`` gives
    ids that last, and ``lineage`` tells what became of them.

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

    def __init__(self) -> None:
        super().__init__()

    def _settings(self) -> Settings:
        return {"released": False, "plus": False}

    @property
    def _rule(self) -> str:
        return PUBLISHED


class PHIDAPlus(_Clusterer):
    """Online clustering that finds groups where groups are plain to see, for river.

    The learner of :class:`phida.PHIDAPlus`: the same rows in the same order give the same bits as its ``partial_fit``,
    whether they come one by one or in frames. It finds the number of clusters and has nothing to tune.

    Parameters
    ----------
    level
        ``"groups"``, what a visible gap separates, or ``"parts"``, which also divide what has no gap. What is learned
        is the same, so that it may be changed at any time.
    max_nodes
        Never more nodes than this; where one more is needed, close nodes of little support are merged first. None: as
        many as the stream needs.
    half_life
        Rows after which a row counts half. None: every row counts the same for ever.

    Attributes
    ----------
    n_groups, n_parts : int
        How many groups and parts there are, whatever the ``level``; 0 before the first row.
    n_clusters : int
        How many clusters there are; 0 before the first row.
    centers : dict
        The centre of each cluster, a dict of its features, by cluster number: support-weighted means of its nodes.
    lineage : phida.lineage.Lineage
        What happened to clusters, by id: born, split, merged, died, revived.

    Notes
    -----
    **Features.** The first row fixes them, and the order in which they are summed up; later rows may hold them in any
    order. A row with a feature missing, new, not a number, NaN, infinite or beyond 1e140 raises a ``ValueError`` that
    names it, and changes nothing; of a frame, no row is learned then.

    **Reading never changes learning.** Predictions, ``centers`` and ``n_clusters`` answer as if learning had just
    ended, for which the clusters are worked out on a copy. That is done once after each row or frame that is learned,
    when somebody asks, and costs much more than learning a row. Where answers may wait, learn and predict many rows at
    a time.

    **Cluster numbers are not identities.** After more learning, cluster 3 may be another one; ``predict_id_one`` gives
    ids that last, and ``lineage`` tells what became of them.

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

    def __init__(self, *, level: str = "groups", max_nodes: int | None = None, half_life: float | None = None) -> None:
        check_limits(max_nodes, half_life)
        check_level(level)
        super().__init__()
        self.level = level
        self.max_nodes = max_nodes
        self.half_life = half_life

    def _settings(self) -> Settings:
        return {"plus": True, **limits(self.max_nodes, self.half_life)}

    @property
    def _rule(self) -> str:
        return check_level(self.level)  # it may be changed at any time

    @property
    def n_groups(self) -> int:
        return self._count("groups")

    @property
    def n_parts(self) -> int:
        return self._count("parts")

    def _count(self, level: str) -> int:
        model = self._model
        return model.reading(level).n_clusters if model.n_seen > 0 else 0
