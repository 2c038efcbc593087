"""When a stream changes: a drift detector with river's interface, over the learner of PHIDA."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

try:
    from river import base
except ModuleNotFoundError as error:
    raise ImportError('phida.drift needs river: pip install "phida[river]"') from error

from phida import _core
from phida._model import PUBLISHED, Model, check_limits, limits
from phida._named_rows import NamedRows

__all__ = ["ClusterDrift", "Signal"]

#: A node is new to the short look while it is younger than this many rows.
_SHORT = 150

#: Its rate before a change counts the latest rows most: one in so many.
_MEMORY = 1000

#: How much more often new nodes win after a change worth telling of.
_SHORT_RISE, _LONG_RISE = 0.15, 0.1


@dataclass(frozen=True)
class Signal:
    """What the detector looks at, as of the last row."""

    young: float
    """Usual share of rows that nodes younger than 150 rows win."""
    evidence: float
    """How much more likely a change is than none, as a logarithm; the threshold ends it."""
    created: int
    """Nodes that rows have created since the last drift."""
    events: int
    """Births, splits, merges and deaths of clusters since the last drift."""
    vigilance: float
    """Similarity below which a row becomes a node."""


class ClusterDrift(base.DriftDetector):
    """Tells when rows come from where no rows came before.

    Rows of a stream that stays as it is are won by nodes that have been there for long. When it changes, rows create
    nodes, and these nodes go on winning. The detector follows how often young nodes win, in two looks: at nodes of the
    latest 150 rows, for what happens at once, and at those of the latest quarter of the stream, for what is slow.
    Each adds up the evidence (a CUSUM of log-likelihood ratios) against the rate that was usual before.

    A change in how often known groups come, with no row in a new place, is not a drift to it.

    Parameters
    ----------
    threshold
        Evidence at which a drift is told, as a logarithm of a likelihood ratio. Higher: later and surer.
    grace_period
        Rows, at the beginning and after a drift, in which none is told.
    max_nodes, half_life
        As for :class:`phida.PHIDAPlus`.

    Examples
    --------
    >>> import random
    >>> from phida.drift import ClusterDrift
    >>> rng = random.Random(0)
    >>> detector = ClusterDrift()
    >>> for t in range(3000):
    ...     center = 0 if t < 2000 else 5
    ...     detector.update({"a": rng.gauss(center, 1), "b": rng.gauss(0, 1)})
    ...     if detector.drift_detected:
    ...         print(t)
    2006
    """

    def __init__(
        self,
        threshold: float = 9.0,
        grace_period: int = 500,
        *,
        max_nodes: int | None = None,
        half_life: float | None = None,
    ) -> None:
        super().__init__()
        check_limits(max_nodes, half_life)
        if not threshold > 0:
            raise ValueError(f"threshold must be positive, not {threshold!r}.")
        if not grace_period > _SHORT:
            raise ValueError(f"grace_period must be more than {_SHORT} rows, not {grace_period!r}.")
        self.threshold = threshold
        self.grace_period = grace_period
        self.max_nodes = max_nodes
        self.half_life = half_life
        self._model: Model[NamedRows] = Model()
        self._restart()

    def update(self, x: dict[Hashable, Any]) -> None:  # type: ignore[override]
        """Take a row.

        Parameters
        ----------
        x
            Finite numbers by feature; the first row fixes the features.
        """
        if not isinstance(x, Mapping):
            raise TypeError(f"a row is a dict of numbers by feature, not {x!r}; a drift of one number has one feature.")
        model = self._model
        if not model.begun:
            features = NamedRows(x)
            features.row(x)  # a row that is refused fixes nothing
            model.begin(len(features.names), limits(self.max_nodes, self.half_life), features)
        row = model.features.row(x)
        if self.drift_detected:
            self._drift_detected = False
            self._restart()
        model.learn(row, PUBLISHED)
        self._examine(model.learner)

    @property
    def signal(self) -> Signal:
        model = self._model
        return Signal(
            young=self._short.rate,
            evidence=max(self._short.evidence, self._long.evidence),
            created=self._created,
            events=model.learner.n_events - self._events_before if model.begun else 0,
            vigilance=model.learner.vigilance if model.begun else math.nan,
        )

    def _restart(self) -> None:
        self._rows = self._created = 0
        self._events_before = self._model.learner.n_events if self._model.begun else 0
        self._short, self._long = _Rise(_SHORT_RISE), _Rise(_LONG_RISE)

    def _examine(self, learner: _core.Learner) -> None:
        """Update the evidence with the last row."""
        self._rows += 1
        step = learner.last_step()
        if "winner" not in step:
            return
        created = step["event"] == "create"
        self._created += created
        age = learner.n_seen - step["winner_birth"]
        young = created or age < _SHORT
        late = created or age < max(_SHORT, self._rows / 4)
        if self._rows <= self.grace_period:
            # At first every node is young; what comes then says nothing of the rate.
            if self._rows > _SHORT:
                self._short.learn(young, 1 / (self._rows - _SHORT + 10))
                self._long.learn(late, 1 / (self._rows - _SHORT + 10))
            return
        evidence = max(self._short.add(young), self._long.add(late))
        self._drift_detected = evidence > self.threshold


class _Rise:
    """Evidence that something happens more often than it used to, since some moment not long ago."""

    def __init__(self, rise: float) -> None:
        self.rise = rise
        self.rate = 0.1
        self.evidence = 0.0

    def learn(self, hit: bool, weight: float) -> None:
        self.rate += weight * (hit - self.rate)

    def add(self, hit: bool) -> float:
        usual = min(max(self.rate, 0.02), 0.6)
        risen = min(usual + self.rise, 0.95)
        ratio = risen / usual if hit else (1 - risen) / (1 - usual)
        self.evidence = max(0.0, self.evidence + math.log(ratio))
        self.learn(hit, 1 / _MEMORY)
        return self.evidence
