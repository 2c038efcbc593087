"""Details of a clicked cluster or node, with explanations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida.answers.explanation import DensityExplanation, Explanation
from phida.answers.profile import strongest_node
from phida.serve.moment import Moment, number

#: Features of a profile or a record, at most.
_FEATURES = 40

#: Modes named in an explanation, at most.
_DEATHS = 4


#: Said of two ids whose nodes the latest mapping has in one cluster.
_ABOUT_TO_MERGE = "The model has them in one cluster now; both ids stay until the merge is confirmed."


class UnknownError(LookupError):
    """A cluster or node that no longer exists."""


def cluster(moment: Moment, id: int, other: int | None) -> dict[str, Any]:
    """Return the profile of a cluster, and why it is separate from another (default: the nearest)."""
    at = _position(moment, id)
    nodes, profile = moment.model.nodes_, moment.profile
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "nodes": int(profile.nodes[at]),
        "components": _n_components(moment, nodes.cluster_id == id),
        "rows": int(profile.rows[at]),
        "share": number(float(profile.share[at])),
        "profile": moment.telling(at, _FEATURES),
        "n_features": len(moment.features),
        "events": [
            {"kind": e.kind, "sample": e.sample, "before": list(e.before), "after": list(e.after)}
            for e in moment.model.lineage_
            if id in e.before or id in e.after
        ][-6:],
    }
    against = _nearest(moment, at) if other is None else _position(moment, other)
    if against is not None:
        facts["other"] = int(profile.id[against])
        ours, theirs = strongest_node(nodes, id), strongest_node(nodes, facts["other"])
        one = [_ABOUT_TO_MERGE] if nodes.cluster[ours] == nodes.cluster[theirs] else []
        facts["explanation"] = [*one, *_told(moment, moment.model.explain(ours, theirs, kind="node"))]
    return facts


def node(moment: Moment, id: int) -> dict[str, Any]:
    """Return the record of a node, and why it shares a cluster with the mode of its component or the strongest node."""
    nodes = moment.model.nodes_
    found = np.flatnonzero(nodes.id == id)
    if len(found) == 0:
        raise UnknownError(f"node {id} no longer exists; it was merged with another node or removed.")
    at = int(found[0])
    component, cluster_id = int(nodes.component[at]), int(nodes.cluster_id[at])
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "birth": int(nodes.birth[at]),
        "rows": int(nodes.rows[at]),
        "support": round(float(nodes.support[at]), 1),
        "scale": number(float(nodes.scale[at])),
        "active": bool(nodes.active[at]),
        "component": component if component >= 0 else None,
        "leaves": moment.model.hierarchy_.leaves,
        "cluster": cluster_id if cluster_id >= 0 else None,
        "features": [
            {"feature": name, "value": number(value)}
            for name, value in zip(moment.features[:_FEATURES], nodes.representatives[at], strict=False)
        ],
        "n_features": len(moment.features),
    }
    if nodes.cluster[at] >= 0:
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


def _told(moment: Moment, why: Explanation | DensityExplanation) -> list[str]:
    """An explanation in sentences that name nodes as the page does, by their ids."""
    ids = moment.model.nodes_.id
    return why.sentences(lambda node: f"node {ids[node]}", _DEATHS)


def _position(moment: Moment, id: int) -> int:
    found = np.flatnonzero(moment.profile.id == id)
    if len(found) == 0:
        raise UnknownError(f"cluster {id} no longer exists; it died or was merged into another cluster.")
    return int(found[0])


def _nearest(moment: Moment, cluster: int) -> int | None:
    """The other cluster whose centre is nearest, in the metric of prediction."""
    if len(moment.profile.id) < 2:
        return None
    return int(np.argmin(moment.profile.distances(moment.model.assignment_view_)[cluster]))
