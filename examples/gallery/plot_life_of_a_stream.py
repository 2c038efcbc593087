"""
Follow clusters through a stream
================================

This example is for users who follow clusters over time. Labels may change as learning continues, but ids do not, and
the lineage records when clusters were born, split or merged. The handwritten digits arrive class by class, so we know
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
# One band for every id, from its birth on. Dashed lines mark the start of each digit.
ax = plot_lineage(model)
for digit, row in enumerate(begins):
    ax.axvline(row, color="#8a8a8a", linewidth=0.7, linestyle="--", zorder=0)
    ax.annotate(
        str(digit), (row, 0), (3, 4), xycoords=("data", "axes fraction"), textcoords="offset points", fontsize=8
    )
plt.show()

# %%
# How many ids appear soon after a new digit begins, and how many later? A birth means that rows differ from all
# earlier ones. A split means that one cluster becomes two.
new = [event.sample for event in told if event.kind in ("born", "split") for _ in set(event.after) - set(event.before)]
since = np.array([row - begins[begins <= row].max() for row in new])
print(
    f"{len(new)} new ids: {(since <= 100).sum()} within 100 rows after a new digit began, {(since > 100).sum()} later"
)

# %%
# The digits in each id at the end. Rows of the table are ids, columns are digits. An empty row is a cluster that has
# just split off and has won no row yet.
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
# Nodes, clusters, vigilance and interval at each refresh.
plot_history(model)
plt.show()

# %%
# An event is reported when enough rows have confirmed it, some rows after it happened.
for event in told[-3:]:
    print(f"{event.kind:7} at row {event.sample:5}, confirmed at row {event.confirmed}")
