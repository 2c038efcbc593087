"""Summary of a fitted model in HTML, for notebooks."""

from __future__ import annotations

from typing import Any

from phida import _html
from phida.answers.clusters import ClusterList


def summary_html(model: Any) -> str:
    """Return the number of clusters of a fitted model, and a table of the largest."""
    clusters = ClusterList.of(model)
    head = ["cluster", "id", "rows", "share", "most distinctive features"]
    rows = [
        [str(one.cluster), str(one.id), f"{one.rows:,}", f"{one.share:.1%}", ", ".join(map(str, one.telling))]
        for one in clusters.listed
    ]
    count, nodes = model.n_clusters_, model.n_nodes_
    caption = (
        f"{count:,} cluster{'' if count == 1 else 's'} of {model.n_samples_seen_:,} rows learned, "
        f"{nodes:,} node{'' if nodes == 1 else 's'}"
    )
    return _html.table(head, rows, caption=caption, more=clusters.more)
