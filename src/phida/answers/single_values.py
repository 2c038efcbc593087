"""Features with one value per cluster, such as whole numbers: the gaps between their values divide the rows."""

from __future__ import annotations

import numpy as np

from phida.answers.profile import named_features
from phida.records import Moments, Nodes

#: A cluster has one value of a feature if this share of its support has it.
_MOST = 0.75

#: Minimum number of different values of these clusters: the two values of a boolean are groups.
_VALUES = 3


def single_valued(nodes: Nodes, moments: Moments) -> tuple[str, ...]:
    """Return the features with one value per cluster: in clusters that hold more than half of the support.

    Only clusters of several nodes count: in a cluster of one node, every feature has one value.
    """
    inside = nodes.cluster >= 0
    cluster, support = nodes.cluster[inside], nodes.support[inside]
    total = np.bincount(cluster, support)
    several = np.bincount(cluster) > 1
    found = []
    for j in np.flatnonzero(moments.deviation > 0):
        # Means of equal values differ by rounding.
        scaled = np.round(nodes.representatives[inside, j] / moments.deviation[j], 9)
        values, value = np.unique(scaled, return_inverse=True)
        pairs, pair = np.unique(cluster * len(values) + value, return_inverse=True)
        owner = pairs // len(values)
        single = several[owner] & (np.bincount(pair, support) >= _MOST * total[owner])
        enough = len(np.unique(pairs[single] % len(values))) >= _VALUES
        if enough and total[owner[single]].sum() > total.sum() / 2:
            found.append(named_features(nodes.feature_names, len(moments.deviation))[j])
    return tuple(found)


def advice_on_single_values(names: tuple[str, ...]) -> list[str]:
    """Return what to do about such features: one sentence, or none."""
    if not names:
        return []
    shown = ", ".join(names[:5]) + ("" if len(names) <= 5 else f" and {len(names) - 5} more")
    return [
        f"warning: most clusters have a single value of {shown}. Gaps between values, such as whole numbers, can "
        "divide groups. Then add noise as wide as a gap, or leave the feature out."
    ]
