"""Records of cluster events and of the growth of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, overload

from phida import _html
from phida.records import Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: Events in the table of a lineage.
_LATEST = 10

#: Ordered by their number in the core.
KINDS = ("born", "split", "merged", "died", "revived")


@dataclass(frozen=True)
class Event:
    """A confirmed event of clusters, such as a birth or a split.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> print(model.lineage_[0])
    row 2: cluster 0 was born (support 2)
    """

    number: int
    """Number of the event, from 0."""
    kind: str
    """``born``, ``split``, ``merged``, ``died`` or ``revived``."""
    sample: int
    """Number of rows learned when the event was first observed."""
    confirmed: int
    """Number of rows learned when the event was confirmed."""
    before: tuple[int, ...]
    """Ids of the clusters before the event. For ``merged``, the id that is kept comes first."""
    after: tuple[int, ...]
    """Ids of the clusters after the event. For ``split``, the id that is kept comes first."""
    support: float
    """Support of the cluster that was born, split off, merged, lost or revived."""

    def __str__(self) -> str:
        return f"row {self.sample:,}: {self.sentence} (support {self.support:g})"

    @property
    def sentence(self) -> str:
        """Return the event as a sentence with cluster ids."""
        named = {
            "born": "cluster {after} was born",
            "split": "cluster {before} split into {after}",
            "merged": "clusters {before} merged into {after}",
            "died": "cluster {before} died",
            "revived": "cluster {after} is back",
        }[self.kind]
        ids = {"before": ", ".join(map(str, self.before)), "after": ", ".join(map(str, self.after))}
        return named.format(**ids)


@dataclass(frozen=True)
class Candidate:
    """A possible event with too few rows for confirmation."""

    kind: str
    """``born`` for a new cluster, by birth or split; or ``merged``."""
    ids: tuple[int, ...]
    """The two confirmed clusters that may be one; empty for ``born``."""
    sample: int
    """Number of rows learned when it was first observed."""
    evidence: int
    """Number of rows that support it. 50 rows confirm it, or fewer for a small cluster."""

    @classmethod
    def from_columns(cls, columns: dict[str, Any]) -> tuple[Self, ...]:
        """Return the candidates in the core's columns."""
        names = ("kind", "first", "second", "sample", "evidence")
        rows = zip(*(columns[f"candidate_{name}"].tolist() for name in names), strict=True)
        return tuple(
            cls(KINDS[kind], (first, second) if KINDS[kind] == "merged" else (), sample, evidence)
            for kind, first, second, sample, evidence in rows
        )


class Lineage(Sequence[Event]):
    """The confirmed events of a model, the oldest first; a sequence.

    The latest 1,024 events are kept, or fewer if they hold more than 8,192 ids. ``n_dropped`` counts the older ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.lineage_
    Lineage(10 events, 0 older dropped)
    """

    def __init__(self, events: Sequence[Event], n_dropped: int = 0) -> None:
        self._events = tuple(events)
        self.n_dropped = n_dropped

    @classmethod
    def from_columns(cls, columns: dict[str, Any]) -> Self:
        """Build a lineage from the core's columns, in which the ids of all events are concatenated."""
        ids = iter(columns["event_ids"].tolist())
        dropped = columns["events_dropped"]
        names = ("event_kind", "event_sample", "event_confirmed", "event_n_before", "event_n_after", "event_support")
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        events = []
        for number, (kind, sample, confirmed, n_before, n_after, support) in enumerate(rows, start=dropped):
            before = tuple(next(ids) for _ in range(n_before))
            after = tuple(next(ids) for _ in range(n_after))
            events.append(Event(number, KINDS[kind], sample, confirmed, before, after, support))
        return cls(events, dropped)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Event, ...]: ...
    def __getitem__(self, index: int | slice) -> Event | tuple[Event, ...]:
        return self._events[index]

    def __len__(self) -> int:
        return len(self._events)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lineage):
            return NotImplemented
        return (self._events, self.n_dropped) == (other._events, other.n_dropped)

    def __hash__(self) -> int:
        return hash((self._events, self.n_dropped))

    def __repr__(self) -> str:
        events = f"{len(self)} event{'' if len(self) == 1 else 's'}"
        return f"Lineage({events}, {self.n_dropped} older dropped)"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        """Return the latest events as a table, and the number of the others."""
        latest = self._events[-_LATEST:]
        rows = [[f"{event.number}", f"{event.sample:,}", event.sentence, f"{event.support:.4g}"] for event in latest]
        older = len(self) - len(latest) + self.n_dropped
        more = f"and {older:,} older" if older else ""
        return _html.table(["number", "row", "event", "support"], rows, caption=repr(self), more=more)

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per event; ``before`` and ``after`` hold tuples of ids."""
        names = ("number", "kind", "sample", "confirmed", "before", "after", "support")
        return _frame({name: [getattr(event, name) for event in self] for name in names})


@dataclass(frozen=True, eq=False)
class History(_Record, key="sample", entry="update", frame="sample n_nodes n_components n_clusters vigilance interval"):
    """Growth of the model: one entry per update of its clusters, thinned evenly to at most 512 entries.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.history_.to_pandas().columns.tolist()
    ['sample', 'n_nodes', 'n_components', 'n_clusters', 'vigilance', 'interval']
    """

    sample: Ints
    """Number of rows learned."""
    n_nodes: Ints
    n_clusters: Ints
    n_components: Ints | None = None
    """PHIDA only: number of PH components."""
    vigilance: Floats | None = None
    """PHIDA only: similarity threshold (τ): a row below it became a new node."""
    interval: Ints | None = None
    """PHIDA only: number of rows between two adjustments of the vigilance (λ)."""

    def __len__(self) -> int:
        return len(self.sample)
