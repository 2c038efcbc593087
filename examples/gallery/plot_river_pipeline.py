"""
In a river pipeline
===================

This example is for users of river. ``phida.river.PHIDA`` is used like river's clusterers: each row is predicted first
and then learned. The data are river's image segments, outdoor pictures of seven kinds, in their original order.
"""

import matplotlib.pyplot as plt
import numpy as np
from river import cluster, datasets, preprocessing
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida.river import PHIDA

rows = list(datasets.ImageSegments())
kinds = np.array([kind for _, kind in rows])
print(f"{len(rows)} rows, {len(rows[0][0])} features, {len(set(kinds))} kinds")

# %%
# PHIDA and two clusterers of river: KMeans with the true number of kinds and three seeds, and DBSTREAM with default
# settings. A scaler that learns with the stream comes before each model.


def labels_of(clusterer):
    """The label of every row, predicted before the row is learned."""
    model = preprocessing.StandardScaler() | clusterer
    labels = []
    for x, _ in rows:
        labels.append(model.predict_one(x))
        model.learn_one(x)
    return np.array(labels)


found = {
    "PHIDA": [labels_of(PHIDA())],
    "KMeans, told 7": [labels_of(cluster.KMeans(n_clusters=7, seed=seed)) for seed in range(3)],
    "DBSTREAM": [labels_of(cluster.DBSTREAM())],
}

# %%
# Agreement of labels and kinds in windows of 300 rows. For KMeans, the line is the mean of the seeds and the band
# their range.
WINDOW = 300
ends = np.arange(WINDOW, len(rows) + 1, 50)
looks = {"PHIDA": ("#0072b2", "-"), "KMeans, told 7": ("#d55e00", "--"), "DBSTREAM": ("#009e73", "-.")}


def in_windows(measure, labels):
    """A measure of the kinds and the labels in every window."""
    return [measure(kinds[end - WINDOW : end], labels[end - WINDOW : end]) for end in ends]


def count(_, labels):
    """How many labels there are."""
    return len(set(labels))


figure, axes = plt.subplots(2, 1, figsize=(7.6, 5.2), sharex=True, layout="constrained")
for name, runs in found.items():
    color, style = looks[name]
    for ax, measure in zip(axes, (adjusted_mutual_info_score, count), strict=True):
        curves = np.array([in_windows(measure, labels) for labels in runs])
        ax.plot(ends, curves.mean(axis=0), color=color, linestyle=style, label=name)
        ax.fill_between(ends, curves.min(axis=0), curves.max(axis=0), color=color, alpha=0.15, linewidth=0)
axes[0].set(ylabel="adjusted mutual information", ylim=(0, 1))
axes[0].set_title(f"The latest {WINDOW} rows, predicted before they were learned")
axes[0].legend(frameon=False, ncols=3)
axes[1].set(ylabel="clusters in use", xlabel="rows", ylim=(0, 20))
plt.show()

# %%
# Agreement over all rows, with the labels given on the way.
for name, runs in found.items():
    rand = np.mean([adjusted_rand_score(kinds, labels) for labels in runs])
    information = np.mean([adjusted_mutual_info_score(kinds, labels) for labels in runs])
    print(
        f"{name:14} ARI {rand:.2f}, AMI {information:.2f}, {np.mean([len(set(labels)) for labels in runs]):.0f} labels"
    )

# %%
# Labels of PHIDA may change as it learns, so over the whole stream one label means several clusters. Ids do not
# change. If you store labels, store ids. (Here each row is predicted right after it was learned.)
model = preprocessing.StandardScaler() | PHIDA()
ids = []
for x, _ in rows:
    model.learn_one(x)
    ids.append(model["PHIDA"].predict_id_one(model["StandardScaler"].transform_one(x)))
rand, information = adjusted_rand_score(kinds, ids), adjusted_mutual_info_score(kinds, ids)
print(f"ids: ARI {rand:.2f}, AMI {information:.2f}, {len(set(ids))} ids")
