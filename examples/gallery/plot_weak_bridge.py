"""
Groups joined by a weak bridge
==============================

This example shows why PHIDA uses persistence instead of connected components. Two groups of nodes that are joined by
a few nodes of small support are one connected component, but two peaks. Persistence measures how deep the valley
between two peaks is. We look for such a bridge in the handwritten digits of scikit-learn, and then measure how often
it matters.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA

X, y = load_digits(return_X_y=True)


def learned(seed):
    """A model of all digits in a random order."""
    return PHIDA(compute_labels=False).fit(X[np.random.default_rng(seed).permutation(len(X))])


def pieces(model):
    """The connected component of each node in the PH graph: what a mapping without persistence would call a cluster."""
    edges = (model.graph_.source, model.graph_.target)
    graph = coo_array((np.ones(len(edges[0])), edges), shape=(model.n_nodes_, model.n_nodes_))
    return connected_components(graph, directed=False)[1]


model = learned(4)  # of a few orders, the one in which connected components fail most
nodes = model.nodes_
piece = pieces(model)
mapped = nodes.cluster >= 0
print(f"{model.n_nodes_} nodes, {mapped.sum()} of them mapped to clusters")
print(
    f"{len(set(piece[mapped]))} connected components, {model.n_components_} PH components, {model.n_clusters_} clusters"
)

# %%
# One connected component holds several clusters. ``explain`` finds the path of highest support from the strongest
# node of its largest cluster to that of the next largest.
crowds = {p: np.unique(nodes.cluster[mapped & (piece == p)]) for p in np.unique(piece[mapped])}
largest = max(crowds, key=lambda p: len(crowds[p]))
support = np.bincount(nodes.cluster[mapped], nodes.support[mapped])
first, second = sorted(crowds[largest], key=lambda cluster: -support[cluster])[:2]
why = model.explain(int(first), int(second), kind="cluster")
print(f"connected component with {len(crowds[largest])} clusters in it:", crowds[largest].tolist())
print(why)

# %%
# The nodes on that path, each drawn as the digit that it represents, above its support. Few rows lie in the valley
# between two peaks: it is a bridge from one digit to another. Persistence compares the depth of the valley, in the
# logarithm of the support, with its threshold.
path = list(why.path)
figure = plt.figure(figsize=(0.72 * len(path) + 1.2, 3.4), layout="constrained")
grid = figure.add_gridspec(2, len(path), height_ratios=[1, 2.2])
for column, node in enumerate(path):
    ax = figure.add_subplot(grid[0, column])
    ax.imshow(nodes.representatives[node].reshape(8, 8), cmap="gray_r")
    ax.set(xticks=[], yticks=[])
ax = figure.add_subplot(grid[1, :])
colours = ["#0072b2" if nodes.cluster[node] == first else "#d55e00" for node in path]
ax.bar(range(len(path)), nodes.support[path], color=colours, width=0.7)
ax.set(xlim=(-0.5, len(path) - 0.5), xticks=[], ylabel="support (rows learned)")
ax.set_xlabel(f"from cluster {first} (blue) to cluster {second} (orange), node by node")
plt.show()

# %%
# Thirty orders of the same rows show how much this matters. Connected components and PHIDA use the same nodes of the
# same model: each row takes the label of its nearest node.


def by_nearest_node(model, labels):
    """Label of the nearest mapped node, as prediction measures distances."""
    view, nodes = model.assignment_view_, model.nodes_
    there = np.flatnonzero(nodes.cluster >= 0)
    ends = (nodes.representatives[there] - view.center) / view.denominator
    rows = (X - view.center) / view.denominator
    away = (ends**2).sum(axis=1) - 2 * rows @ ends.T
    return labels[there[away.argmin(axis=1)]]


scores = []
for seed in range(30):
    model = learned(seed)
    scores.append([adjusted_rand_score(y, by_nearest_node(model, a)) for a in (pieces(model), model.nodes_.cluster)])
scores = np.array(scores)
better, worse = (scores[:, 1] > scores[:, 0] + 0.005).sum(), (scores[:, 1] < scores[:, 0] - 0.005).sum()
print("adjusted Rand index over 30 orders, mean and least:")
for name, column in zip(("connected components", "PHIDA"), scores.T, strict=True):
    print(f"  {name:20} {column.mean():.2f} {column.min():.2f}")
print(f"PHIDA better in {better}, worse in {worse}, alike in {30 - better - worse}")

figure, ax = plt.subplots(figsize=(4.8, 4.6), layout="constrained")
ax.plot([0, 1], [0, 1], color="#8a8a8a", linewidth=0.8, zorder=1)
ax.scatter(*scores.T, color="#0072b2", edgecolors="white", linewidths=0.6, zorder=2)
ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.set(xlabel="connected components", ylabel="PHIDA", title="Adjusted Rand index, 30 orders")
plt.show()

# %%
# Below the line PHIDA is worse: it split a component that connected components got right. The advantage is on the
# left of the picture: with PHIDA, no order joins most of the digits into one cluster through a bridge.
