"""Draw the pictures of docs/how_it_works.md and of the start page: tools/how_it_works.py FOLDER.

The stream is small and two-dimensional, so that no projection is needed: two facing crescents and four round groups,
one after the other.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from phida import PHIDA, PHIDAPlus
from phida.plots import plot_hierarchy, plot_history, plot_lineage, plot_nodes, plot_persistence, style
from phida.projection import Projection

ROWS = 8000
PALE = "#b9b9b9"


def stream(seed=0):
    """Return rows of the plane, group after group: two crescents, then four round ones."""
    rng = np.random.default_rng(seed)
    group = np.sort(rng.integers(0, 6, ROWS))
    angle = rng.uniform(0, np.pi, ROWS)
    arc = np.column_stack([np.cos(angle), np.sin(angle)])
    places = [arc * 2, [2, 0.6] - arc * 2, [6.0, 1.8], [6.0, -2.0], [-1.6, -2.8], [2.5, -4]]
    spread = np.where(group < 2, 0.15, 0.3)[:, None]
    return np.choose(group[:, None], places) + spread * rng.normal(size=(ROWS, 2)), group


def learned(rows, count):
    """Return the model after a number of rows."""
    return PHIDA(compute_labels=False).partial_fit(rows[:count])


def with_rows(model, rows, ax=None):
    """Draw the library's map of the nodes over the learned rows."""
    ax = plot_nodes(model, ax=ax)
    x, y = Projection.of(model).transform(rows).T
    ax.scatter(x, y, s=3, c=PALE, alpha=0.5, linewidths=0, zorder=0)
    ax.set(xlim=(x.min() - 0.3, x.max() + 0.3), ylim=(y.min() - 0.3, y.max() + 0.3), aspect="equal")
    ax.set(xlabel="", ylabel="")
    return ax


def moments(rows, group, folder):
    """Draw the same stream at three times, in one frame, for the start page."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for ax, last in zip(axes, (1, 3, 5), strict=True):
        count = int(np.sum(group <= last))
        model = learned(rows, count)
        nodes, graph, ids = model.nodes_, model.graph_, model.cluster_ids_
        ax.scatter(
            *rows[:count].T, s=2, c=colours(model, model.predict_id(rows[:count])), alpha=0.25, linewidths=0, zorder=0
        )
        ends = nodes.representatives[np.column_stack([graph.source, graph.target])]
        ax.add_collection(LineCollection(ends, colors=style.GREY, linewidths=0.7, zorder=1))
        mine = nodes.cluster >= 0
        where = nodes.representatives[mine]
        area = 60 * nodes.support[mine] / nodes.support.max()
        ax.scatter(
            *where.T,
            s=area + 6,
            c=colours(model, ids[nodes.cluster[mine]]),
            edgecolors="black",
            linewidths=0.4,
            zorder=2,
        )
        ax.set(xlim=(-3.4, 7.4), ylim=(-5.2, 3), aspect="equal", xticks=[], yticks=[])
        ax.set_title(f"{count:,} rows: {model.n_nodes_} nodes, {model.n_clusters_} clusters", fontsize=10)
    save(figure, folder / "stream.png")


def colours(model, ids):
    """Return the colour of each id, as in all plots of the model."""
    return style.Palette.of(model).colours(ids)


def vigilance(rows, folder):
    """Draw the learned nodes, and the distance within which they win a row."""
    model = learned(rows, 600)
    ax = with_rows(model, rows[:600])
    nodes = model.nodes_
    reach = nodes.scale * (1 / model.vigilance_ - 1)
    for (x, y), radius in zip(Projection.of(model).transform(nodes.representatives), reach, strict=True):
        ax.add_patch(plt.Circle((x, y), radius, fill=False, color=style.GREY, linewidth=0.6, zorder=1))
    around = reach.max()
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    ax.set(xlim=(left - around, right + around), ylim=(low - around, high + around))
    title = f"{len(nodes)} nodes after 600 rows; vigilance {model.vigilance_:.2f}"
    retitle(ax, title, "a row inside the circle of its nearest node is learned by it; any other becomes a node")
    save(ax.figure, folder / "nodes.png")


def retitle(ax, title, note):
    """Change the heading of a picture."""
    for text in [text for text in ax.texts if text.get_fontsize() == style.SMALL and text.xycoords == "axes fraction"]:
        text.remove()
    style.title(ax, title, note)


def assigned(model, rows, folder):
    """Draw the cluster of every place of the plane."""
    ax = with_rows(model, rows)
    plane = Projection.of(model)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    x, y = np.meshgrid(np.linspace(left, right, 400), np.linspace(low, high, 300))
    back = np.column_stack([x.ravel(), y.ravel()]) @ plane.axes + plane.mean
    ids = model.predict_id(back * plane.denominator + plane.center).reshape(x.shape)
    shades = matplotlib.colors.to_rgba_array(colours(model, ids.ravel()))[:, :3].reshape(*ids.shape, 3)
    ax.imshow(0.25 * shades + 0.75, extent=(left, right, low, high), origin="lower", aspect="equal", zorder=-1)
    retitle(ax, "Every place belongs to the cluster that is nearest by distance and support", "names are ids")
    save(ax.figure, folder / "assignment.png")


def digits(folder):
    """Draw the cluster centres of handwritten digits learned class by class, for the start page."""
    rows, classes = load_digits(return_X_y=True)
    model = PHIDAPlus(compute_labels=False)
    for digit in range(10):
        model.partial_fit(rows[classes == digit])
    labels = model.predict(rows)
    found = [np.bincount(classes[labels == label], minlength=10) for label in range(model.n_clusters_)]
    order = sorted(
        range(len(found)), key=lambda label: (not found[label].any(), found[label].argmax(), -found[label].sum())
    )
    columns = -(-len(order) // 3)
    figure, axes = plt.subplots(3, columns, figsize=(0.8 * columns, 3.3), layout="constrained")
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, label in zip(axes.flat, order, strict=False):
        ax.imshow(model.cluster_centers_[label].reshape(8, 8), cmap="gray_r", interpolation="bicubic")
        ax.set_title(f"{found[label].sum()} rows", fontsize=8)
    save(figure, folder / "digits.png")
    alone = sum(one.max() for one in found) / len(rows)
    score = adjusted_rand_score(classes, labels)
    print(f"{model.n_clusters_} clusters; {alone:.1%} of the rows are of their cluster's main digit; ARI {score:.2f}")


def save(figure, path):
    """Write a picture."""
    figure.savefig(path, dpi=120, bbox_inches="tight", pad_inches=0.08)
    plt.close(figure)
    print(path)


def main(folder):
    """Draw all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, group = stream()
    digits(folder)
    moments(rows, group, folder)
    vigilance(rows, folder)
    model = learned(rows, ROWS)
    components = model.cut(n_clusters=model.n_components_)
    ax = with_rows(components, rows)
    retitle(
        ax,
        f"{len(model.graph_.source)} edges, {model.n_components_} PH components",
        "each has a colour and a marker of its own",
    )
    save(ax.figure, folder / "components.png")
    ax = with_rows(model, rows)
    save(ax.figure, folder / "clusters.png")
    assigned(model, rows, folder)
    for draw in (plot_history, plot_persistence, plot_hierarchy, plot_lineage):
        save(draw(model).figure, folder / f"{draw.__name__.removeprefix('plot_')}.png")
    print(model.cut_clarity_)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
