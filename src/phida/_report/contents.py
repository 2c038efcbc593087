"""The contents of the report, as plain text and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phida._report.data import DataSummary
from phida.answers.clusters import Cluster, ClusterList
from phida.answers.summary import Summary

#: Listed events, the latest first.
_EVENTS = 40

#: Merges of modes named by an explanation.
_DEATHS = 3


@dataclass(frozen=True)
class Row:
    """A row of the table of clusters."""

    found: Cluster
    """The cluster, with the same facts as in other lists."""
    rows: int
    """Number of rows of the data."""
    row_share: float
    main_class: tuple[str, float] | None


@dataclass(frozen=True)
class Contents:
    """The contents of the report, without its pictures."""

    title: str
    facts: dict[str, str]
    data: dict[str, str]
    clusters: tuple[Row, ...]
    more: str
    """Text with the number of clusters that are not listed; empty for none."""
    has_classes: bool
    ids_differ: bool
    """Whether an id differs from its label."""
    closest: tuple[int, int] | None
    """Labels of the two clusters that are closest to being one."""
    explanation: tuple[str, ...]
    """Why they are separate, in sentences."""
    advice: tuple[str, ...]
    events: tuple[str, ...]
    """Events of clusters, the latest first."""
    n_events: int


def contents(model: Any, data: DataSummary, title: str) -> Contents:
    """Read a fitted model; ``data`` counts rows under the same model."""
    summary = Summary.of(model)
    why = summary.closest
    events = list(model.lineage_)
    return Contents(
        title=title,
        facts=_facts(model),
        data=_data_facts(data, len(summary.clusters)),
        clusters=tuple(_rows(summary.clusters, data)),
        more=summary.clusters.more,
        has_classes=bool(data.classes),
        ids_differ=summary.clusters.ids_differ,
        closest=None if why is None else (why.a.cluster, why.b.cluster),
        explanation=() if why is None else tuple(why.sentences(most_deaths=_DEATHS)),
        advice=tuple(summary.advice()),
        events=tuple(map(str, reversed(events[-_EVENTS:]))),
        n_events=len(events) + model.lineage_.n_dropped,
    )


def _facts(model: Any) -> dict[str, str]:
    facts = {
        "rows learned": f"{model.n_samples_seen_:,}",
        "features": f"{model.n_features_in_:,}",
        "clusters": f"{model.n_clusters_:,}",
    }
    if model.hierarchy_.leaves == "component":
        facts["components"] = f"{model.n_components_:,}"
        facts["nodes"] = f"{model.n_nodes_:,} ({model.n_active_nodes_:,} active)"
        facts["vigilance"] = f"{model.vigilance_:.4f}, adjusted every {model.interval_:,} rows"
    else:
        facts["nodes"] = f"{model.n_nodes_:,}"
    return facts | {"number of clusters": str(model.cut_clarity_)}


def _data_facts(data: DataSummary, n_clusters: int) -> dict[str, str]:
    share = data.unusual / data.rows if data.rows else 0.0
    facts = {"rows": f"{data.rows:,}", "clusters met": f"{len(data.count):,} of {n_clusters:,}"}
    facts["unusual rows"] = (
        f"{data.unusual:,} ({100 * share:.1f} %), which fit worse than 99 % of the latest rows learned"
    )
    if data.bad_rows:
        facts["bad rows"] = f"{data.bad_rows:,}, skipped"
    return facts | {f"{name.upper()} against the label": f"{value:.3f}" for name, value in data.scores.items()}


def _rows(clusters: ClusterList, data: DataSummary) -> list[Row]:
    rows = max(data.rows, 1)
    return [
        Row(found, data.count[found.cluster], data.count[found.cluster] / rows, data.main_class(found.cluster))
        for found in clusters.listed
    ]
