"""
The life of a stream
====================

Cluster labels are numbered anew whenever somebody looks. Ids last, and the lineage says what became of them: which
cluster was born when, which split, which merged. Here the handwritten digits arrive class by class, so that we know
when something new begins.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from phida import PHIDA
from phida.plots import plot_history, plot_lineage

X, y = load_digits(return_X_y=True)
order = np.argsort(y, kind="stable")
begins = np.searchsorted(y[order], np.arange(10))

model = PHIDA(compute_labels=False)
told = []
model.on_event(told.append)  # as they happen
for first in range(0, len(X), 50):
    model.partial_fit(X[order[first : first + 50]])
model.refresh()
print(f"{len(told)} events, {model.n_clusters_} clusters in the end")
for event in told[:4]:
    print(" ", event)

# %%
# A band for every id, from its birth on. Dashed lines are where the next digit begins.
ax = plot_lineage(model)
for digit, row in enumerate(begins):
    ax.axvline(row, color="#8a8a8a", linewidth=0.7, linestyle="--", zorder=0)
    ax.annotate(
        str(digit), (row, 0), (3, 4), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=8
    )
plt.show()

# %%
# How many ids come up soon after a new digit begins, and how many while the digit goes on? A birth is when something
# comes that is like nothing before; a split is when a cluster shows that it was two.
new = [event.sample for event in told if event.kind in ("born", "split") for _ in set(event.after) - set(event.before)]
since = np.array([row - begins[begins <= row].max() for row in new])
print(
    f"{len(new)} new ids: {(since <= 100).sum()} within 100 rows after a new digit began, {(since > 100).sum()} later"
)

# %%
# Which digit does each id hold in the end? Rows of the table are ids, columns are digits. An empty row is a cluster
# that has just split off and wins no row yet.
ids = model.predict_id(X)
living = model.cluster_ids_[np.argsort([y[ids == id].mean() if (ids == id).any() else 10 for id in model.cluster_ids_])]
table = np.array([[((ids == id) & (y == digit)).sum() for digit in range(10)] for id in living])
figure, ax = plt.subplots(figsize=(4.6, 0.22 * len(living) + 1.1), layout="constrained")
ax.imshow(table, cmap="Blues", aspect="auto")
for (row, digit), count in np.ndenumerate(table):
    if count:
        ax.text(digit, row, count, ha="center", va="center", fontsize=7, color="white" if count > 90 else "black")
ax.set(xticks=range(10), yticks=range(len(living)), yticklabels=living, xlabel="digit", ylabel="id")
pure = table.max(axis=1).sum() / table.sum()
print(f"{100 * pure:.0f} % of the rows are in a cluster where their digit is the most frequent one")
plt.show()

# %%
# Nodes, clusters, vigilance and interval, refresh by refresh.
plot_history(model)
plt.show()

# %%
# An event is told once enough rows have confirmed it, some rows after it happened.
for event in told[-3:]:
    print(f"{event.kind:7} at row {event.sample:5}, confirmed at row {event.confirmed}")
