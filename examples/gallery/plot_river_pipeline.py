"""
In a pipeline of river
======================

``phida.river.PHIDA`` goes where river's clusterers go. Rows come one by one: each is predicted first and learned
then. The data are river's own image segments, outdoor pictures in seven kinds, in the order in which they come.
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
# PHIDA beside two of river's: KMeans, which is told that there are seven kinds, and DBSTREAM at its defaults. Every
# model stands behind a scaler that learns as it goes.
clusterers = {
    "PHIDA": PHIDA(),
    "KMeans, told 7": cluster.KMeans(n_clusters=7, seed=0),
    "DBSTREAM": cluster.DBSTREAM(),
}
found = {}
for name, clusterer in clusterers.items():
    model = preprocessing.StandardScaler() | clusterer
    labels = []
    for x, _ in rows:
        labels.append(model.predict_one(x))
        model.learn_one(x)
    found[name] = np.array(labels)

# %%
# Each prediction was made before its row was learned. In windows of 300 rows: how well do the labels that were given go
# with the kinds?
WINDOW = 300
ends = np.arange(WINDOW, len(rows) + 1, 30)
figure, axes = plt.subplots(2, 1, figsize=(7.6, 5.2), sharex=True, layout="constrained")
looks = {"PHIDA": ("#0072b2", "-"), "KMeans, told 7": ("#d55e00", "--"), "DBSTREAM": ("#009e73", "-.")}
for name, labels in found.items():
    color, style = looks[name]
    scores = [adjusted_mutual_info_score(kinds[end - WINDOW : end], labels[end - WINDOW : end]) for end in ends]
    axes[0].plot(ends, scores, color=color, linestyle=style, label=name)
    axes[1].plot(ends, [len(set(labels[end - WINDOW : end])) for end in ends], color=color, linestyle=style)
axes[0].set(ylabel="adjusted mutual information", ylim=(0, 1))
axes[0].set_title(f"The latest {WINDOW} rows, predicted before they were learned")
axes[0].legend(frameon=False, ncols=3)
axes[1].set(ylabel="clusters in use", xlabel="rows", ylim=(0, 20))

# %%
# All rows together, as they were labelled on the way.
for name, labels in found.items():
    print(f"{name:14} ARI {adjusted_rand_score(kinds, labels):.2f}, "
          f"AMI {adjusted_mutual_info_score(kinds, labels):.2f}, {len(set(labels))} labels")  # fmt: skip

# %%
# Labels of PHIDA are numbered anew as it learns, so that over the whole stream one number means several things; ids
# last. Where labels are stored, store ids. (Here each row is asked for right after it was learned.)
model = preprocessing.StandardScaler() | PHIDA()
ids = []
for x, _ in rows:
    model.learn_one(x)
    ids.append(model["PHIDA"].predict_id_one(model["StandardScaler"].transform_one(x)))
rand, information = adjusted_rand_score(kinds, ids), adjusted_mutual_info_score(kinds, ids)
print(f"ids: ARI {rand:.2f}, AMI {information:.2f}, {len(set(ids))} ids")
