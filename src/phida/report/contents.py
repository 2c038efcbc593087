"""What the page tells, as plain text and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phida.answers.profile import Profile
from phida.report.data import DataSummary

#: Events that are listed, the latest first, and features that are named per cluster.
_EVENTS, _TELLING = 40, 4

#: Merges of modes that an explanation names.
_DEATHS = 3


@dataclass(frozen=True)
class Cluster:
    """A row of the table of clusters."""

    id: int
    label: int
    nodes: int
    support: float
    share: float
    rows: int
    row_share: float
    telling: tuple[tuple[str, float, float], ...]
    """Feature, centre, standard deviations from the mean."""
    main_class: tuple[str, float] | None


@dataclass(frozen=True)
class Contents:
    """All that is on the page but its pictures."""

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
    """Why they are two, in sentences that name nodes by their ids."""
    events: tuple[str, ...]
    """What happened to clusters, the latest first."""
    n_events: int


def contents(model: Any, data: DataSummary, title: str) -> Contents:
    """Read a fitted model; ``data`` counts rows under the same model."""
    pair = closest_clusters(model)
    events = list(model.lineage_)
    return Contents(
        title=title,
        facts=_facts(model),
        data=_data_facts(data),
        clusters=tuple(_clusters(model, data)),
        has_classes=any(data.classes),
        labels=_labels(model),
        closest=None if pair is None else (int(model.cluster_ids_[pair[0]]), int(model.cluster_ids_[pair[1]])),
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
    ids = model.nodes_.id
    return tuple(model.explain(a, b, kind="cluster").sentences(lambda node: f"node {ids[node]}", _DEATHS))


def closest_clusters(model: Any) -> tuple[int, int] | None:
    """The two clusters that the first merge beyond the cut would join; where there is none, the nearest centres."""
    found = model.hierarchy_
    if found.level < len(found.merge_height):
        pair = found.cluster[[found.merge_into[found.level], found.merge_from[found.level]]]
        return int(pair.min()), int(pair.max())
    centers = model.cluster_centers_ / model.assignment_view_.denominator
    if len(centers) < 2:
        return None
    squares = (centers**2).sum(axis=1)
    distance = squares[:, None] + squares - 2 * centers @ centers.T
    distance[np.tril_indices(len(centers))] = np.inf
    first, second = np.unravel_index(np.argmin(distance), distance.shape)
    return int(first), int(second)


def _facts(model: Any) -> dict[str, str]:
    components = {"components": f"{model.n_components_:,}"} if model.hierarchy_.leaves == "component" else {}
    return {
        "rows learned": f"{model.n_samples_seen_:,}",
        "features": f"{model.n_features_in_:,}",
        **{name: f"{count:,}" for name, count in model._counts().items()},
        **components,
        "nodes": f"{model.n_nodes_:,} ({model.n_active_nodes_:,} active)",
        "vigilance": f"{model.vigilance_:.4f}, adjusted every {model.interval_:,} rows",
        "cut clarity": f"{model.cut_clarity_}; clarity 0 is a toss-up, 1 beyond doubt",
    }


def _data_facts(data: DataSummary) -> dict[str, str]:
    share = data.unusual / data.rows if data.rows else 0.0
    facts = {"rows": f"{data.rows:,}", "clusters met": f"{int((data.count > 0).sum()):,} of {len(data.count):,}"}
    facts["unusual rows"] = (
        f"{data.unusual:,} ({100 * share:.1f} %), which fit worse than 99 % of the latest rows learned"
    )
    if data.bad_rows:
        facts["bad rows"] = f"{data.bad_rows:,}, left out"
    return facts | {f"{name.upper()} against the label": f"{value:.3f}" for name, value in data.scores.items()}


def _clusters(model: Any, data: DataSummary) -> list[Cluster]:
    profile, nodes = Profile.of(model), model.nodes_
    total, rows = profile.support.sum(), max(data.rows, 1)
    return [
        Cluster(
            id=int(profile.id[label]),
            label=label,
            nodes=int((nodes.cluster == label).sum()),
            support=float(profile.support[label]),
            share=float(profile.support[label] / total),
            rows=int(data.count[label]),
            row_share=float(data.count[label] / rows),
            telling=tuple(
                (profile.feature_names[j], float(profile.center[label, j]), float(profile.deviations[label, j]))
                for j in profile.telling(label, _TELLING)
            ),
            main_class=data.main_class(label),
        )
        for label in np.argsort(-profile.support, kind="stable").tolist()
    ]
