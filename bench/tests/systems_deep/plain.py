"""The losses of the deep methods in plain float64 NumPy."""

import numpy as np


def network(layers, rows):
    for weights, bias in layers[:-1]:
        rows = np.maximum(rows @ weights + bias, 0)
    weights, bias = layers[-1]
    return rows @ weights + bias


def softmax(values):
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def cauchy(embedded, centres, scale=0.01, gamma=0.5):
    """Affinities of TableDC, from the Mahalanobis distance."""
    q = np.empty((len(embedded), len(centres)))
    for i, z in enumerate(embedded):
        for k, centre in enumerate(centres):
            q[i, k] = 1 / (1 + np.sqrt((z - centre) @ (z - centre) / scale) / gamma**2)
    return q


def sharpened(q):
    """Targets of TableDC."""
    weights = q**2 / q.sum(axis=0)
    return weights / weights.sum(axis=1, keepdims=True)


def tabledc(model, rows, target):
    """Loss of TableDC with its usual weight."""
    (encoder, decoder), centres = model
    embedded = network(encoder, rows)
    s = softmax(cauchy(embedded, centres))
    divergence = (target * np.log(target / s)).sum(axis=1).mean()
    return 0.9 * divergence + ((network(decoder, embedded) - rows) ** 2).mean()


def gaussian(embedded, means, spreads):
    """Responsibilities of G-CEALS."""
    covariances = np.log1p(np.exp(spreads))
    distances = np.empty((len(embedded), len(means)))
    for i, z in enumerate(embedded):
        for k in range(len(means)):
            distances[i, k] = np.sqrt(((z - means[k]) ** 2 / covariances[k]).sum())
    return softmax(-distances)


def g_ceals(model, rows, cluster_weights, gamma=0.1):
    """Loss of G-CEALS."""
    (encoder, decoder), means, spreads, head = model
    embedded = network(encoder, rows)
    target = gaussian(embedded, means, spreads) * cluster_weights
    cross_entropy = -(target * np.log(softmax(network(head, embedded)))).sum(axis=1).mean()
    return ((network(decoder, embedded) - rows) ** 2).mean() + gamma * cross_entropy


def slope(loss, tree, direction, over_trees, step=1e-5):
    """Central difference of a loss along a direction; ``over_trees`` maps over trees of arrays."""
    ahead = over_trees(lambda x, d: x + step * d, tree, direction)
    behind = over_trees(lambda x, d: x - step * d, tree, direction)
    return (loss(ahead) - loss(behind)) / (2 * step)
