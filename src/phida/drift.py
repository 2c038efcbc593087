"""A drift detector with river's interface, based on the clusters of PHIDA+."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

try:
    from river import base
except ModuleNotFoundError as error:
    raise ImportError('phida.drift needs river: pip install "phida[river]"') from error

from phida._model import PLUS, Learner, Model, Settings
from phida._named_rows import NamedRows
from phida.lineage import Lineage

__all__ = ["Change", "ClusterDrift", "Signal"]

Floats = NDArray[np.float64]

#: Rows learned at the start and after each drift before testing: clusters are confirmed only after some rows.
_FIRST = 150

#: Memory, in rows, of the rate of rows in unknown places.
_MEMORY = 1000

#: Increase of the rate of rows in unknown places after a change, and the highest rate at which it can be detected.
_RISE, _HIGHEST = 0.15, 0.6

#: Odds of a cluster's share after a change compared with before; _GONE is the share after a cluster vanished.
_TWICE, _HALF, _GONE = range(3)
_ODDS = np.array([2.0, 0.5, 0.1])
_LOG_ODDS = np.log(_ODDS)

#: Wins after which a cluster's share and place are known, and the memory of both in rows.
_FEWEST, _MOST = 30, 400

#: Standard deviations from the mean of a row's cluster, in some feature, beyond which its place is unknown.
_FAR = 5.0

#: Shift to detect, and the largest effect of one row, in standard deviations of the cluster's rows.
_SHIFT, _FARTHEST = 1.0, 3.0

#: Added to a variance, so that a constant feature can be divided by it.
_SMALLEST = 1e-300

#: Evidence of a vanished cluster above which rows in a new place count as its own.
_FALLING = 5.0


@dataclass(frozen=True)
class Change:
    """A detected change of a stream."""

    kind: Literal["new", "vanished", "moved", "share"]
    """``new``: rows appear in a new place. ``vanished``: a cluster receives no more rows. ``moved``: the rows of a
    cluster have moved. ``share``: a cluster receives about twice or half as many rows as before."""
    ids: tuple[int, ...]
    """Ids of the clusters concerned. For ``new``: the new cluster or, before it has an id, the nearest cluster."""
    evidence: float
    """Log-likelihood ratio of change against no change, minus the logarithm of the number of tests; infinite if the
    lineage has confirmed the change."""


@dataclass(frozen=True)
class Signal:
    """The statistics of the detector after the last row."""

    unknown: float
    """Usual share of rows in unknown places: more than five standard deviations from the mean of the nearest cluster,
    in some feature."""
    evidence: float
    """Largest evidence for a change of any kind."""
    events: int
    """Number of confirmed cluster events since the last drift."""


class ClusterDrift(base.DriftDetector):
    """Detect that clusters appear, vanish, move, or change their shares of rows.

    The detector learns rows as :class:`phida.PHIDAPlus` does, and tests for four changes:

    - More rows than usual come to places far from the nearest cluster (``new``, or ``moved`` if a cluster seems to have
      vanished at the same time).
    - A cluster receives no more rows (``vanished``).
    - The rows of a cluster differ from its mean by one standard deviation in some feature (``moved``).
    - The odds that a row belongs to a cluster have doubled or halved (``share``).

    Each test is a CUSUM of log-likelihood ratios. Births and deaths in the lineage also count as changes, unless the
    new cluster consists of old rows. After a drift, all tests restart.

    Parameters
    ----------
    threshold
        Evidence needed for a drift. Higher values detect later and with fewer false alarms. The default was chosen on
        streams that are not part of the tables of ``bench/studies/drift.py``.
    grace_period
        Number of rows, at the start and after each drift, from which usual values are learned. No drift is detected
        during this period.
    max_nodes, half_life
        As for :class:`phida.PHIDAPlus`.

    Examples
    --------
    >>> import random
    >>> from phida.drift import ClusterDrift
    >>> rng = random.Random(0)
    >>> detector = ClusterDrift()
    >>> for t in range(4000):
    ...     share = 0.5 if t < 2000 else 0.1
    ...     center = 0 if rng.random() < share else 10
    ...     detector.update({"a": rng.gauss(center, 1), "b": rng.gauss(0, 1)})
    ...     if detector.drift_detected:
    ...         print(t, detector.change.kind, detector.change.ids)
    2068 share (1,)
    >>> {id: round(center["a"]) for id, center in detector.centers.items()}
    {0: 10, 1: 0}
    """

    def __init__(
        self,
        threshold: float = 12.0,
        grace_period: int = 500,
        *,
        max_nodes: int = 2048,
        half_life: float | None = None,
    ) -> None:
        super().__init__()
        if not threshold > 0:
            raise ValueError(f"threshold must be positive, not {threshold!r}.")
        if not grace_period > _FIRST:
            raise ValueError(f"grace_period must be more than {_FIRST} rows, not {grace_period!r}.")
        self.threshold = threshold
        self.grace_period = grace_period
        self.max_nodes = max_nodes
        self.half_life = half_life
        self._settings()  # checks the parameters
        self._model: Model[NamedRows] = Model()
        self._restart()

    def update(self, x: dict[Hashable, Any]) -> None:  # type: ignore[override]
        """Learn a row and test for drift.

        Parameters
        ----------
        x
            Finite numbers by feature; the first row fixes the features.
        """
        if not isinstance(x, Mapping):
            raise TypeError(f"a row must be a dict of numbers, not {x!r}; pass a single number as {{'x': number}}.")
        model = self._model
        if not model.begun:
            features = NamedRows(x)
            features.row(x)  # an invalid first row must not fix the features
            model.begin(len(features.names), self._settings(), features)
        model.refuse_changes(self._settings(), "set it back, or call clone() for a new detector")
        row = model.features.row(x)
        if self.drift_detected:
            self._drift_detected = False
            self._restart()
        model.learn(row)
        self._examine(model.learner, np.asarray(row)[0])

    def _settings(self) -> Settings:
        return PLUS.settings({"max_nodes": self.max_nodes, "half_life": self.half_life, "keep_examples": 0})

    @property
    def change(self) -> Change | None:
        """The change detected at the last row, or None."""
        return self._change

    @property
    def centers(self) -> dict[int, dict[Hashable, float]]:
        """Centre of each cluster, by cluster id."""
        model = self._model
        if not model.begun:
            return {}
        reading = model.reading()
        rows = zip(reading.cluster_ids().tolist(), reading.cluster_centers().tolist(), strict=True)
        return {name: dict(zip(model.features.names, center, strict=True)) for name, center in rows}

    @property
    def signal(self) -> Signal:
        return Signal(
            unknown=self._unknown.rate,
            evidence=max(0.0, self._unknown.evidence, self._clusters.evidence),
            events=self._n_events - self._events_before,
        )

    def _restart(self) -> None:
        self._rows = 0
        self._n_events = self._events_before = self._model.learner.n_events if self._model.begun else 0
        self._unknown = _Rise()
        self._clusters = _Clusters()
        self._change: Change | None = None

    def _examine(self, learner: Learner, row: Floats) -> None:
        """Update the evidence with the last row."""
        self._rows += 1
        step = learner.last_step()
        if "winner" not in step:
            return
        unknown = self._clusters.add(row, step["winner_cluster"])
        confirmed = self._follow_events(learner)
        if self._rows <= self.grace_period:
            self._clusters.drop_evidence()
            if self._rows > _FIRST:
                self._unknown.learn(unknown, 1 / (self._rows - _FIRST + 10))
            return
        new_place = self._unknown.add(unknown)
        self._change = self._clusters.change(self.threshold)
        if self._change is None and new_place > self.threshold:
            self._change = self._clusters.new_place(row, new_place)
        if self._change is None:
            self._change = confirmed
        self._drift_detected = self._change is not None

    def _follow_events(self, learner: Learner) -> Change | None:
        """Return the change that an event of the lineage confirms, and restart the tests of its clusters."""
        if learner.n_events == self._n_events:
            return None
        change = None
        for event in Lineage.from_columns(learner.lineage(self._n_events)):
            if event.kind == "died" and event.before[0] in self._clusters:
                change = change or Change("vanished", event.before, math.inf)
            elif event.kind == "revived" or (
                event.kind in ("born", "split") and self._is_new(event.after[-1], learner)
            ):
                change = change or Change("new", event.after[-1:], math.inf)
            if event.kind == "born":  # the event does not name the earlier clusters of these nodes
                self._clusters = _Clusters()
            self._clusters.forget({*event.before, *event.after})
        self._n_events = learner.n_events
        return change

    def _is_new(self, cluster: int, learner: Learner) -> bool:
        """Return whether the cluster's nodes are as recent as in a cluster that began after the grace period.

        Otherwise it consists of earlier rows.
        """
        living = learner.living()
        (birth,) = living["birth"][living["id"] == cluster]
        return bool(birth > learner.n_seen - (self._rows - self.grace_period) / 2)


class _Rise:
    """Evidence that a rate has increased at some recent row."""

    def __init__(self) -> None:
        self.rate = 0.1
        self.evidence = 0.0

    def learn(self, hit: bool, weight: float) -> None:
        self.rate += weight * (hit - self.rate)

    def add(self, hit: bool) -> float:
        usual = min(max(self.rate, 0.02), _HIGHEST)
        risen = usual + _RISE
        ratio = risen / usual if hit else (1 - risen) / (1 - usual)
        self.evidence = max(0.0, self.evidence + math.log(ratio)) if self.rate < _HIGHEST else 0.0
        self.learn(hit, 1 / _MEMORY)
        return self.evidence


class _Clusters:
    """Evidence that the shares or the places of clusters have changed."""

    def __init__(self) -> None:
        self._position: dict[int, int] = {}  # by id, ascending
        self._won = np.zeros(0)  # rows won
        self._of = np.zeros(0)  # rows won by any cluster meanwhile
        self._shares = np.zeros((3, 0))  # evidence for _TWICE, _HALF and _GONE
        self._places: list[_Place] = []

    def __contains__(self, cluster: int) -> bool:
        return cluster in self._position

    def add(self, row: Floats, cluster: int) -> bool:
        """Add a row of the nearest cluster, -1 for none; return whether the row is in an unknown place."""
        if cluster >= 0 and cluster not in self._position:
            self._append(cluster, len(row))
        if not self._position:
            return True
        at = self._position.get(cluster, -1)
        if at >= 0 and self._places[at].is_far(row):
            at = -1
        rate = self._won / np.maximum(self._of, 1.0)
        # As in the lineage: odds would overrate a few rows that a large cluster does not win.
        self._shares[_GONE] += (1.0 - _ODDS[_GONE]) * rate
        if at >= 0:  # the rate of unknown places is tested separately
            self._shares[:_GONE] -= np.log1p(np.outer(_ODDS[:_GONE] - 1.0, rate))
            self._shares[:, at] += _LOG_ODDS
        self._shares *= (self._shares > 0.0) & (self._won >= _FEWEST)
        if at < 0:
            return True
        self._of += 1.0
        self._won[at] += 1.0
        if self._won[at] > _MOST:
            self._won[at] *= 0.5
            self._of[at] *= 0.5
        self._places[at].add(row)
        return False

    def drop_evidence(self) -> None:
        """Restart all tests, keeping the known clusters."""
        self._shares[:] = 0.0
        for place in self._places:
            place.drop_evidence()

    def forget(self, ids: set[int]) -> None:
        """Restart with these clusters."""
        for name in ids & self._position.keys():
            at = self._position.pop(name)
            self._position = {other: k - (k > at) for other, k in self._position.items()}
            for column in self._COLUMNS:
                setattr(self, column, np.delete(getattr(self, column), at, axis=-1))
            del self._places[at]

    _COLUMNS = ("_won", "_of", "_shares")

    def _append(self, name: int, n_features: int) -> None:
        self._position[name] = len(self._position)
        for column in self._COLUMNS:
            values = getattr(self, column)
            setattr(self, column, np.append(values, np.zeros((*values.shape[:-1], 1)), axis=-1))
        self._places.append(_Place(n_features))

    @property
    def evidence(self) -> float:
        """Return the largest evidence of all tests."""
        return max((change.evidence for change in self._changes()), default=0.0)

    def change(self, threshold: float) -> Change | None:
        """The first kind of change with enough evidence."""
        return next((change for change in self._changes() if change.evidence > threshold), None)

    def _changes(self) -> Iterator[Change]:
        """Yield the change with the most evidence of each kind."""
        if not self._position:
            return
        names = list(self._position)
        by_chance = math.log(self._shares.size)
        at = int(self._shares[_GONE].argmax())
        yield Change("vanished", (names[at],), float(self._shares[_GONE, at]) - by_chance)
        evidence = [place.evidence for place in self._places]
        at = evidence.index(max(evidence))
        yield Change("moved", (names[at],), evidence[at] - math.log(len(names)))
        either = self._shares[:_GONE].max(axis=0)
        at = int(either.argmax())
        yield Change("share", (names[at],), float(either[at]) - by_chance)

    def new_place(self, row: Floats, evidence: float) -> Change:
        """Return the change for rows in a new place: a moved cluster that seemed to vanish, or a new cluster."""
        names = list(self._position)
        falling = tuple(sorted(names[at] for at in np.flatnonzero(self._shares[_GONE] >= _FALLING)))
        if falling or not names:
            return Change("moved" if falling else "new", falling, evidence)
        nearest = min(range(len(names)), key=lambda at: self._places[at].distance(row))
        return Change("new", (names[nearest],), evidence)


class _Place:
    """Evidence that a cluster's rows have moved."""

    def __init__(self, n_features: int) -> None:
        self._n = 0
        self._mean = np.zeros(n_features)
        self._variance = np.zeros(n_features)
        self._sums = np.zeros((2, n_features))  # for shifts up and down
        self.evidence = 0.0  # minus the logarithm of the number of sums

    def add(self, row: Floats) -> None:
        self._n += 1
        off = row - self._mean
        if self._n > _FEWEST:
            z = off / np.sqrt(self._variance + _SMALLEST)
            ratio = _SHIFT * np.minimum(np.maximum(z, -_FARTHEST), _FARTHEST)
            self._sums[0] += ratio
            self._sums[1] -= ratio
            self._sums = np.maximum(self._sums - _SHIFT**2 / 2, 0.0)
            self.evidence = float(self._sums.max()) - math.log(self._sums.size)
        weight = 1 / min(self._n, _MOST)
        self._mean += weight * off
        self._variance += weight * ((1 - weight) * off * off - self._variance)

    def is_far(self, row: Floats) -> bool:
        """Return whether a row is farther from the mean, in some feature, than rows of the cluster."""
        return self._n > _FEWEST and bool((np.abs(row - self._mean) > _FAR * np.sqrt(self._variance)).any())

    def distance(self, row: Floats) -> float:
        """Return the squared distance of a row to the mean of the cluster's rows, divided by their variance."""
        return float(((row - self._mean) ** 2).sum() / (self._variance.sum() + _SMALLEST))

    def drop_evidence(self) -> None:
        self._sums[:] = 0.0
        self.evidence = 0.0
