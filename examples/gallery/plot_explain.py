"""
Explaining a cluster
====================

Why are these two rows in one cluster, and those two not? What makes a cluster? ``explain`` and
``phida.answers.Profile`` answer from the learned state. The data are chemical analyses of wines from three growers,
which come with scikit-learn.
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
# The learned nodes and the graph. With 178 rows there are few of them.
plot_nodes(model)
plt.show()

# %%
# What makes each cluster: how far its centre is from the mean of all rows, in standard deviations.
plot_profile(model)
plt.show()

# %%
# Two wines that are in one cluster by way of several nodes, and two that are not in one.
near = [model.explain(X.loc[0], X.loc[row]) for row in range(1, len(X)) if model.labels_[row] == model.labels_[0]]
print(max(near, key=lambda why: len(why.path)))
print()
print(model.explain(X.loc[0], X.loc[np.flatnonzero(model.labels_ != model.labels_[0])[0]]))

# %%
# Where was PHIDA unsure? A wine with a small margin could as well be in the next cluster. The margins of wines that are
# in the cluster where their grower is most frequent, and of those that are not:
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
# This is one order of the rows, and a lucky one. With 178 rows and as few nodes, other orders give other clusters, and
# much worse ones among them; more rows make it steadier.
others = [np.random.default_rng(seed).permutation(len(X)) for seed in range(30)]
scores = [adjusted_rand_score(grower[order], PHIDA().fit(X.iloc[order]).labels_) for order in others]
print(f"adjusted Rand index here {adjusted_rand_score(grower, model.labels_):.2f}; "
      f"30 other orders: median {np.median(scores):.2f}, from {min(scores):.2f} to {max(scores):.2f}")  # fmt: skip
