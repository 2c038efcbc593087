"""Snapshots of the model as plain numbers, of bounded size."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida.answers.clarity import CutClarity, DensityClarity
from phida.projection import Projection, node_edges
from phida.serve.axes import SteadyAxes
from phida.serve.feed import Snapshot
from phida.serve.learning import Progress
from phida.serve.moment import Moment, number
from phida.serve.slots import Slots
from phida.serve.trail import Column, Trail

#: The most that is drawn of each: the strongest, shortest or latest.
NODES, EDGES, MODES, CLUSTERS, EVENTS = 2048, 3000, 300, 100, 40

#: Features shown per cluster, and named per axis of the map.
_TELLING, _AXIS_FEATURES = 3, 3


class Sketcher:
    """Makes snapshots of one stream, with stable axes and colours."""

    def __init__(self, trail: Trail, facts: dict[str, object]) -> None:
        """``facts``: values that are part of every snapshot."""
        self._facts = facts
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
        facts |= {"rate": number(rate), "samples": 0, "clusters": [], "nodes": None}
        if moment is not None:
            facts |= _counts(moment) | self._clusters(moment) | self._nodes(moment) | _modes(moment) | _events(moment)
        text = _json(facts)
        if facts["samples"] != self._samples:
            self._trail.offer(_column(facts, text))
            self._samples = facts["samples"]
        return Snapshot(self._number, facts, text.encode())

    def _clusters(self, moment: Moment) -> dict[str, Any]:
        profile = moment.profile
        largest = np.argsort(-profile.share, kind="stable")[:CLUSTERS].tolist()
        slots = self._slots.choose([int(profile.id[at]) for at in largest], self._trail.ids())
        clusters = [
            {
                "label": int(profile.label[at]),
                "id": int(profile.id[at]),
                "slot": slots[int(profile.id[at])],
                "nodes": int(profile.nodes[at]),
                "rows": int(profile.rows[at]),
                "share": round(float(profile.share[at]), 5),
                "telling": moment.telling(at, _TELLING),
            }
            for at in largest
        ]
        return {"clusters": clusters}

    def _nodes(self, moment: Moment) -> dict[str, Any]:
        nodes = moment.model.nodes_
        drawn = np.sort(np.argsort(-nodes.support, kind="stable")[:NODES])
        place = np.full(len(nodes), -1)
        place[drawn] = np.arange(len(drawn))
        projection = self._axes.turned(Projection.of(moment.model))
        at = projection.transform(nodes.representatives[drawn])
        source, target = (place[ends] for ends in node_edges(moment.model))
        edges = np.flatnonzero((source >= 0) & (target >= 0))[:EDGES]
        return {
            "nodes": {
                "id": nodes.id[drawn].tolist(),
                "x": [number(x) for x in at[:, 0]],
                "y": [number(y) for y in at[:, 1]],
                "rows": nodes.rows[drawn].tolist(),
                "support": [round(s, 1) for s in nodes.support[drawn].tolist()],
                "active": [int(a) for a in nodes.active[drawn]],
                "cluster": _named(nodes.cluster_id[drawn]),
            },
            "edges": [source[edges].tolist(), target[edges].tolist()],
            "axes": [_axis_name(axis, moment.features) for axis in projection.axes],
        }


def _axis_name(axis: NDArray[np.float64], features: tuple[str, ...]) -> str:
    """The features that an axis goes along most, with a minus where it goes against them; empty for no direction."""
    strongest = np.argsort(-np.abs(axis), kind="stable")[:_AXIS_FEATURES]
    most = float(np.abs(axis[strongest[0]]))
    return ", ".join(
        f"{'−' if axis[j] < 0 else ''}{features[j]}" for j in strongest.tolist() if abs(axis[j]) > 0.3 * most
    )


def _named(ids: NDArray[np.int64]) -> list[int | None]:
    return [id if id >= 0 else None for id in ids.tolist()]


def _clarity(clarity: CutClarity | DensityClarity) -> dict[str, Any]:
    """Its numbers by name, and all of it in words."""
    return {name: number(value) for name, value in asdict(clarity).items()} | {"text": str(clarity)}


def _counts(moment: Moment) -> dict[str, Any]:
    model = moment.model
    return {
        "samples": model.n_samples_seen_,
        "n_features": len(moment.features),
        "n_nodes": model.n_nodes_,
        "n_clusters": model.n_clusters_,
        "n_ids": len(moment.profile.id),
        "leaves": model.hierarchy_.leaves,
        "fades": model.get_params().get("half_life") is not None,
        # Figures of the published method; None in PHIDA+.
        "n_active_nodes": getattr(model, "n_active_nodes_", None),
        "n_components": getattr(model, "n_components_", None),
        "vigilance": number(getattr(model, "vigilance_", None)),
        "interval": getattr(model, "interval_", None),
        "clarity": _clarity(model.cut_clarity_),
    }


def _modes(moment: Moment) -> dict[str, Any]:
    """The persistence diagram; a death of None is that of a mode that never met a denser one.

    In PHIDA+, where each mode has its own threshold, ``ratio`` is its persistence in units of it.
    """
    modes, nodes = moment.model.persistence_, moment.model.nodes_
    threshold = modes.threshold
    ratio = None if isinstance(threshold, float) else modes.persistence / threshold
    drawn = np.argsort(-(modes.persistence if ratio is None else ratio), kind="stable")[:MODES]
    return {
        "modes": {
            "node": nodes.id[modes.node[drawn]].tolist(),
            "birth": [number(b) for b in modes.birth[drawn]],
            "death": [number(d) for d in modes.death[drawn]],
            "cluster": _named(nodes.cluster_id[modes.node[drawn]]),
            "threshold": number(threshold) if isinstance(threshold, float) else None,
            "ratio": None if ratio is None else [number(r) for r in ratio[drawn]],
        }
    }


def _events(moment: Moment) -> dict[str, Any]:
    lineage = moment.model.lineage_
    latest = [lineage[i] for i in range(max(0, len(lineage) - EVENTS), len(lineage))]
    shown = [
        {
            "number": e.number,
            "kind": e.kind,
            "sample": e.sample,
            "confirmed": e.confirmed,
            "before": list(e.before),
            "after": list(e.after),
        }
        for e in latest
    ]
    return {"events": shown, "n_events": len(lineage) + lineage.n_dropped}


def _column(facts: dict[str, Any], text: str) -> Column:
    clusters = facts["clusters"]
    part = {key: facts[key] for key in ("number", "time", "samples", "rate", "vigilance", "n_nodes", "n_clusters")}
    part["bands"] = [[cluster["id"], cluster["slot"], cluster["share"], cluster["rows"]] for cluster in clusters]
    return Column(facts["number"], {cluster["id"] for cluster in clusters}, _json(part), text.encode())


def _json(facts: Any) -> str:
    return json.dumps(facts, separators=(",", ":"), allow_nan=False)
