"""Critical difference diagrams: average ranks on a line, with a bar over methods that do not differ significantly."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure
from scikit_posthocs import critical_difference_diagram


def cd_diagram(ranks: pd.Series, p_values: pd.DataFrame, title: str, highlight: str) -> Figure:
    """Draw average ranks (smaller is better), and bars over methods that do not differ by Nemenyi's comparisons.

    One method is highlighted by colour and weight; the others differ by place and name, not by colour.
    """
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(7.0, 0.9 + 0.16 * len(ranks)), layout="constrained")
        axes = figure.subplots()
        drawn = critical_difference_diagram(
            ranks,
            p_values,
            ax=axes,
            color_palette={name: "#0b5fa5" if name == highlight else "#333333" for name in ranks.index},
            elbow_props={"linewidth": 1.0},
            crossbar_props={"linewidth": 2.4, "color": "#8a8a8a", "marker": None},
            label_fmt_left="{label} ({rank:.2f})",
            label_fmt_right="({rank:.2f}) {label}",
        )
        # The bars come in the order of a set, which differs from process to process.
        for bar in (line for lines in drawn["crossbars"] for line in lines):
            bar.set_data([min(bar.get_xdata()), max(bar.get_xdata())], bar.get_ydata()[:2])
        for text in axes.texts:
            if highlight in (text.get_text().split(" (")[0], text.get_text().split(") ")[-1]):
                text.set_fontweight("bold")
        axes.set_title(title, fontsize=9, pad=10)
    return figure
