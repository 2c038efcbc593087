"""
Choose another number of clusters
=================================

This example is for users who want more or fewer clusters than a model gives. ``cut(n_clusters=…)`` cuts the same
hierarchy at another place, without learning again. The data are the handwritten digits of scikit-learn, learned class
by class with PHIDA, which merges PH components in a hierarchy and cuts it before the most expensive merge.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDA
from phida.plots import plot_hierarchy

X, y = load_digits(return_X_y=True)
model = PHIDA(compute_labels=False)
for digit in range(10):
    model.partial_fit(X[y == digit])
model.refresh()
print(f"{model.n_components_} PH components, {model.n_clusters_} clusters")
print(model.cut_clarity_)

# %%
# The hierarchy and its cut. Dashed merges were not made.
plot_hierarchy(model)
plt.show()

# %%
# Components without a link in the PH graph are never merged, so there is a smallest number of clusters. The next
# picture scores every possible cut against the true digits, which no model sees.
cuts = {}
for n_clusters in range(model.n_components_, 0, -1):
    try:
        cuts[n_clusters] = model.cut(n_clusters=n_clusters)
    except ValueError as end:
        print(end)
        break
labels = {n_clusters: cut.predict(X) for n_clusters, cut in cuts.items()}
rand = {n_clusters: adjusted_rand_score(y, found) for n_clusters, found in labels.items()}
information = {n_clusters: adjusted_mutual_info_score(y, found) for n_clusters, found in labels.items()}

figure, ax = plt.subplots(figsize=(6.8, 3.6), layout="constrained")
ax.plot(rand.keys(), rand.values(), marker="o", markersize=4, color="#0072b2", label="adjusted Rand index")
ax.plot(
    information.keys(),
    information.values(),
    marker="s",
    markersize=4,
    color="#e69f00",
    label="adjusted mutual information",
)
ax.axvline(model.n_clusters_, color="#8a8a8a", linewidth=0.8, linestyle="--", label="where PHIDA cuts by itself")
ax.set(xlabel="clusters", ylabel="against the true digits", ylim=(0, 1), xticks=range(min(cuts), max(cuts) + 1, 2))
ax.legend(frameon=False, loc="lower left")
best = max(rand, key=rand.get)
for word, n_clusters in (("by itself", model.n_clusters_), ("best ARI", best), ("fewest", min(cuts))):
    print(f"{word:9}: {n_clusters} clusters, ARI {rand[n_clusters]:.2f}, AMI {information[n_clusters]:.2f}")
plt.show()

# %%
# Centres of the clusters at the cut of PHIDA and at the best cut. We know the best cut here because we know the
# digits. On other data, a person who knows the data compares such pictures.


def draw(cut, title):
    """The centre of every cluster, as an image."""
    rows = -(-len(cut.cluster_centers_) // 12)
    figure, axes = plt.subplots(rows, 12, figsize=(9, 0.95 * rows + 0.4), layout="constrained", squeeze=False)
    figure.suptitle(title, fontsize=10)
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, center, id in zip(axes.flat, cut.cluster_centers_, cut.cluster_ids_, strict=False):
        ax.imshow(center.reshape(8, 8), cmap="gray_r")
        ax.set_title(f"id {id}", fontsize=7)


# sphinx_gallery_thumbnail_number = 4
draw(model, f"by itself: {model.n_clusters_} clusters")
draw(cuts[best], f"cut(n_clusters={best})")
plt.show()
