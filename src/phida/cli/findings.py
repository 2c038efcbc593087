"""A summary of the clusters that a model found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phida import records
from phida.answers.clarity import CutClarity, cut_clarity
from phida.answers.profile import deviations, rows_won, telling
from phida.streams.model import StreamModel

#: Clusters and features per cluster that are named.
_CLUSTERS, _TELLING = 8, 3

#: Below this clarity, the number of clusters is uncertain.
_CLOSE_CALL = 0.1


def facts(model: StreamModel) -> dict[str, Any]:
    """Return the findings as plain values."""
    reading = model.reading()
    persistence = records.Persistence(**reading.persistence())
    clarity = cut_clarity(persistence, records.Hierarchy(**reading.hierarchy()), reading.n_components)
    names = model.names or tuple(f"feature {i}" for i in range(len(reading.moments()["mean"])))
    centers = reading.cluster_centers()
    away = deviations(centers, records.Moments(**reading.moments()))
    sizes, ids = rows_won(reading), reading.cluster_ids()
    clusters = [
        {
            "cluster": cluster,
            "id": int(ids[cluster]),
            "rows": int(sizes[cluster]),
            "share": float(sizes[cluster] / sizes.sum()),
            "telling": [
                {"feature": names[j], "center": float(centers[cluster, j]), "deviations": float(away[cluster, j])}
                for j in telling(away[cluster], _TELLING)
            ],
        }
        for cluster in (-sizes).argsort(kind="stable").tolist()
    ]
    sure = clarity.hierarchy if isinstance(clarity, CutClarity) else clarity.clarity
    return {"clarity": sure, "decided": str(clarity), "found": clusters}


def sentences(found: dict[str, Any]) -> list[str]:
    """Return the findings as sentences: clusters, their distinctive features, the clarity, and warnings."""
    clusters: Sequence[dict[str, Any]] = found["found"]
    if len(clusters) == 1:
        return ["warning: the rows show no clear structure; they form one cluster."]
    with_ids = any(cluster["id"] != cluster["cluster"] for cluster in clusters)
    numbers = ", numbered as by phida predict, with the ids of phida inspect" if with_ids else ""
    lines = [f"{len(clusters)} clusters{numbers}:"]
    for cluster in clusters[:_CLUSTERS]:
        apart = ", ".join(
            f"{t['feature']} {'high' if t['deviations'] > 0 else 'low'} ({t['center']:.4g}, {t['deviations']:+.1f} sd)"
            for t in cluster["telling"]
        )
        name = f"cluster {cluster['cluster']}" + (f", id {cluster['id']}" if with_ids else "")
        lines.append(f"  {name} ({_percent(cluster['share'])}): {apart}")
    if len(clusters) > _CLUSTERS:
        rest = sum(cluster["share"] for cluster in clusters[_CLUSTERS:])
        lines.append(f"  and {len(clusters) - _CLUSTERS} more ({_percent(rest)} together); phida inspect lists them")
    sure = found["clarity"]
    if sure is not None:
        lines.append(f"clarity {sure:.2f}: how clear the number of clusters is, from 0 (a toss-up) to 1 (certain)")
        if sure < _CLOSE_CALL:
            lines.append("warning: the number of clusters is uncertain; the rows show no clear structure.")
    return lines


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"
