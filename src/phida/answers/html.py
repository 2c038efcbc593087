"""Summary of a fitted model in HTML, for notebooks."""

from __future__ import annotations

from typing import Any

from phida import _html
from phida.answers.clusters import ClusterList


def summary_html(model: Any) -> str:
    """Return the number of clusters and a table of the largest.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        A fitted model.

    Returns
    -------
    html : str
    """
    head, rows, more = cluster_lines(model)
    count, nodes = model.n_clusters_, model.n_nodes_
    caption = (
        f"{count:,} cluster{'' if count == 1 else 's'} of {model.n_samples_seen_:,} rows learned, "
        f"{nodes:,} node{'' if nodes == 1 else 's'}"
    )
    return _html.table(head, rows, caption=caption, more=more)


def cluster_lines(model: Any) -> tuple[list[str], list[list[str]], str]:
    """Return the head and the rows of the list of clusters, and a sentence about unlisted ones."""
    clusters = ClusterList.of(model)
    lines = [
        [str(one.cluster), str(one.id), f"{one.rows:,}", f"{one.share:.1%}", ", ".join(map(str, one.telling))]
        for one in clusters.listed
    ]
    return ["cluster", "id", "rows", "share", "most distinctive features"], lines, clusters.more
