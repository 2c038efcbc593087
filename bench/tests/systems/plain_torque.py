"""Torque Clustering by plain loops over a matrix of distances, to check the fast version."""

import numpy as np


def components(n, pairs):
    """Return the component of each of n vertices, numbered in the order in which they appear."""
    label = list(range(n))
    for a, b in pairs:
        old, new = max(label[a], label[b]), min(label[a], label[b])
        label = [new if x == old else x for x in label]
    return [sorted(set(label)).index(x) for x in label]


def nearest(squared, cluster, i):
    """Squared distance, nearest cluster, and the samples of the closest pair; lowest numbers on ties."""
    n = len(cluster)
    return min(
        (squared[a][b], cluster[b], a, b) for a in range(n) for b in range(n) if cluster[a] == i and cluster[b] != i
    )


def layers(X):
    """All links as (a, b, M, R, made in the first layer)."""
    squared = [[float(np.square(x - y).sum()) for y in X] for x in X]
    cluster = list(range(len(X)))
    links, layer = [], 0
    while max(cluster) > 0:
        new = {}
        for i in range(max(cluster) + 1):
            distance, j, a, b = nearest(squared, cluster, i)
            if cluster.count(i) <= cluster.count(j):
                mass = cluster.count(i) * cluster.count(j)
                new.setdefault((min(i, j), max(i, j)), (a, b, mass, distance, layer == 0))
        links += new.values()
        joined = components(max(cluster) + 1, new.keys())
        cluster = [joined[c] for c in cluster]
        layer += 1
    return links


def cut(links):
    """Return the number of links of the highest torque to remove."""
    late = [link for link in links if not link[4]]
    if not late:
        return 0
    mean_mass = np.mean([link[2] for link in late])
    mean_squared = np.mean([link[3] for link in late])
    mean_torque = np.mean([link[2] * link[3] for link in late])

    def is_large(link):
        mass, squared = link[2], link[3]
        return not link[4] and mass >= mean_mass and squared >= mean_squared and mass * squared >= mean_torque

    n_large = sum(map(is_large, links))
    best, removed = -np.inf, 0
    for i in range(len(links) - 1):
        here, there = (links[r][2] * links[r][3] for r in (i, i + 1))
        if links[i][4] or (here == 0 and there == 0):
            continue
        weight = sum(map(is_large, links[: i + 1])) / n_large if n_large else 1.0
        gap = np.inf if there == 0 else here / there
        if gap == np.inf and weight == 0:
            continue
        if gap * weight > best:
            best, removed = gap * weight, i + 1
    return removed


def torque_clustering(X):
    links = sorted(layers(X), key=lambda link: -link[2] * link[3])
    return components(len(X), [link[:2] for link in links[cut(links) :]])
