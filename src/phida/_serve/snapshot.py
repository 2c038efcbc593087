"""Snapshots of the model as plain numbers, of limited size."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._serve.feed import Snapshot
from phida._serve.learning import Progress
from phida._serve.moment import Moment, number, shortened
from phida._serve.slots import Slots, map_neighbours
from phida._serve.trail import Column, Trail
from phida.answers.clarity import CutClarity, DensityClarity
from phida.answers.links import ClusterLinks
from phida.answers.scaling import LargestVariance
from phida.projection import Projection

#: Maximum numbers sent: the strongest, largest or latest.
NODES, EDGES, LINKS, MODES, CLUSTERS, EVENTS = 2048, 500, 24, 300, 100, 40

#: Clusters listed on the page, with their most distinctive features; features named per axis of the map.
LISTED, _TELLING, _AXIS_FEATURES = 20, 3, 3

#: Ids on each side of an event, and characters of external text (a path or an error message).
_IDS, _TEXT = 12, 500

#: Values of earlier snapshots that curves and bands draw.
_DRAWN = ("number", "time", "samples", "rate", "vigilance", "n_nodes", "n_clusters", "won")

#: Maximum size of a snapshot in bytes: all of the above with the longest numbers and names. A fifth is usual.
BYTES = 512 * 1024


class SteadyAxes:
    """Rotates and mirrors the plane of each moment to match the one before.

    Principal directions flip and swap when their variances are close; the drawing should not.
    """

    def __init__(self) -> None:
        self._axes: NDArray[np.float64] | None = None

    def turned(self, projection: Projection) -> Projection:
        """Return the same plane with axes as close as possible to the last ones (orthogonal Procrustes)."""
        axes = projection.axes
        if self._axes is not None and self._axes.shape == axes.shape:
            left, _, right = np.linalg.svd(self._axes @ axes.T)
            axes = left @ right @ axes
        self._axes = axes
        return replace(projection, axes=axes)


class Sketcher:
    """Makes snapshots of one stream, with stable axes and colours."""

    def __init__(self, trail: Trail, facts: dict[str, object]) -> None:
        """``facts``: values that are part of every snapshot."""
        self._facts = {key: _text(value) for key, value in facts.items()}
        self._trail = trail
        self._axes = SteadyAxes()
        self._slots = Slots()
        self._number = -1
        self._samples = 0
        """Rows learned when the trail was last offered something."""

    def sketch(self, moment: Moment | None, progress: Progress, rate: float, time: float) -> Snapshot:
        """Return a snapshot, and offer it to the trail."""
        self._number += 1
        facts = {"number": self._number, "time": round(time, 3), **self._facts, **asdict(progress)}
        facts |= {"note": _text(progress.note), "rate": number(rate), "samples": 0, "clusters": [], "nodes": None}
        if moment is not None:
            facts |= _counts(moment) | self._map(moment) | _modes(moment) | _events(moment)
        text = _json(facts)
        if facts["samples"] != self._samples:
            self._trail.offer(_column(facts, text))
            self._samples = facts["samples"]
        return Snapshot(self._number, facts, text.encode())

    def _map(self, moment: Moment) -> dict[str, Any]:
        """Return the nodes on the map, and the clusters with colours that differ between neighbours there."""
        nodes, clusters = moment.model.nodes_, moment.clusters
        drawn = np.sort(np.argsort(-nodes.support, kind="stable")[:NODES])
        projection = self._axes.turned(Projection.of(moment.model))
        at = projection.transform(nodes.representatives[drawn])
        place = clusters.places(nodes.cluster[drawn])
        # Clusters beyond this number have no colour: with more clusters than drawn nodes, most are not drawn.
        place[place >= NODES] = -1
        names = clusters.names[:NODES]
        slots = self._slots.choose(names, map_neighbours(at, place, len(names)), map(str, self._trail.ids()))
        return {
            "names": names,
            "slots": slots,
            "clusters": _clusters(moment, slots),
            "nodes": {
                "id": nodes.id[drawn].tolist(),
                "x": [number(x) for x in at[:, 0]],
                "y": [number(y) for y in at[:, 1]],
                "rows": nodes.rows[drawn].tolist(),
                "support": [round(s, 1) for s in nodes.support[drawn].tolist()],
                "active": [int(a) for a in nodes.active[drawn]],
                "place": _or_none(place),
                "cluster": _ids(moment, nodes.cluster[drawn]),
            },
            "edges": _edges(moment, drawn),
            "axes": [_axis_name(axis, moment) for axis in projection.axes],
        }


def _clusters(moment: Moment, slots: list[int]) -> list[dict[str, Any]]:
    """Return the largest clusters; the first ones, which the page lists, with their features."""
    clusters = moment.clusters
    return [
        {
            "label": int(clusters.profile.label[at]),
            "id": int(clusters.profile.id[at]),
            "name": clusters.names[at],
            "slot": slots[at],
            "nodes": int(clusters.profile.nodes[at]),
            "rows": int(clusters.profile.rows[at]),
            "share": round(float(clusters.profile.share[at]), 5),
            "telling": moment.telling(at, _TELLING) if at < LISTED else [],
        }
        for at in range(min(CLUSTERS, len(clusters)))
    ]


def _edges(moment: Moment, drawn: NDArray[np.int64]) -> list[list[int]]:
    """Return the shortest edges of the PH graph or, in PHIDA+, links between the clusters that would merge next."""
    place = np.full(len(moment.model.nodes_), -1)
    place[drawn] = np.arange(len(drawn))
    graph = moment.model.graph_
    links = None if moment.terms.components else ClusterLinks.of(moment.model, LINKS)
    order = np.argsort(graph.distance, kind="stable")
    ends = (graph.source[order], graph.target[order]) if links is None else (links.source, links.target)
    source, target = (place[end] for end in ends)
    edges = np.flatnonzero((source >= 0) & (target >= 0))[:EDGES]
    return [source[edges].tolist(), target[edges].tolist()]


def _axis_name(axis: NDArray[np.float64], moment: Moment) -> str:
    """Return the features with the largest weights in an axis, with their signs; empty for a zero axis."""
    strongest = np.argsort(-np.abs(axis), kind="stable")[:_AXIS_FEATURES]
    most = float(np.abs(axis[strongest[0]]))
    return ", ".join(
        f"{'−' if axis[j] < 0 else ''}{moment.feature(j)}" for j in strongest.tolist() if abs(axis[j]) > 0.3 * most
    )


def _or_none(values: NDArray[np.int64]) -> list[int | None]:
    return [value if value >= 0 else None for value in values.tolist()]


def _ids(moment: Moment, labels: NDArray[np.int64]) -> list[int | None]:
    """Return ids of labels; None for nodes without a cluster."""
    return _or_none(np.where(labels >= 0, moment.model.cluster_ids_[labels], -1))


def _text(value: Any) -> Any:
    return shortened(value, _TEXT) if isinstance(value, str) else value


def _clarity(clarity: CutClarity | DensityClarity) -> dict[str, Any]:
    """Return the numbers of a clarity by name, and its sentence."""
    return {name: number(value) for name, value in asdict(clarity).items()} | {"text": str(clarity)}


def _counts(moment: Moment) -> dict[str, Any]:
    model = moment.model
    return {
        "samples": model.n_samples_seen_,
        "n_features": len(moment.features),
        "n_nodes": model.n_nodes_,
        "n_clusters": model.n_clusters_,
        "won": int(moment.clusters.profile.rows.sum()),
        "terms": asdict(moment.terms),
        # Figures of the published method; None in PHIDA+.
        "n_active_nodes": model.figures.get("n_active_nodes"),
        "n_components": model.figures.get("n_components"),
        "vigilance": number(model.figures.get("vigilance")),
        "interval": model.figures.get("interval"),
        "clarity": _clarity(model.cut_clarity_),
        "advice": [shortened(sentence, _TEXT) for sentence in LargestVariance.of(model).advice()],
    }


def _modes(moment: Moment) -> dict[str, Any]:
    """Return the persistence diagram; a death of None means that the mode never met a denser one.

    In PHIDA+, where each mode has its own threshold, ``ratio`` is persistence divided by threshold.
    """
    modes, nodes = moment.model.persistence_, moment.model.nodes_
    threshold = modes.threshold
    ratio = None if isinstance(threshold, float) else modes.persistence / threshold
    drawn = np.argsort(-(modes.persistence if ratio is None else ratio), kind="stable")[:MODES]
    label = nodes.cluster[modes.node[drawn]]
    place = moment.clusters.places(label)
    return {
        "modes": {
            "node": nodes.id[modes.node[drawn]].tolist(),
            "birth": [number(b) for b in modes.birth[drawn]],
            "death": [number(d) for d in modes.death[drawn]],
            "place": _or_none(np.where(place < NODES, place, -1)),
            "cluster": _ids(moment, label),
            "threshold": number(threshold) if isinstance(threshold, float) else None,
            "ratio": None if ratio is None else [number(r) for r in ratio[drawn]],
        }
    }


def _events(moment: Moment) -> dict[str, Any]:
    """Return the latest events ordered by row, not by confirmation."""
    lineage = moment.model.lineage_
    latest = [lineage[i] for i in range(max(0, len(lineage) - EVENTS), len(lineage))]
    shown = [
        {
            "number": e.number,
            "kind": e.kind,
            "sample": e.sample,
            "confirmed": e.confirmed,
            "before": list(e.before[:_IDS]),
            "after": list(e.after[:_IDS]),
        }
        for e in sorted(latest, key=lambda e: (e.sample, e.number))
    ]
    return {"events": shown, "n_events": len(lineage) + lineage.n_dropped}


def _column(facts: dict[str, Any], text: str) -> Column:
    """Return the data of the bands: clusters by their lasting ids."""
    part = {key: facts[key] for key in _DRAWN}
    bands: dict[int, list[Any]] = {}
    for cluster in facts["clusters"]:
        band = bands.setdefault(cluster["id"], [cluster["id"], cluster["slot"], 0, 0])
        band[2] = round(band[2] + cluster["share"], 5)
        band[3] += cluster["rows"]
    part["bands"] = list(bands.values())
    return Column(facts["number"], set(bands), _json(part), text.encode())


def _json(facts: Any) -> str:
    return json.dumps(facts, separators=(",", ":"), allow_nan=False)
