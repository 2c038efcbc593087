"""The contents of the report, as plain text and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phida.answers.profile import Profile, strongest_node
from phida.report.data import DataSummary

#: Events that are listed, the latest first, and features that are named per cluster.
_EVENTS, _TELLING = 40, 4

#: Merges of modes that an explanation names.
_DEATHS = 3


@dataclass(frozen=True)
class Cluster:
    """A row of the table of clusters."""

    id: int
    nodes: int
    learned: int
    """Number of rows that the cluster received during learning."""
    learned_share: float
    rows: int
    """Number of rows of the data."""
    row_share: float
    telling: tuple[tuple[str, float, float], ...]
    """Feature, centre, standard deviations from the mean."""
    main_class: tuple[str, float] | None


@dataclass(frozen=True)
class Contents:
    """The contents of the report, without its pictures."""

    title: str
    facts: dict[str, str]
    data: dict[str, str]
    clusters: tuple[Cluster, ...]
    has_classes: bool
    labels: str
    """Which label the data's rows have for each id; empty where the two are the same."""
    closest: tuple[int, int] | None
    """Ids of the two clusters that are closest to being one."""
    explanation: tuple[str, ...]
    """Why they are separate, in sentences that name nodes by id."""
    events: tuple[str, ...]
    """Events of clusters, the latest first."""
    n_events: int


def contents(model: Any, data: DataSummary, title: str) -> Contents:
    """Read a fitted model; ``data`` counts rows under the same model."""
    profile = Profile.of(model)
    pair = closest_clusters(model, profile)
    events = list(model.lineage_)
    return Contents(
        title=title,
        facts=_facts(model, len(profile.id)),
        data=_data_facts(data, len(profile.id)),
        clusters=tuple(_clusters(profile, data)),
        has_classes=bool(data.classes),
        labels=_labels(model),
        closest=pair,
        explanation=() if pair is None else _explained(model, *pair),
        events=tuple(map(str, reversed(events[-_EVENTS:]))),
        n_events=len(events) + model.lineage_.n_dropped,
    )


def _labels(model: Any) -> str:
    ids = [int(id) for id in model.cluster_ids_]
    if ids == list(range(len(ids))):
        return ""
    return ", ".join(f"{label} for {id}" for label, id in enumerate(ids))


def _explained(model: Any, a: int, b: int) -> tuple[str, ...]:
    """Explain why two clusters are separate, by their strongest nodes."""
    nodes = model.nodes_
    why = model.explain(strongest_node(nodes, a), strongest_node(nodes, b), kind="node")
    return tuple(why.sentences(lambda node: f"node {nodes.id[node]}", _DEATHS))


def closest_clusters(model: Any, profile: Profile) -> tuple[int, int] | None:
    """Ids of the two clusters that the first merge beyond the cut would join; else of the two nearest centres."""
    found = model.hierarchy_
    if found.level < len(found.merge_height):
        labels = found.cluster[[found.merge_into[found.level], found.merge_from[found.level]]]
        first, second = sorted(model.cluster_ids_[labels].tolist())
        if first != second:  # else they are one cluster until a split is confirmed
            return first, second
    if len(profile.id) < 2:
        return None
    a, b = np.unravel_index(np.argmin(profile.distances(model.assignment_view_)), (len(profile.id),) * 2)
    return int(profile.id[min(a, b)]), int(profile.id[max(a, b)])


def _facts(model: Any, n_ids: int) -> dict[str, str]:
    facts = {
        "rows learned": f"{model.n_samples_seen_:,}",
        "features": f"{model.n_features_in_:,}",
        "clusters": f"{model.n_clusters_:,}",
    }
    if n_ids != model.n_clusters_:
        facts["confirmed clusters"] = f"{n_ids:,}"
    if model.hierarchy_.leaves == "component":
        facts["components"] = f"{model.n_components_:,}"
        facts["nodes"] = f"{model.n_nodes_:,} ({model.n_active_nodes_:,} active)"
        facts["vigilance"] = f"{model.vigilance_:.4f}, adjusted every {model.interval_:,} rows"
    else:
        facts["nodes"] = f"{model.n_nodes_:,}"
    return facts | {"cut clarity": f"{model.cut_clarity_}; clarity 0 is a toss-up, 1 beyond doubt"}


def _data_facts(data: DataSummary, n_clusters: int) -> dict[str, str]:
    share = data.unusual / data.rows if data.rows else 0.0
    facts = {"rows": f"{data.rows:,}", "clusters met": f"{len(data.count):,} of {n_clusters:,}"}
    facts["unusual rows"] = (
        f"{data.unusual:,} ({100 * share:.1f} %), which fit worse than 99 % of the latest rows learned"
    )
    if data.bad_rows:
        facts["bad rows"] = f"{data.bad_rows:,}, skipped"
    return facts | {f"{name.upper()} against the label": f"{value:.3f}" for name, value in data.scores.items()}


def _clusters(profile: Profile, data: DataSummary) -> list[Cluster]:
    rows = max(data.rows, 1)
    return [
        Cluster(
            id=int(profile.id[at]),
            nodes=int(profile.nodes[at]),
            learned=int(profile.rows[at]),
            learned_share=float(profile.share[at]),
            rows=data.count[int(profile.id[at])],
            row_share=data.count[int(profile.id[at])] / rows,
            telling=tuple(
                (profile.feature_names[j], float(profile.center[at, j]), float(profile.deviations[at, j]))
                for j in profile.telling(at, _TELLING)
            ),
            main_class=data.main_class(int(profile.id[at])),
        )
        for at in np.argsort(-profile.share, kind="stable").tolist()
    ]
