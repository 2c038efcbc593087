"""Plot of the distinctive features of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from phida.answers.profile import Profile, readable
from phida.plots import style
from phida.records import Floats, Ints

#: Maximum numbers of readable rows, columns and bars.
_CLUSTERS, _FEATURES, _BARS = 24, 14, 15
#: Deviations at the ends of the colour scale.
_FAR = 3.0


def plot_profile(model: Any, *, id: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the distinctive features of clusters, in standard deviations from the mean of the stream.

    Without ``id``, a table shows the largest clusters, the largest first, and their most distinctive features. For a
    single cluster, bars show the share of the variance of each feature. With ``id``, bars show the most distinctive
    features of that cluster.

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
        return _draw_table(record, ax) if len(record.id) > 1 else _draw_spread(model, record, ax)
    found = np.flatnonzero(record.id == id)
    if not len(found):
        raise ValueError(f"no cluster has id {id} now; cluster_ids_ lists the current ids.")
    return _draw_bars(record, int(found[0]), ax)


def _draw_bars(record: Profile, cluster: int, ax: Axes | None) -> Axes:
    features = record.telling(cluster, _BARS)
    values = record.deviations[cluster, features]
    colours = [style.COLOURS[3] if value > 0 else style.COLOURS[0] for value in values]
    texts = [readable(record.center[cluster, j]) for j in features]
    ax = _bars(ax, record, features, values, colours, texts)
    ax.axvline(0, color=style.ink(), linewidth=0.8)
    ax.set_xlabel("standard deviations from the stream's mean")
    style.title(ax, f"What makes cluster {record.id[cluster]}", "at the bars: its centre")
    return ax


def _draw_spread(model: Any, record: Profile, ax: Axes | None) -> Axes:
    """A single cluster's centre is the mean of the stream, so features are compared by variance."""
    moments, view = model.moments_, model.assignment_view_
    variance = (moments.deviation / view.denominator) ** 2
    share = variance / (variance.sum() or 1.0)
    features = np.argsort(-share, kind="stable")[:_BARS]
    texts = [f"{readable(moments.mean[j])} ± {readable(moments.deviation[j])}" for j in features]
    ax = _bars(ax, record, features, 100 * share[features], [style.COLOURS[0]] * len(features), texts)
    ax.set_xlabel("% of the variance, after scaling of the features")
    shown = f"; {len(features)} of {len(share)} features" if len(features) < len(share) else ""
    style.title(ax, "One cluster: how much each feature varies", f"at the bars: mean ± standard deviation{shown}")
    return ax


def _bars(
    ax: Axes | None, record: Profile, features: Ints, values: Floats, colours: list[str], texts: list[str]
) -> Axes:
    """Draw a bar per feature, with text at its end."""
    ax = style.axes_of(ax, (6.4, 1.4 + 0.26 * len(features)))
    bars = ax.barh(np.arange(len(features)), values, color=colours)
    ax.bar_label(bars, texts, padding=3, fontsize=style.SMALL)
    ax.margins(x=0.2)
    ax.invert_yaxis()
    _name_features(ax, record, features, "y")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _draw_table(record: Profile, ax: Axes | None) -> Axes:
    clusters = np.argsort(-record.share, kind="stable")[:_CLUSTERS]
    features = _shared_features(record, clusters)
    ax = style.axes_of(ax, (max(2.2 + 0.48 * len(features), 5.2), 1.8 + 0.27 * len(clusters)))
    values = record.deviations[np.ix_(clusters, features)]
    colours = LinearSegmentedColormap.from_list("deviations", [style.COLOURS[0], style.paper(), style.COLOURS[3]])
    ax.imshow(values, cmap=colours, vmin=-_FAR, vmax=_FAR, aspect="auto")
    for (row, column), value in np.ndenumerate(values):
        shade = "white" if abs(value) > 0.75 * _FAR else style.ink()
        look: dict[str, Any] = {"color": shade, "fontsize": style.SMALL - 1, "in_layout": False}
        ax.text(column, row, f"{value:+.1f}" if abs(value) >= 0.05 else "0", ha="center", va="center", **look)
    names = [f"{record.id[cluster]}  ({record.share[cluster]:.1%})" for cluster in clusters]
    ax.set_yticks(range(len(clusters)), names, fontsize=style.SMALL)
    ax.set_ylabel("cluster id (share)")
    _name_features(ax, record, features, "x")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    rest = 1 - float(record.share[clusters].sum())
    shown = f"the {len(clusters)} largest of {len(record.id)} clusters" if len(clusters) < len(record.id) else ""
    more = (
        f"{len(features)} of {len(record.feature_names)} features" if len(features) < len(record.feature_names) else ""
    )
    left = f"the others hold {rest:.0%}" if shown else ""
    note = "; ".join(filter(None, ["standard deviations from the stream's mean", shown, left, more]))
    style.title(ax, "What makes the clusters", note)
    return ax


def _shared_features(record: Profile, clusters: Ints) -> Ints:
    """Return the most distinctive features, in turn for each cluster, largest first."""
    ranked = np.array([record.telling(int(cluster), _FEATURES) for cluster in clusters])
    return np.sort(list(dict.fromkeys(ranked.T.ravel().tolist()))[:_FEATURES])


def _name_features(ax: Axes, record: Profile, features: Ints, axis: str) -> None:
    names = [style.plain(record.feature_names[j]) for j in features]
    look: dict[str, Any] = {"fontsize": style.SMALL, "parse_math": False}
    if axis == "y":
        ax.set_yticks(range(len(names)), names, **look)
    else:
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right", rotation_mode="anchor", **look)
