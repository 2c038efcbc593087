"""
Explain a cluster
=================

This example is for users who must explain a result: why two rows are in one cluster or not, and what distinguishes a
cluster. ``explain`` and ``phida.answers.Profile`` answer from the learned state. The data are chemical analyses of
wines from three growers, from scikit-learn.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA
from phida.plots import plot_nodes, plot_profile

wine = load_wine(as_frame=True)
rows = np.random.default_rng(0).permutation(len(wine.data))
X, grower = wine.data.iloc[rows].reset_index(drop=True), wine.target.iloc[rows].to_numpy()
model = PHIDA().fit(X)
print(f"{model.n_nodes_} nodes, {model.n_components_} PH components, {model.n_clusters_} clusters")
print(pd.crosstab(model.labels_, grower, rownames=["cluster"], colnames=["grower"]))

# %%
# The learned nodes and the graph. 178 rows give few nodes.
plot_nodes(model)
plt.show()

# %%
# What distinguishes each cluster: the distance of its centre from the mean of all rows, in standard deviations.
plot_profile(model)
plt.show()

# %%
# Two wines in one cluster, connected through several nodes, and two wines in different clusters.
near = [model.explain(X.loc[0], X.loc[row]) for row in range(1, len(X)) if model.labels_[row] == model.labels_[0]]
print(max(near, key=lambda why: len(why.path)))
print()
print(model.explain(X.loc[0], X.loc[np.flatnonzero(model.labels_ != model.labels_[0])[0]]))

# %%
# A wine with a small margin is nearly as close to the next cluster. The margins of wines in the cluster where their
# grower is most frequent, and of the other wines:
main = pd.crosstab(model.labels_, grower).idxmax(axis=1)
agrees = main.loc[model.labels_].to_numpy() == grower
margin = model.assignment_margin(X)
figure, ax = plt.subplots(figsize=(6.4, 2.6), layout="constrained")
ax.hist([margin[agrees], margin[~agrees]], bins=20, stacked=True, color=["#0072b2", "#d55e00"],
        label=[f"with most of their grower ({agrees.sum()})", f"not ({(~agrees).sum()})"])  # fmt: skip
ax.set(xlabel="margin to the next cluster", ylabel="wines")
ax.legend(frameon=False)
print(f"median margin: {np.median(margin[agrees]):.2f} and {np.median(margin[~agrees]):.2f}")
plt.show()

# %%
# This order of the rows gives a good result. With 178 rows, other orders give other clusters, and some are much
# worse. More rows make the result more stable.
others = [np.random.default_rng(seed).permutation(len(X)) for seed in range(30)]
scores = [adjusted_rand_score(grower[order], PHIDA().fit(X.iloc[order]).labels_) for order in others]
print(f"adjusted Rand index here {adjusted_rand_score(grower, model.labels_):.2f}; "
      f"30 other orders: median {np.median(scores):.2f}, from {min(scores):.2f} to {max(scores):.2f}")  # fmt: skip
