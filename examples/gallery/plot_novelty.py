"""
Find rows unlike all earlier ones
=================================

This example is for users who look for new kinds of rows. ``score_samples`` says how usual a row is, on the same scale
for every stream: a score below 0.05 marks the most unusual 5 % of rows. ``predict(X, novelty=0.05)`` gives -1 to
these rows. The first data have a digit that was not learned; the second are a stream on which the score fails.
"""

import matplotlib.pyplot as plt
import numpy as np
from river import datasets
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from phida import PHIDA

X, y = load_digits(return_X_y=True)
rows = np.random.default_rng(0).permutation(len(X))
learned, fresh = rows[:900], rows[900:]

# %%
# The model learns nine digits and then scores all ten. The area under the ROC curve says how well the score separates
# the unseen digit from the others: 1 is perfect, 0.5 is chance. The two methods of scikit-learn learn all rows at
# once, with default settings.
systems = {
    "PHIDA": lambda: PHIDA(compute_labels=False),
    "LocalOutlierFactor": lambda: LocalOutlierFactor(novelty=True),
    "IsolationForest": lambda: IsolationForest(n_estimators=50, random_state=0),
}
areas = {name: [] for name in systems}
caught, alarmed, scores = [], [], {}
for digit in range(10):
    known = X[learned[y[learned] != digit]]
    unseen = y[fresh] == digit
    for name, make in systems.items():
        model = make().fit(known)
        areas[name].append(roc_auc_score(unseen, -model.score_samples(X[fresh])))
        if name == "PHIDA":
            new = model.predict(X[fresh], novelty=0.05) == -1
            caught.append(new[unseen].mean())
            alarmed.append(new[~unseen].mean())
            scores[digit] = model.score_samples(X[fresh])
for name, found in areas.items():
    print(
        f"{name:18} area {np.mean(found):.3f} in the mean, {min(found):.3f} for the hardest digit ({np.argmin(found)})"
    )
print(f"-1 with novelty=0.05: {np.mean(caught):.0%} of the unseen digit, {np.mean(alarmed):.1%} of the others")

# %%
# The scores for the digit that is easiest to separate and for the one that is hardest.
figure, axes = plt.subplots(1, 2, figsize=(8.4, 3), layout="constrained")
ends = {"easiest": np.argmax(areas["PHIDA"]), "hardest": np.argmin(areas["PHIDA"])}
for ax, (word, digit) in zip(axes, ends.items(), strict=True):
    unseen = y[fresh] == digit
    bins = np.linspace(0, 1, 41)
    ax.hist(scores[digit][~unseen], bins, color="#0072b2", alpha=0.75, label="learned digits", density=True)
    ax.hist(scores[digit][unseen], bins, color="#d55e00", alpha=0.75, label=f"{digit}, never seen", density=True)
    ax.set(xlabel="score_samples: low is unusual", title=f"{word}: {digit}", yscale="symlog", ylim=(0, None))
    ax.set_yticks([0, 1, 10], ["0", "1", "10"])
    ax.legend(frameon=False)
axes[0].set_ylabel("density of rows")
plt.show()

# %%
# The second data are readings of a space shuttle from river. 7 % of the rows are marked as anomalies, from the first
# row on, and many are of one kind. PHIDA learns them as a group like any other, so they are not new.
stream = list(datasets.Shuttle().take(8000))
readings = np.array([list(x.values()) for x, _ in stream], dtype=float)
anomaly = np.array([label for _, label in stream])
half = len(stream) // 2
for title, kept in (("all rows", np.arange(half)), ("normal rows", np.flatnonzero(anomaly[:half] == 0))):
    for name in ("PHIDA", "IsolationForest"):
        model = systems[name]().fit(readings[kept])
        area = roc_auc_score(anomaly[half:], -model.score_samples(readings[half:]))
        print(f"{name:18} learned {title:11}: area {area:.3f}")

# %%
# Use the score for rows unlike all earlier ones, in a stream that you trust. Frequent anomalies form clusters
# instead. The share of marked rows in each cluster:
model = PHIDA(compute_labels=False).fit(readings[:half])
labels = model.predict(readings[half:])
rows = np.bincount(labels, minlength=model.n_clusters_)
marked = np.bincount(labels, anomaly[half:], minlength=model.n_clusters_)
order = np.argsort(-marked)
figure, ax = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
ax.bar(range(len(order)), rows[order], color="#0072b2", width=0.7, label="normal")
ax.bar(range(len(order)), marked[order], color="#d55e00", width=0.7, label="marked as anomalies")
ax.set(xticks=range(len(order)), xticklabels=model.cluster_ids_[order], xlabel="id of the cluster", ylabel="rows")
ax.legend(frameon=False, loc="upper left")
pure = marked > 0.95 * rows
of_all = f"{marked[pure].sum():.0f} of {marked.sum():.0f} anomalies"
print(f"{of_all} are in {pure.sum()} of {len(rows)} clusters, which have {rows[pure].sum()} rows in all")
plt.show()
