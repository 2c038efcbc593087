"""The scikit-learn estimator."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions

from phida import _core, _threads, _validation, state_file
from phida._events import ROWS_BETWEEN_COLLECTIONS, Callback, Events
from phida._versions import __version__
from phida.answers.predictor import Readable
from phida.distributable import Distributable
from phida.lineage import Event, History, Lineage

#: Held for the moment in which a learner, its width and its feature names are put in place together.
_beginning = threading.Lock()


class PHIDA(ClusterMixin, Readable, Distributable):
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
        "mapping": [StrOptions({"persistence", "coactivation"})],
    }

    _learner: _core.Learner
    _compatibility: str
    _checked: tuple[object, ...]
    _events: Events | None = None

    # Models pickled by version 0.1 have none of these.
    max_nodes: int | None = None
    half_life: float | None = None
    mapping: str = "persistence"
    _limits: tuple[int | None, float | None] = (None, None)

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

    def fit(self, X: Any, y: Any = None) -> Self:
        """Start afresh, learn the rows in their order, and end with a refresh.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers: NumPy, lists, pandas, polars or pyarrow.
        y : ignored

        Returns
        -------
        self
        """
        parameters = self._check_parameters()
        samples = _validation.rows(self, X)
        self._learn(self._begin(X, samples.shape[1], afresh=True), samples, parameters, end=True)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Go on learning with more rows; nothing is reset and nothing is refreshed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The next rows of the stream. They are checked whole before any is learned.
        y : ignored

        Returns
        -------
        self
        """
        parameters = self._check_parameters()
        learner = self.__dict__.get("_learner")
        if learner is None:
            samples = _validation.rows(self, X)
            learner = self._begin(X, samples.shape[1], afresh=False)
        else:
            if parameters != self.__dict__.get("_checked"):
                self._refuse_changes()
            learner.map_by(self.mapping)  # a reader may have looked by another one
            samples = _validation.samples(self, X)
        self._learn(learner, samples, parameters, end=False)
        return self

    def refresh(self) -> Self:
        """End a stage of learning: bring nodes, components and clusters up to date, now.

        A second call with no row in between does nothing. Reading does not need it; learning goes on differently after
        it, because the renewed component view feeds back into learning.

        Returns
        -------
        self
        """
        learner, events = self._fitted, self._events
        learner.end_learning()
        if events is not None:
            events.collect(learner)
            events.dispatch()
        return self

    def save(self, path: str | os.PathLike[str], *, position: Any = None) -> None:
        """Write the model to one file, from which :meth:`load` takes it up again, to the bit.

        The file is in the safetensors format and holds no code. It is put in place whole: until then the file that was
        there stays. ``labels_`` are not kept.

        Parameters
        ----------
        path : path-like
            Usually with the suffix ``.safetensors``.
        position : optional
            Where in its stream the model stands, as anything that JSON can hold, for whoever feeds it.
        """
        state_file.replace(path, self.to_bytes(position=position))

    def to_bytes(self, *, position: Any = None) -> bytes:
        """The content of the file that :meth:`save` writes, for whoever keeps models elsewhere than in files.

        Parameters
        ----------
        position : optional
            As for :meth:`save`.

        Returns
        -------
        content : bytes
        """
        learner = self._fitted
        names = self.__dict__.get("feature_names_in_")
        facts = {
            "library_version": __version__,
            "params": self.get_params(),
            "feature_names": None if names is None else list(names),
            "n_seen": learner.n_seen,
            "stream_position": position,
        }
        return state_file.content(learner.__getstate__(), facts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A model from a file that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        model : PHIDA

        Raises
        ------
        phida.StateFileError
            The file is damaged, foreign or from a newer phida.
        """
        return cls._restored(os.fspath(path), *state_file.read(path))

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """A model from what :meth:`to_bytes` gave, or from the content of a file.

        Parameters
        ----------
        content : bytes

        Returns
        -------
        model : PHIDA

        Raises
        ------
        phida.StateFileError
            As for :meth:`load`.
        """
        return cls._restored("this content", *state_file.read_bytes(content))

    @classmethod
    def _restored(cls, name: object, state: dict[str, Any], facts: dict[str, Any]) -> Self:
        try:
            model = cls(**facts["params"])
            model._validate_params()
            model._learner = _core.Learner.__new__(_core.Learner)
            model._learner.__setstate__(state)
            model._compatibility = model.compatibility
            model._limits = model.max_nodes, model.half_life
            model.n_features_in_ = model._learner.n_features
            if facts["feature_names"] is not None:
                model.feature_names_in_ = _names(facts["feature_names"], model.n_features_in_)
            _check_agreement(model, state, facts)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise state_file.StateFileError(f"{name} holds no valid model ({error}).") from error
        if model._learner.counted_from == model.n_samples_seen_ > 0:
            warnings.warn(
                f"{name} does not know which nodes win together; for mapping='coactivation', that is "
                f"counted from now on, after {model.n_samples_seen_:,} rows.",
                stacklevel=3,
            )
        return model

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.int64]:
        """Fit, and return the labels of the rows, whether or not ``compute_labels`` is set.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        self.fit(X)
        return self.labels_ if self.compute_labels else self.predict(X)

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted.n_seen

    @property
    def interval_(self) -> int:
        return self._fitted.interval

    @property
    def vigilance_(self) -> float:
        return self._fitted.vigilance

    @property
    def lineage_(self) -> Lineage:
        return Lineage.from_columns(self._fitted.lineage())

    @property
    def history_(self) -> History:
        columns = self._fitted.history()
        return History(**{name.removeprefix("history_"): column for name, column in columns.items()})

    def on_event(self, callback: Callback) -> Self:
        """Have a function called with every event in the lives of clusters from now on.

        It is called when all rows of a learning call are learned, in the thread that called. If it raises, that call
        raises, and the events that are left are told by the next one. Copies, pickles and files of the model do not
        have it.

        Parameters
        ----------
        callback : callable
            Takes an :class:`phida.lineage.Event`.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from phida import PHIDA
        >>> kinds = []
        >>> model = PHIDA().on_event(lambda event: kinds.append(event.kind)).fit(load_iris().data)
        >>> kinds[:3]
        ['born', 'split', 'born']
        """
        events = self.__dict__.get("_events")
        if events is None:
            learner = self.__dict__.get("_learner")
            events = self._events = Events(0 if learner is None else learner.n_events)
        events.add(callback)
        return self

    @property
    def _fitted(self) -> _core.Learner:
        """The learner, looked up once: another thread may put a new one in its place."""
        learner = self.__dict__.get("_learner")
        if learner is None or learner.n_seen == 0:
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit or partial_fit first.")
        if self.mapping not in ("persistence", "coactivation"):
            raise ValueError(f"mapping must be 'persistence' or 'coactivation', not {self.mapping!r}.")
        learner.map_by(self.mapping)
        return learner  # type: ignore[no-any-return]

    @property
    def _reading(self) -> _core.Reading:
        return self._fitted.reading()

    def _check_parameters(self) -> tuple[object, ...]:
        """Validate parameters that have not been validated yet; a look is all it costs for each later row."""
        parameters = (self.compatibility, self.compute_labels, self.max_nodes, self.half_life, self.mapping)
        if self.__dict__.get("_checked") != parameters:
            self._validate_params()
        return parameters

    def _refuse_changes(self) -> None:
        """Raise where a parameter of learning is not the one that learning began with."""
        began = {"compatibility": self._compatibility, "max_nodes": self._limits[0], "half_life": self._limits[1]}
        for name, before in began.items():
            now = getattr(self, name)
            if now != before:
                raise ValueError(
                    f"{name} was changed from {before!r} to {now!r} after learning began; call fit to start afresh."
                )

    def _begin(self, X: Any, n_features: int, *, afresh: bool) -> _core.Learner:
        """Put a new learner in place, with the width and names of its rows; or take that of a thread that was first."""
        with _beginning:
            learner = None if afresh else self.__dict__.get("_learner")
            _validation.record(self, X, reset=learner is None)
            if learner is None:
                self._compatibility = self.compatibility
                self._limits = self.max_nodes, self.half_life
                if self._events is not None:
                    self._events.restart()
                self._learner = learner = _core.Learner(
                    n_features,
                    self.compatibility == "released",
                    max_nodes=int(self.max_nodes or 0),
                    half_life=float(self.half_life or 0),
                )
                learner.map_by(self.mapping)
            return learner

    def _learn(
        self, learner: _core.Learner, samples: NDArray[np.float64], parameters: tuple[object, ...], *, end: bool
    ) -> None:
        self._checked = parameters
        self.__dict__.pop("labels_", None)  # they are of other rows
        events = self._events
        step = len(samples) if events is None else ROWS_BETWEEN_COLLECTIONS
        for first in range(0, len(samples), step):
            learner.learn(samples[first : first + step])
            if events is not None:
                events.collect(learner)
        if end:
            learner.end_learning()
        if self.compute_labels:
            self.labels_ = learner.reading().assign(samples, _threads.for_batch(samples.size))
        if events is not None:
            events.collect(learner)
            events.dispatch()

    def _take_over(self, other: Self, n_seen: int, news: Sequence[Event]) -> None:
        """Become what a copy has learned, unless this model learned too since ``n_seen``; then tell of the events."""
        events = self._events
        with _beginning:
            learner = self.__dict__.get("_learner")
            if (0 if learner is None else learner.n_seen) != n_seen:
                raise RuntimeError("the model learned other rows while a batch was learned; the batch is left out.")
            own = {"_events", "labels_", *self.get_params(deep=False)}
            self.__dict__.update({name: value for name, value in vars(other).items() if name not in own})
            self.__dict__.pop("labels_", None)  # they are of other rows
        if events is not None:
            events.queue(news)
            events.dispatch()

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_events"}

    def __sklearn_is_fitted__(self) -> bool:
        learner = self.__dict__.get("_learner")
        return learner is not None and learner.n_seen > 0


def _names(names: Any, width: int) -> NDArray[np.object_]:
    if len(names) != width or not all(isinstance(name, str) for name in names):
        raise ValueError("feature names that do not fit the width")
    return np.array(names, dtype=object)


def _check_agreement(model: PHIDA, state: dict[str, Any], facts: dict[str, Any]) -> None:
    if facts["n_seen"] != state["n_seen"]:
        raise ValueError("it is said to have seen another number of rows than it has")
    if state["released"] != (model.compatibility == "released"):
        raise ValueError("its parameters and its state disagree on compatibility")
    if (state["max_nodes"], state["half_life"]) != (model.max_nodes or 0, model.half_life or 0.0):
        raise ValueError("its parameters and its state disagree on max_nodes or half_life")
    if state.get("coactivation", False) != (model.mapping == "coactivation"):
        raise ValueError("its parameters and its state disagree on mapping")
    if off := [name for name in ("ph", "refresh", "remove", "prune", "mapping") if not state[name]]:
        raise ValueError(f"it is an ablation, without {', '.join(off)}")
