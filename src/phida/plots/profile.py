"""Plot of the distinctive features of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phida.answers.profile import Profile
from phida.plots import style
from phida.records import Ints

#: Rows and columns that can be read.
_CLUSTERS, _FEATURES, _BARS = 24, 14, 15
#: Deviations at which the colours end.
_FAR = 3.0


def plot_profile(model: Any, *, id: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the distinctive features of clusters, in standard deviations from the mean of the stream.

    Without ``id`` it is a table of the largest clusters and the features that tell most of them; with ``id``, bars of
    the most telling features of that cluster.

    Parameters
    ----------
    model : PHIDA
        A fitted model.
    id : int, optional
        Lasting id of one cluster.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on (default: a new figure).

    Returns
    -------
    ax : matplotlib.axes.Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> from phida.plots import plot_profile
    >>> model = PHIDA().fit(load_iris().data)
    >>> ax = plot_profile(model, ax=Figure().subplots())
    >>> ax.get_title(loc="left")
    'What makes the clusters'
    """
    record = Profile.of(model)
    if id is None:
        return _draw_table(record, ax)
    found = np.flatnonzero(record.id == id)
    if not len(found):
        raise ValueError(f"no cluster has id {id} now; cluster_ids_ lists the current ids.")
    return _draw_bars(record, int(found[0]), ax)


def _draw_bars(record: Profile, cluster: int, ax: Axes | None) -> Axes:
    features = record.telling(cluster, _BARS)
    ax = style.axes_of(ax, (6.4, 1.4 + 0.26 * len(features)))
    values = record.deviations[cluster, features]
    colours = [style.COLOURS[3] if value > 0 else style.COLOURS[0] for value in values]
    bars = ax.barh(np.arange(len(features)), values, color=colours)
    ax.bar_label(bars, [f"{record.center[cluster, j]:.4g}" for j in features], padding=3, fontsize=style.SMALL)
    ax.axvline(0, color=style.ink(), linewidth=0.8)
    ax.margins(x=0.18)
    ax.invert_yaxis()
    _name_features(ax, record, features, "y")
    ax.set_xlabel("standard deviations from the stream's mean")
    ax.spines[["top", "right"]].set_visible(False)
    style.title(ax, f"What makes cluster {record.id[cluster]}", "at the bars: its centre")
    return ax


def _draw_table(record: Profile, ax: Axes | None) -> Axes:
    clusters = np.argsort(-record.rows, kind="stable")[:_CLUSTERS]
    clusters = clusters[np.argsort(record.id[clusters])]
    features = _shared_features(record, clusters)
    ax = style.axes_of(ax, (max(2.2 + 0.48 * len(features), 5.2), 1.8 + 0.27 * len(clusters)))
    values = record.deviations[np.ix_(clusters, features)]
    ax.imshow(values, cmap="PuOr_r", vmin=-_FAR, vmax=_FAR, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        # Dark cells want light figures, whatever the style.
        shade = "white" if abs(value) > 0.75 * _FAR else "black"
        look: dict[str, Any] = {"color": shade, "fontsize": style.SMALL - 1, "in_layout": False}
        ax.text(column, row, f"{value:+.1f}", ha="center", va="center", **look)
    ax.set_yticks(range(len(clusters)), [str(record.id[cluster]) for cluster in clusters], fontsize=style.SMALL)
    ax.set_ylabel("cluster id")
    _name_features(ax, record, features, "x")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    shown = f"the {len(clusters)} largest of {len(record.id)} clusters" if len(clusters) < len(record.id) else ""
    more = (
        f"{len(features)} of {len(record.feature_names)} features" if len(features) < len(record.feature_names) else ""
    )
    note = ", ".join(filter(None, [shown, more, "standard deviations from the stream's mean"]))
    style.title(ax, "What makes the clusters", note)
    return ax


def _shared_features(record: Profile, clusters: Ints) -> Ints:
    """Return the most distinctive feature of each cluster, the largest first, then the second of each."""
    by_size = clusters[np.argsort(-record.rows[clusters], kind="stable")]
    ranked = np.array([record.telling(int(cluster), _FEATURES) for cluster in by_size])
    return np.sort(list(dict.fromkeys(ranked.T.ravel().tolist()))[:_FEATURES])


def _name_features(ax: Axes, record: Profile, features: Ints, axis: str) -> None:
    names = [style.plain(record.feature_names[j]) for j in features]
    look: dict[str, Any] = {"fontsize": style.SMALL, "parse_math": False}
    if axis == "y":
        ax.set_yticks(range(len(names)), names, **look)
    else:
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", **look)
