"""Assignment of new samples from the assignment view alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .distance import distances_to_rows
from .transform import Transform


@dataclass
class AssignmentView:
    rows: np.ndarray  # (n, d) raw representatives of the mapped nodes
    support: np.ndarray  # (n,) M
    cluster: np.ndarray  # (n,) output cluster
    transform: Transform  # of `rows`


def scores(view: AssignmentView, X: np.ndarray) -> np.ndarray:
    """Return the scores h_c of every sample (row) for every output cluster (column) (section 9)."""
    z = view.transform.apply(view.rows)
    clusters = [np.flatnonzero(view.cluster == c) for c in range(view.cluster.max() + 1)]
    totals = np.array([view.support[members].sum() for members in clusters])
    share = totals / totals.sum()
    q = np.clip(np.sum(share**2), 1e-6, 1.0)

    h = np.empty((len(X), len(clusters)))
    for i, x in enumerate(view.transform.apply(X)):
        # Section 9 uses the Euclidean distance, without feature weights.
        distance = distances_to_rows(x, z, view.transform.gamma)
        for c, members in enumerate(clusters):
            near = members[np.argsort(distance[members], kind="stable")]
            if len(near) == 1:
                h[i, c] = np.sum((x - z[near[0]]) ** 2)
                continue
            reached = np.cumsum(view.support[near]) >= q * totals[c]
            h[i, c] = distance[near[0]] + distance[near[np.argmax(reached)]]
    return h


def assign(view: AssignmentView, X: np.ndarray) -> np.ndarray:
    """Return the output cluster of every sample: the lowest score, ties to the lower label (section 9)."""
    return np.argmin(scores(view, X), axis=1)
