"""A drift detector with river's interface: ADWIN on the clusters of PHIDA+, and the events of their lineage."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

try:
    from river import base
    from river.drift import ADWIN
except ModuleNotFoundError as error:
    raise ImportError('phida.drift needs river: pip install "phida[river]"') from error

import numpy as np

from phida._model import Learner
from phida.errors import ParameterError
from phida.lineage import Lineage
from phida.river import PHIDAPlus

__all__ = ["Change", "ClusterDrift"]

#: Rows learned at the start and after each drift before testing: clusters are confirmed only after some rows.
_FIRST = 150

#: Wins after which the share of a cluster is known.
_FEWEST = 30

#: Number of rows that a cluster usually wins in the time since its last one, above which it seems to have vanished.
_FALLING = 7.0

#: Likewise, above which it has vanished; plus the logarithm of the number of clusters.
_GONE = 12.0

#: Added to a squared distance before its logarithm.
_SMALLEST = 1e-12


@dataclass(frozen=True)
class Change:
    """A detected change of a stream."""

    kind: Literal["new", "vanished", "moved", "share"]
    """``new``: rows appear in a new place. ``vanished``: a cluster receives no more rows. ``moved``: the rows of a
    cluster have moved. ``share``: a cluster receives more or fewer rows than before."""
    ids: tuple[int, ...]
    """Ids of the clusters concerned. For ``new``: the new cluster or, before it has an id, the nearest one."""


class ClusterDrift(base.DriftDetector):
    """Detect that clusters appear, vanish, move, or change their shares of rows.

    The detector learns rows as :class:`phida.river.PHIDAPlus` does. Each of the following has an ADWIN of its own:

    - the share of rows that each cluster wins (``share``);
    - each feature of the rows that each cluster wins (``moved``);
    - the share of rows that no known cluster wins, and the distance to the nearest node. A rise of one of them is
      ``new``, or ``moved`` if another cluster seems to have vanished.

    A cluster has ``vanished`` if it should have won many rows since its last one. Births and deaths in the lineage are
    changes, too, unless the new cluster consists of old rows. After a drift, all tests restart.

    Parameters
    ----------
    delta
        Significance of the tests, as for river's ADWIN; it is divided by the number of clusters and features. Lower
        values detect later and with fewer false alarms.
    grace_period
        Number of rows, at the start and after each drift, in which no drift is detected.
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
    2085 share (1,)
    >>> {id: round(center["a"]) for id, center in detector.centers.items()}
    {0: 10, 1: 0}
    """

    def __init__(
        self,
        delta: float = 0.0001,
        grace_period: int = 500,
        *,
        max_nodes: int = 2048,
        half_life: float | None = None,
    ) -> None:
        super().__init__()
        if not 0 < delta < 1:
            raise ParameterError(f"delta must be between 0 and 1, not {delta!r}.")
        if not grace_period > _FIRST:
            raise ParameterError(f"grace_period must be more than {_FIRST} rows, not {grace_period!r}.")
        self.delta = delta
        self.grace_period = grace_period
        self.max_nodes = max_nodes
        self.half_life = half_life
        self._change: Change | None = None
        self._clusterer = PHIDAPlus(max_nodes=max_nodes, half_life=half_life, keep_examples=0)
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
        self._clusterer.learn_one(x)
        if self.drift_detected:
            self._drift_detected = False
            self._restart()
        self._rows += 1
        model = self._clusterer._model
        step = model.learner.last_step()
        if "winner" not in step:
            return
        row = np.asarray(model.features.row(x))[0].tolist()
        changes = [*self._confirmed(model.learner), *self._tested(row, step)]
        if changes and self._rows > self.grace_period:
            self._change = changes[0]
            self._drift_detected = True

    @property
    def change(self) -> Change | None:
        """The change detected at the last row, or None."""
        return self._change

    @property
    def centers(self) -> dict[int, dict[Hashable, float]]:
        """Centre of each cluster, by cluster id."""
        reading = self._clusterer._reading()
        ids = [] if reading is None else reading.cluster_ids().tolist()
        return dict(zip(ids, self._clusterer.centers.values(), strict=True))

    def _restart(self) -> None:
        model = self._clusterer._model
        self._rows = 0
        self._n_events = model.learner.n_events if model.begun else 0
        self._change = None
        self._unknown = (self._test(1), self._test(1))  # rows of no cluster; distances
        self._strange = 0  # rows of no cluster
        self._clusters: dict[int, _Cluster] = {}

    def _test(self, n: int) -> Any:
        """Return one of n tests of a kind."""
        return ADWIN(delta=self.delta / n, clock=8, grace_period=30)  # type: ignore[no-untyped-call]

    def _confirmed(self, learner: Learner) -> Iterator[Change]:
        """Yield the changes that new events of the lineage confirm, and restart the tests of their clusters."""
        if learner.n_events == self._n_events:
            return
        for event in Lineage.from_columns(learner.lineage(self._n_events)):
            if event.kind == "died":
                yield Change("vanished", event.before)
            elif event.kind != "merged" and (event.kind == "revived" or self._is_new(event.after[-1], learner)):
                yield Change("new", event.after[-1:])
            for id in {*event.before, *event.after} if event.kind != "born" else {*self._clusters}:
                self._clusters.pop(id, None)  # a birth does not name the earlier clusters of its nodes
        self._n_events = learner.n_events

    def _is_new(self, cluster: int, learner: Learner) -> bool:
        """Return whether the cluster's nodes are as recent as in a cluster that began after the grace period.

        Otherwise it consists of earlier rows.
        """
        living = learner.living()
        (birth,) = living["birth"][living["id"] == cluster]
        return bool(birth > learner.n_seen - (self._rows - self.grace_period) / 2)

    def _tested(self, row: list[float], step: Mapping[str, Any]) -> Iterator[Change]:
        """Add a row to all tests; yield the changes that they detect."""
        if self._rows <= _FIRST:
            return
        winner = step["winner_cluster"]
        self._strange += winner < 0
        if winner >= 0 and winner not in self._clusters:
            n = len(self._clusters) + 1
            self._clusters[winner] = _Cluster(self._test(n), [self._test(n * len(row)) for _ in row])
        shares = []
        for id, cluster in self._clusters.items():
            if _changes(cluster.share, float(id == winner)):
                shares.append(id)
            if id == winner:
                cluster.last, cluster.strange = self._rows, self._strange
        missing = {id: cluster.missing(self._rows) for id, cluster in self._clusters.items()}
        falling = tuple(id for id, rows in missing.items() if rows > _FALLING)
        for id in falling:
            if missing[id] > _GONE + math.log(len(missing)):
                elsewhere = self._strange - self._clusters[id].strange > missing[id] / 2
                yield Change("moved" if elsewhere else "vanished", (id,))
        if winner >= 0 and any([_changes(*pair) for pair in zip(self._clusters[winner].places, row, strict=True)]):
            yield Change("moved", (winner,))
        for id in shares:
            yield Change("share", (id,))
        away = (float(winner < 0), math.log(step["square"] + _SMALLEST))
        if any([_rises(*pair) for pair in zip(self._unknown, away, strict=True)]):
            nearest = winner if winner >= 0 else step["winner_parent"]
            yield Change("moved", falling) if falling else Change("new", (nearest,) if nearest >= 0 else ())


@dataclass
class _Cluster:
    """The tests of a cluster."""

    share: Any
    places: list[Any]
    """One test per feature."""
    last: int = 0
    """Number of the last row that it won."""
    strange: int = 0
    """Number of rows of no cluster before."""

    def missing(self, rows: int) -> float:
        """Return the number of rows that the cluster usually wins in the time since its last one."""
        rate: float = self.share.estimation
        return (rows - self.last) * rate if rate * self.share.width >= _FEWEST else 0.0


def _changes(test: Any, value: float) -> bool:
    test.update(value)
    return bool(test.drift_detected)


def _rises(test: Any, value: float) -> bool:
    before = test.estimation
    return _changes(test, value) and test.estimation > before
