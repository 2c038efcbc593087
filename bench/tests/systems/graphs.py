"""Distances, components and sorted edges, for the oracles of graph-based systems."""

import numpy as np


def squares(x, nodes):
    """Squared distances, summed in the order of the features: ties are decided by the last bit."""
    return np.cumsum((np.asarray(nodes) - x) ** 2, axis=1)[:, -1]


def components(n, edges):
    """Component of each node, numbered by their lowest nodes."""
    label = list(range(n))
    for _ in range(n):
        before = label.copy()
        for a, b in edges:
            label[a] = label[b] = min(label[a], label[b])
        if label == before:
            break
    numbers = {root: number for number, root in enumerate(sorted(set(label)))}
    return [numbers[root] for root in label]


def listed(age):
    """Rows (a, b, age) of edges given as {frozenset: age}."""
    return sorted([*sorted(edge), value] for edge, value in age.items())
