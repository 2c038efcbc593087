"""Records of the lives of clusters: which came of which, and how the model grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, overload

from phida.records import Floats, Ints, _frame, _Record

if TYPE_CHECKING:
    import pandas as pd

#: In the order in which the core numbers them.
KINDS = ("born", "split", "merged", "died", "revived")


@dataclass(frozen=True)
class Event:
    """Something that happened to clusters at a refresh.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> print(model.lineage_[0])
    row 2: cluster 0 was born (support 2)
    """

    number: int
    """Events of a model are counted from 0."""
    kind: str
    """``born``, ``split``, ``merged``, ``died`` or ``revived``."""
    sample: int
    """Rows learned when it happened."""
    confirmed: int
    """Rows learned when it was confirmed."""
    before: tuple[int, ...]
    """Ids that it happened to. Of ``merged``, the one that goes on comes first; of ``revived``, what it came out of."""
    after: tuple[int, ...]
    """Ids that came of it. For ``split`` the one that goes on comes first."""
    support: float
    """Support of what was born, split off, merged in, lost or revived."""

    @property
    def changed(self) -> tuple[int, ...]:
        """The ids that begin or end with it."""
        if self.kind == "revived":
            return self.after
        return tuple(id for id in (*self.before, *self.after) if (id in self.before) != (id in self.after))

    def only(self, ids: set[int]) -> Event | None:
        """The event with these of the ids that begin or end with it, or None if there are none.

        A ``revived`` one keeps what it came out of; ``support`` stays that of the whole event.

        Parameters
        ----------
        ids : set of int

        Returns
        -------
        event : Event or None
        """
        if self.kind in ("born", "revived", "died"):
            return self if ids else None
        stay = set(self.before) & set(self.after) | ids
        if not ids:
            return None
        before = tuple(id for id in self.before if id in stay)
        return replace(self, before=before, after=tuple(id for id in self.after if id in stay))

    def __str__(self) -> str:
        named = {
            "born": "cluster {after} was born",
            "split": "cluster {before} split into {after}",
            "merged": "clusters {before} merged into {after}",
            "died": "cluster {before} died",
            "revived": "cluster {after} is back" + (", out of {before}" if self.before else ""),
        }[self.kind]
        ids = {"before": ", ".join(map(str, self.before)), "after": ", ".join(map(str, self.after))}
        return f"row {self.sample:,}: {named.format(**ids)} (support {self.support:g})"


class Lineage(Sequence[Event]):
    """The events of a model, the oldest first; a sequence.

    The latest 1,024 events are kept, or fewer if there are more than 8,192 ids in them; ``n_dropped`` older ones went.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.lineage_
    Lineage(12 events, 0 older ones dropped)
    >>> [event.kind for event in model.lineage_.lasting(30)]
    ['born', 'split', 'born', 'born', 'born', 'split', 'merged', 'split', 'born', 'revived']
    """

    def __init__(self, events: Sequence[Event], n_dropped: int = 0) -> None:
        self._events = tuple(events)
        self.n_dropped = n_dropped

    @classmethod
    def from_columns(cls, columns: dict[str, Any]) -> Self:
        """A lineage from the core's columns, in which the ids of all events stand one after the other."""
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
        return f"Lineage({len(self)} events, {self.n_dropped} older ones dropped)"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def lasting(self, samples: int) -> Lineage:
        """Without what was undone within so many samples.

        Where a cluster is on the edge between one and two, it may merge and come back at every refresh. What begins (a
        birth, a split, a return) and ends again too soon is left out on both sides, and so is what ends and comes back.

        Parameters
        ----------
        samples : int
            Rows that a change must last to be told.

        Returns
        -------
        lineage : Lineage
        """
        if not samples >= 0:
            raise ValueError(f"samples is a number of rows, 0 or more, not {samples!r}.")
        kept: dict[int, list[Event]] = {}
        for event in self:
            for id in event.changed:
                turns = kept.setdefault(id, [])
                if turns and event.sample - turns[-1].sample < samples:
                    turns.pop()
                else:
                    turns.append(event)
        left = {(event.number, id) for id, events in kept.items() for event in events}
        told = (event.only({id for id in event.changed if (event.number, id) in left}) for event in self)
        return Lineage([event for event in told if event is not None], self.n_dropped)

    def to_pandas(self) -> pd.DataFrame:
        """One row per event; ``before`` and ``after`` hold tuples of ids."""
        names = ("number", "kind", "sample", "before", "after", "support")
        return _frame({name: [getattr(event, name) for event in self] for name in names})


@dataclass(frozen=True, eq=False)
class History(_Record):
    """How the model grew: one entry per refresh, thinned out evenly to at most 512.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> model.history_.to_pandas().columns.tolist()
    ['sample', 'n_nodes', 'n_components', 'n_clusters', 'vigilance', 'interval']
    """

    sample: Ints
    """Rows learned."""
    n_nodes: Ints
    n_components: Ints
    n_clusters: Ints
    vigilance: Floats
    """Similarity below which a row became a node of its own (τ)."""
    interval: Ints
    """Rows between two adjustments of the vigilance (λ)."""

    def __len__(self) -> int:
        return len(self.sample)

    def to_pandas(self) -> pd.DataFrame:
        """One row per entry."""
        names = ("sample", "n_nodes", "n_components", "n_clusters", "vigilance", "interval")
        return _frame({name: getattr(self, name) for name in names})
