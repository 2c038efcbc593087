"""Lifetimes of cluster ids, from the events of a lineage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from phida.lineage import Event
from phida.plots.lanes import lanes
from phida.plots.model import Model
from phida.records import Ints, _Record

if TYPE_CHECKING:
    import pandas as pd

#: Maximum number of lanes. More ids share them, and the least important ids have none.
_LANES = 40

#: Maximum lanes of living ids if past ids need lanes.
_LIVING = 28


@dataclass(frozen=True, eq=False)
class LineageBands(_Record, key="id", entry="band", frame="id begin end begun_by ended_by lane"):
    """A band for each lifetime of an id, and a link for each split and merge. A revived id has several lifetimes."""

    id: Ints
    """Id of each band; bands are in the order in which they begin."""
    begin: Ints
    """Sample at which the band begins."""
    end: Ints
    """Sample at which the band ends; the last sample if the cluster is alive."""
    begun_by: tuple[str, ...]
    """born, split or revived; empty if the event was not kept, or came after the last refresh."""
    ended_by: tuple[str, ...]
    """merged or died; empty if the cluster is alive."""
    lane: Ints
    """Lane of each band; bands in one lane do not overlap. Up to 40 ids have a lane each. Of more ids, the heaviest
    living ones and the longest lives of the past share 40 lanes; the others have none (-1)."""
    link_sample: Ints
    """Sample of each link."""
    link_kind: tuple[str, ...]
    """Kind of each link: split, merged, or revived from another id."""
    link_from: Ints
    """Band at which the link starts."""
    link_to: Ints
    """Band at which the link ends."""
    n_dropped: int
    """Number of older events that were dropped."""

    @classmethod
    def of(cls, model: Model) -> Self:
        """Create it from a fitted model."""
        lineage = model.lineage_
        lives = _Lives(lineage[0].confirmed if lineage.n_dropped and len(lineage) else 0)
        for event in lineage:
            lives.take(event)
        nodes = model.nodes_
        mine = nodes.cluster_id >= 0
        ids, of = np.unique(nodes.cluster_id[mine], return_inverse=True)
        weight = np.bincount(of, nodes.support[mine], len(ids))
        lives.complete(ids.tolist(), model.n_samples_seen_, forgetful=lineage.n_dropped > 0)
        end = [model.n_samples_seen_ if last is None else last for last in lives.end]
        return cls(
            id=np.array(lives.id, dtype=np.int64),
            begin=np.array(lives.begin, dtype=np.int64),
            end=np.array(end, dtype=np.int64),
            begun_by=tuple(lives.begun_by),
            ended_by=tuple(lives.ended_by),
            lane=_lanes(lives, end, dict(zip(ids.tolist(), weight.tolist(), strict=True))),
            link_sample=np.array(lives.link_sample, dtype=np.int64),
            link_kind=tuple(lives.link_kind),
            link_from=np.array(lives.link_from, dtype=np.int64),
            link_to=np.array(lives.link_to, dtype=np.int64),
            n_dropped=lineage.n_dropped,
        )

    def links_to_pandas(self) -> pd.DataFrame:
        """Return a frame with one row per link, with the ids at its ends."""
        ends = {"from": self.id[self.link_from], "to": self.id[self.link_to]}
        return self._frame_of("", sample=self.link_sample, kind=self.link_kind, **ends)


class _Lives:
    """Builds bands and links event by event."""

    def __init__(self, first_sample: int) -> None:
        self.first_sample = first_sample
        self.id: list[int] = []
        self.begin: list[int] = []
        self.end: list[int | None] = []
        self.begun_by: list[str] = []
        self.ended_by: list[str] = []
        self.link_sample: list[int] = []
        self.link_kind: list[str] = []
        self.link_from: list[int] = []
        self.link_to: list[int] = []
        self._now: dict[int, int] = {}

    def of(self, id: int) -> int:
        """Return the band of a living id; an unknown id began before the record."""
        return self._now[id] if id in self._now else self._open(id, self.first_sample, "")

    def take(self, event: Event) -> None:
        """Apply an event."""
        parents = [self.of(id) for id in event.before]
        if event.kind == "merged":
            for id, band in zip(event.before[1:], parents[1:], strict=True):
                self._close(id, event)
                self._link(event, band, parents[0])
        elif event.kind == "died":
            self._close(event.before[0], event)
        else:
            for id in event.after[1:] if event.kind == "split" else event.after:
                band = self._open(id, event.confirmed, event.kind)
                if parents:
                    self._link(event, parents[0], band)

    def complete(self, ids: list[int], now: int, *, forgetful: bool) -> None:
        """Add clusters without events: new ones, and those older than all kept events."""
        latest = max(self.id, default=-1)
        for id in ids:
            if id not in self._now:
                old = forgetful and id < latest and id not in self.id
                self._open(id, self.first_sample if old else now, "")

    def _open(self, id: int, sample: int, kind: str) -> int:
        self._now[id] = len(self.id)
        self.id.append(id)
        self.begin.append(sample)
        self.end.append(None)
        self.begun_by.append(kind)
        self.ended_by.append("")
        return self._now[id]

    def _close(self, id: int, event: Event) -> None:
        band = self._now.pop(id)
        self.end[band], self.ended_by[band] = event.confirmed, event.kind

    def _link(self, event: Event, source: int, target: int) -> None:
        self.link_sample.append(event.confirmed)
        self.link_kind.append(event.kind)
        self.link_from.append(source)
        self.link_to.append(target)


def _lanes(lives: _Lives, end: list[int], weight: dict[int, float]) -> Ints:
    first = {id: lane for lane, id in enumerate(dict.fromkeys(lives.id))}
    if len(first) <= _LANES:
        return np.array([first[id] for id in lives.id], dtype=np.int64)
    length = dict.fromkeys(first, 0)
    for id, start, stop in zip(lives.id, lives.begin, end, strict=True):
        length[id] += stop - start
    living = sorted((id for id in first if id in weight), key=lambda id: (-weight[id], id))
    past = sorted((id for id in first if id not in weight), key=lambda id: (-length[id], id))
    ids = [*living[:_LIVING], *past, *living[_LIVING:]]
    found = np.full(len(end), -1, dtype=np.int64)
    # More ids need more lanes: search for the largest number that fits.
    few, many = 0, len(ids) + 1
    while many - few > 1:
        count = (few + many) // 2
        lane = _shared_lanes(lives, end, set(ids[:count]))
        if lane.max() < _LANES:
            few, found = count, lane
        else:
            many = count
    return found


def _shared_lanes(lives: _Lives, end: list[int], ids: set[int]) -> Ints:
    """Return lanes of the bands of some ids, -1 for the others."""
    bands = [band for band, id in enumerate(lives.id) if id in ids]
    place = {band: i for i, band in enumerate(bands)}
    parents = {
        place[to]: place.get(source) for to, source in zip(lives.link_to, lives.link_from, strict=True) if to in place
    }
    lane = np.full(len(end), -1, dtype=np.int64)
    lane[bands] = lanes(
        [lives.begin[band] for band in bands],
        [end[band] for band in bands],
        [parents.get(i) for i in range(len(bands))],
    )
    return lane
