"""
A first stream
==============

Handwritten digits arrive class by class: first all zeros, then all ones, and so on. Nothing is told how many classes
there are, and no row comes twice. After each class we ask how many parts there are so far: clusters that
suit classes without a gap between them.
"""

from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from phida import PHIDAPlus
from phida.plots import plot_history, plot_nodes

X, y = load_digits(return_X_y=True)
model = PHIDAPlus(level="parts", compute_labels=False)
for digit in range(10):
    model.partial_fit(X[y == digit])
    print(f"after {digit}: {model.n_samples_seen_:4} rows, {model.n_nodes_:3} nodes, {model.n_clusters_:2} parts")
model.refresh()
print(f"adjusted Rand index over all rows: {adjusted_rand_score(y, model.predict(X)):.2f}")

# %%
# The learned nodes, joined by the flow of samples between them, on the plane in which they vary most. Colours and
# numbers are the ids that clusters keep.
plot_nodes(model)

# %%
# And how the model grew, refresh by refresh.
plot_history(model)
