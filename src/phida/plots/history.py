"""Plot of the growth of a model: nodes, clusters, vigilance and interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator, StrMethodFormatter
from numpy.typing import NDArray

from phida.plots import style
from phida.plots.model import Model

#: Panels from top to bottom: field and name.
_PANELS = (("n_nodes", "nodes"), ("n_clusters", "clusters"), ("vigilance", "vigilance"), ("interval", "interval"))


@style.documented
def plot_history(model: Model, *, ax: Axes | None = None) -> Axes:
    """Draw nodes, clusters, vigilance and interval over the rows learned, in one panel each.

    The data are those of ``model.history_``. PHIDA+ has no vigilance and no interval, so it has two panels.

    The panels are axes inside the returned ones (``ax.child_axes``).
    """
    record = model.history_
    panels = [(field, name) for field, name in _PANELS if getattr(record, field) is not None]
    ax = style.axes_of(ax, (7.2, 1.4 * len(panels)))
    if not len(record.sample):
        return style.empty(ax, "no refresh yet")
    ax.set_axis_off()
    height = 1 / len(panels)
    for i, (field, name) in enumerate(panels):
        panel = ax.inset_axes((0.0, 1 - (i + 0.88) * height, 1.0, 0.76 * height))
        _draw(panel, record.sample, getattr(record, field), name)
        if i < len(panels) - 1:
            panel.tick_params(labelbottom=False)
        else:
            panel.set_xlabel("rows learned")
    count = len(record.sample)
    style.title(ax, "History", f"{count:,} refresh{'es' if count > 1 else ''} up to row {int(record.sample[-1]):,}")
    return ax


def _draw(panel: Axes, sample: NDArray[np.int64], values: NDArray[Any], name: str) -> None:
    panel.step(sample, values, where="post", color=style.ink(), linewidth=1.1, marker="." if len(sample) < 40 else "")
    panel.set_ylabel(name)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color=style.GREY, alpha=0.25, linewidth=0.6)
    panel.margins(x=0.01, y=0.12)
    panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if np.issubdtype(values.dtype, np.integer):
        panel.set_ylim(0, max(1.15 * float(values.max()), 1.5))
        panel.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
        panel.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    panel.annotate(
        f"{values[-1]:,.4g}",
        (sample[-1], values[-1]),
        (4, 0),
        textcoords="offset points",
        fontsize=style.SMALL,
        va="center",
        annotation_clip=False,
    )
