"""Summary of a fitted model in HTML, for notebooks."""

from __future__ import annotations

from typing import Any

import numpy as np

from phida import _html
from phida.answers.profile import deviations, rows_won, telling

#: Clusters that are listed; the others are counted.
_LISTED = 10


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
    """Return the head and the lines of a list of the largest clusters, and a sentence about the others."""
    reading = model._snapshot().reading
    nodes = model.nodes_
    rows, inside = rows_won(reading), nodes.cluster >= 0
    whole = np.issubdtype(nodes.support.dtype, np.integer)
    size = rows if whole else np.bincount(nodes.cluster[inside], nodes.support[inside], len(rows))
    share = size / size.sum()
    away = deviations(model.cluster_centers_, model.moments_)
    names = nodes.feature_names or tuple(f"feature {j}" for j in range(away.shape[1]))
    order = np.argsort(-share, kind="stable")
    lines = [
        [
            str(label),
            str(model.cluster_ids_[label]),
            f"{rows[label]:,}",
            f"{share[label]:.1%}",
            ", ".join(f"{names[j]} {away[label, j]:+.1f} sd" for j in telling(away[label], 3)),
        ]
        for label in order[:_LISTED].tolist()
    ]
    rest = order[_LISTED:]
    more = f"and {len(rest):,} more ({share[rest].sum():.1%} of the rows)" if len(rest) else ""
    return ["cluster", "id", "rows", "share", "most distinctive features"], lines, more
