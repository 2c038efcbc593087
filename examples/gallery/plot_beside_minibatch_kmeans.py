"""
Comparison with MiniBatchKMeans, class by class
===============================================

This example shows how phida and k-means cope with a stream that brings one class after the other. The data are the
handwritten digits in that order. scikit-learn's ``MiniBatchKMeans`` is given the number of classes, ten; PHIDA is
not. After each class, both label all rows seen so far.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDA

X, y = load_digits(return_X_y=True)


def scores(model, order):
    """Indices over all rows seen so far, after each class of the order."""
    seen = np.empty(0, dtype=int)
    found = []
    for digit in order:
        rows = np.flatnonzero(y == digit)
        seen = np.concatenate([seen, rows])
        labels = model.partial_fit(X[rows]).predict(X[seen])
        found.append([measure(y[seen], labels) for measure in (adjusted_rand_score, adjusted_mutual_info_score)])
    return np.array(found)


# %%
# Five orders of the classes. k-means draws its ten initial centres at random from the first class alone, so each
# order has its own seed.
phida, kmeans = [], []
for seed in range(5):
    order = np.random.default_rng(seed).permutation(10)
    phida.append(scores(PHIDA(compute_labels=False), order))
    kmeans.append(scores(MiniBatchKMeans(n_clusters=10, random_state=seed), order))
phida, kmeans = np.array(phida), np.array(kmeans)

figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), sharey=True, layout="constrained")
for ax, column, name in zip(axes, (0, 1), ("adjusted Rand index", "adjusted mutual information"), strict=True):
    for found, look in ((phida, {"color": "#0072b2", "label": "PHIDA"}),
                        (kmeans, {"color": "#d55e00", "label": "MiniBatchKMeans, told 10"})):  # fmt: skip
        middle = found[:, :, column].mean(axis=0)
        ax.plot(range(2, 11), middle[1:], marker="o", markersize=4, **look)
        low, high = found[:, :, column].min(axis=0), found[:, :, column].max(axis=0)
        ax.fill_between(range(2, 11), low[1:], high[1:], color=look["color"], alpha=0.15, linewidth=0)
    ax.set(xlabel="classes seen", title=name, ylim=(0, 1), xticks=range(2, 11))
axes[0].set_ylabel("all rows so far; mean and range of 5 orders")
axes[1].legend(loc="lower right", frameon=False)

for name, found in (("PHIDA", phida), ("MiniBatchKMeans", kmeans)):
    ari, ami = found[:, -1].mean(axis=0)
    print(
        f"{name:16} after ten classes: ARI {ari:.2f}, AMI {ami:.2f}; while they came, ARI {found[:, 1:, 0].mean():.2f}"
    )
plt.show()

# %%
# The same rows in random order, where every batch resembles the whole. k-means is made for this case.


def shuffled_scores(model, seed):
    """Indices after all rows in a random order."""
    rows = np.random.default_rng(seed).permutation(len(X))
    for first in range(0, len(X), 200):
        model.partial_fit(X[rows[first : first + 200]])
    labels = model.predict(X)
    return adjusted_rand_score(y, labels), adjusted_mutual_info_score(y, labels), len(set(labels))


for name, make in (("PHIDA", lambda seed: PHIDA(compute_labels=False)),
                   ("MiniBatchKMeans", lambda seed: MiniBatchKMeans(n_clusters=10, random_state=seed))):  # fmt: skip
    ari, ami, count = np.mean([shuffled_scores(make(seed), seed) for seed in range(5)], axis=0)
    print(f"{name:16} shuffled: ARI {ari:.2f}, AMI {ami:.2f}, {count:.1f} clusters")

# %%
# PHIDA is not always better. With two or three classes it splits them further, and k-means is as good or better by
# the Rand index. k-means also gives exactly ten clusters, while PHIDA finds more, because people write a digit in
# several ways.
