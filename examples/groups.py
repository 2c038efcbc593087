"""The picture at the top of the README: clusters found after 200, 1,000 and 5,000 rows of one stream.

``python examples/groups.py [picture.png]`` prints the numbers of clusters, and draws them if a file is named.
"""

from __future__ import annotations

import sys

import numpy as np

from phida import PHIDAPlus

GROUPS, ROWS = 15, 5000


def stream(seed: int = 7) -> np.ndarray:
    """Rows of round groups of different sizes, shuffled."""
    rng = np.random.default_rng(seed)
    centers: list[np.ndarray] = []
    while len(centers) < GROUPS:
        center = rng.uniform(0, 40, size=2)
        if all(np.linalg.norm(center - other) > 7 for other in centers):
            centers.append(center)
    share = rng.uniform(0.5, 1.5, size=GROUPS)
    group = rng.choice(GROUPS, size=ROWS, p=share / share.sum())
    return np.array(centers)[group] + rng.normal(size=(ROWS, 2))


def main(path: str | None) -> None:
    """Learn the stream in three batches; after each, label all rows so far."""
    rows = stream()
    model = PHIDAPlus(compute_labels=False)
    found = []
    for begin, end in ((0, 200), (200, 1000), (1000, ROWS)):
        model.partial_fit(rows[begin:end]).refresh()  # names the clusters found so far
        found.append((end, model.n_clusters_, model.predict_id(rows[:end])))
        print(f"{end} rows: {model.n_clusters_} clusters")
    if path is None:
        return
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharex=True, sharey=True, layout="constrained")
    colours = plt.get_cmap("tab20")
    for ax, (end, n_clusters, ids) in zip(axes, found, strict=True):
        ax.scatter(*rows[:end].T, c=colours(ids % 20), s=4, linewidths=0)
        ax.set_title(f"after {end:,} rows: {n_clusters} clusters", fontsize=11)
        ax.set_xticks([])
        ax.set_yticks([])
    figure.savefig(path, dpi=90)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
