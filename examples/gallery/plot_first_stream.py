"""
A first stream
==============

This example is a first stream for new users. Handwritten digits arrive class by class: first all zeros, then all
ones, and so on. The model is not given the number of classes, and each row comes once. After each class we ask for
the number of clusters.
"""

from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from phida import PHIDAPlus
from phida.plots import plot_history, plot_nodes

X, y = load_digits(return_X_y=True)
model = PHIDAPlus(compute_labels=False)
for digit in range(10):
    model.partial_fit(X[y == digit])
    print(f"after {digit}: {model.n_samples_seen_:4} rows, {model.n_nodes_:4} nodes, {model.n_clusters_:2} clusters")
model.refresh()
print(f"adjusted Rand index over all rows: {adjusted_rand_score(y, model.predict(X)):.2f}")

# %%
# The learned nodes on the plane in which they vary most, joined to their nearest neighbours in the same cluster.
# Colours and numbers are the ids of clusters.
plot_nodes(model)

# %%
# The growth of the model as rows arrive.
plot_history(model)
