"""Details of a clicked cluster or node, with explanations."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida._serve.moment import Moment, number
from phida.answers.explanation import DensityExplanation, Explanation
from phida.answers.profile import telling

#: Maximum number of features of a profile or record.
_FEATURES = 40

#: Maximum numbers of example rows of a cluster, and of features of each.
_EXAMPLES, _SHOWN = 3, 6

#: Maximum number of modes named in an explanation.
_DEATHS = 4


class UnknownError(LookupError):
    """A cluster or node that no longer exists."""


def cluster(moment: Moment, name: str, other: str | None) -> dict[str, Any]:
    """Return the profile of a cluster, and why it is separate from another (default: the nearest)."""
    at = _position(moment, name)
    nodes, clusters = moment.model.nodes_, moment.clusters
    id = int(clusters.profile.id[at])
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "name": name,
        "label": int(clusters.profile.label[at]),
        "nodes": int(clusters.profile.nodes[at]),
        "components": _n_components(moment, nodes.cluster == clusters.profile.label[at]),
        "rows": int(clusters.profile.rows[at]),
        "share": number(float(clusters.profile.share[at])),
        "profile": moment.telling(at, _FEATURES),
        "n_features": len(moment.features),
        "examples": _examples(moment, at),
        "events": [
            {"kind": e.kind, "sample": e.sample, "before": list(e.before), "after": list(e.after)}
            for e in sorted(moment.model.lineage_, key=lambda e: (e.sample, e.number))
            if id in e.before or id in e.after
        ][-6:],
    }
    if len(clusters) > 1 or other is not None:
        against = None if other is None else int(clusters.profile.label[_position(moment, other)])
        why = moment.model.explain(facts["label"], against, kind="cluster")
        place = int(clusters.place[why.b.cluster])
        facts["other"], facts["other_name"] = int(clusters.profile.id[place]), clusters.names[place]
        # The page names clusters by their ids, an explanation by their labels.
        sides = [replace(why.a, what=f"cluster {name}"), replace(why.b, what=f"cluster {clusters.names[place]}")]
        told = _told(moment, replace(why, a=sides[0], b=sides[1]))
        facts["explanation"] = [*_unconfirmed(name, id), *told]
    return facts


def node(moment: Moment, id: int) -> dict[str, Any]:
    """Return the record of a node, and why it shares a cluster with the mode of its component or the strongest node."""
    nodes = moment.model.nodes_
    found = np.flatnonzero(nodes.id == id)
    if len(found) == 0:
        raise UnknownError(f"node {id} no longer exists; it was merged with another node or removed.")
    at = int(found[0])
    component, label = int(nodes.component[at]), int(nodes.cluster[at])
    facts: dict[str, Any] = {
        "samples": moment.model.n_samples_seen_,
        "id": id,
        "birth": int(nodes.birth[at]),
        "rows": int(nodes.rows[at]),
        "support": round(float(nodes.support[at]), 1),
        "scale": number(float(nodes.scale[at])),
        "active": bool(nodes.active[at]),
        "component": component if component >= 0 else None,
        "terms": asdict(moment.terms),
        "cluster": int(moment.model.cluster_ids_[label]) if label >= 0 else None,
        "name": moment.clusters.names[moment.clusters.place[label]] if label >= 0 else None,
        "features": [
            {"feature": moment.feature(j), "value": number(value)}
            for j, value in enumerate(nodes.representatives[at, :_FEATURES])
        ],
        "n_features": len(moment.features),
    }
    if nodes.cluster[at] >= 0:
        mode = _mode(moment, at)
        if mode != at:
            facts["other"] = int(nodes.id[mode])
            facts["explanation"] = _told(moment, moment.model.explain(at, mode, kind="node"))
    return facts


def _examples(moment: Moment, cluster: int) -> list[dict[str, Any]]:
    """Return rows that a cluster won, with its most distinctive features; empty in PHIDA, which keeps no rows."""
    found = getattr(moment.model, "examples_", None)
    if found is None:
        return []
    features = telling(moment.clusters.profile.deviations[cluster], _SHOWN).tolist()
    kept = np.flatnonzero(found.cluster == moment.clusters.profile.label[cluster])[:_EXAMPLES].tolist()
    return [
        {
            "row": int(found.row[i]) if found.row[i] >= 0 else None,
            "values": [{"feature": moment.feature(j), "value": number(found.values[i, j])} for j in features],
        }
        for i in kept
    ]


def _n_components(moment: Moment, members: NDArray[np.bool_]) -> int | None:
    """Return the number of PH components of a cluster, or None if clusters consist of single nodes."""
    if not moment.terms.components:
        return None
    return len(set(moment.model.nodes_.component[members].tolist()))


def _mode(moment: Moment, node: int) -> int:
    """Return the mode of a node's component, or its cluster's strongest node if nodes are leaves."""
    nodes, hierarchy = moment.model.nodes_, moment.model.hierarchy_
    if moment.terms.components:
        return int(hierarchy.mode[hierarchy.leaf[node]])
    return int(np.argmax(np.where(nodes.cluster == nodes.cluster[node], nodes.support, -1)))


def _told(moment: Moment, why: Explanation | DensityExplanation) -> list[str]:
    """Return the sentences of an explanation, naming nodes by their ids as the page does."""
    ids = moment.model.nodes_.id
    return why.sentences(lambda node: f"node {ids[node]}", _DEATHS)


def _unconfirmed(name: str, id: int) -> list[str]:
    """Return a sentence about a cluster that shares its id with a larger one."""
    return [] if name == str(id) else [f"Its split from cluster {id} is not confirmed; its rows have the id {id}."]


def _position(moment: Moment, name: str) -> int:
    try:
        return moment.clusters.names.index(name)
    except ValueError:
        raise UnknownError(f"cluster {name} no longer exists; it died or was merged into another cluster.") from None
