"""What a click shows: a cluster's profile, a node's record, and why they are apart or together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida.answers.explanation import Explanation, FlowExplanation
from phida.serve.moment import Moment, number

#: Features of a profile or a record, at most.
_FEATURES = 40

#: Modes named in an explanation, at most.
_DEATHS = 4


class UnknownError(LookupError):
    """There is no such cluster or node any more."""


def cluster(moment: Moment, id: int, other: int | None) -> dict[str, Any]:
    """Profile of a cluster, and what keeps it apart from another: the nearest, if none is named."""
    label = _label(moment, id)
    nodes = moment.model.nodes_
    members = nodes.cluster == label
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "nodes": int(members.sum()),
        "components": _n_components(moment, members),
        "support": round(float(moment.profile.support[label]), 1),
        "share": number(float(moment.model.assignment_view_.support_share[label])),
        "profile": moment.telling(label, _FEATURES),
        "n_features": len(moment.features),
        "events": [
            {"kind": e.kind, "sample": e.sample, "before": list(e.before), "after": list(e.after)}
            for e in moment.model.lineage_
            if id in e.before or id in e.after
        ][-6:],
    }
    against = _nearest(moment, label) if other is None else _label(moment, other)
    if against is not None:
        facts["other"] = moment.ids[against]
        facts["explanation"] = _told(moment, moment.model.explain(label, against, kind="cluster"))
    return facts


def node(moment: Moment, id: int) -> dict[str, Any]:
    """Record of a node, and why it is in one cluster with the mode of its component, or with the strongest node."""
    nodes = moment.model.nodes_
    found = np.flatnonzero(nodes.id == id)
    if len(found) == 0:
        raise UnknownError(f"there is no node {id} any more; it was merged with another or removed.")
    at = int(found[0])
    component, label = int(nodes.component[at]), int(nodes.cluster[at])
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "birth": int(nodes.birth[at]),
        "support": round(float(nodes.support[at]), 1),
        "scale": number(float(nodes.scale[at])),
        "active": bool(nodes.active[at]),
        "component": component if component >= 0 else None,
        "leaves": moment.model.hierarchy_.leaves,
        "cluster": moment.ids[label] if label >= 0 else None,
        "features": [
            {"feature": name, "value": number(value)}
            for name, value in zip(moment.features[:_FEATURES], nodes.representatives[at], strict=False)
        ],
        "n_features": len(moment.features),
    }
    if label >= 0:
        mode = _mode(moment, at)
        if mode != at:
            facts["other"] = int(nodes.id[mode])
            facts["explanation"] = _told(moment, moment.model.explain(at, mode, kind="node"))
    return facts


def _n_components(moment: Moment, members: NDArray[np.bool_]) -> int | None:
    """PH components of a cluster; None where clusters are made of single nodes."""
    if moment.model.hierarchy_.leaves == "node":
        return None
    return len(set(moment.model.nodes_.component[members].tolist()))


def _mode(moment: Moment, node: int) -> int:
    """What a node is compared with: the mode of its component; its cluster's strongest node where nodes are leaves."""
    nodes, hierarchy = moment.model.nodes_, moment.model.hierarchy_
    if hierarchy.leaves == "component":
        return int(hierarchy.mode[hierarchy.leaf[node]])
    return int(np.argmax(np.where(nodes.cluster == nodes.cluster[node], nodes.support, -1)))


def _told(moment: Moment, why: Explanation | FlowExplanation) -> list[str]:
    """An explanation in sentences that name nodes as the page does, by their ids."""
    ids = moment.model.nodes_.id
    return why.sentences(lambda node: f"node {ids[node]}", _DEATHS)


def _label(moment: Moment, id: int) -> int:
    if id not in moment.ids:
        raise UnknownError(f"there is no cluster {id} any more; it died or went into another.")
    return moment.ids.index(id)


def _nearest(moment: Moment, label: int) -> int | None:
    """The other cluster to which the centre of this one is nearest, as prediction measures it."""
    if len(moment.ids) < 2:
        return None
    distances = moment.model.transform(moment.model.cluster_centers_[[label]])[0].copy()
    distances[label] = np.inf
    return int(np.argmin(distances))
