"""Out-of-sample assignment from the assignment view alone."""

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
    transform: Transform  # of these rows


def scores(view: AssignmentView, X: np.ndarray, *, lone_squared: bool = True) -> np.ndarray:
    """Scores h_c of every sample (rows) for every output cluster (columns) (section 9).

    lone_squared=False scores a cluster of one node like every other, as the parts of PHIDA+ do.
    """
    z = view.transform.apply(view.rows)
    clusters = [np.flatnonzero(view.cluster == c) for c in range(view.cluster.max() + 1)]
    totals = np.array([view.support[members].sum() for members in clusters])
    share = totals / totals.sum()
    q = np.clip(np.sum(share**2), 1e-6, 1.0)

    h = np.empty((len(X), len(clusters)))
    for i, x in enumerate(view.transform.apply(X)):
        # No feature weights here: this is the Euclidean distance.
        distance = distances_to_rows(x, z, view.transform.gamma)
        for c, members in enumerate(clusters):
            near = members[np.argsort(distance[members], kind="stable")]
            if len(near) == 1 and lone_squared:
                h[i, c] = np.sum((x - z[near[0]]) ** 2)
                continue
            reached = np.cumsum(view.support[near]) >= q * totals[c]
            h[i, c] = distance[near[0]] + distance[near[np.argmax(reached)]]
    return h


def assign(view: AssignmentView, X: np.ndarray, *, lone_squared: bool = True) -> np.ndarray:
    """Output cluster of every sample: the lowest score, ties to the lower label (section 9)."""
    return np.argmin(scores(view, X, lone_squared=lone_squared), axis=1)


def assign_to_nearest(view: AssignmentView, X: np.ndarray) -> np.ndarray:
    """Output cluster of the node nearest to every sample, ties to the lower node (the groups of PHIDA+)."""
    z = view.transform.apply(view.rows)
    nearest = [np.argmin(distances_to_rows(x, z, view.transform.gamma)) for x in view.transform.apply(X)]
    return view.cluster[nearest]
