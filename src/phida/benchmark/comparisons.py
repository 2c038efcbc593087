"""The paper's comparisons: its 18 critical difference diagrams and its focused tests."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from phida.benchmark.metrics import metrics
from phida.benchmark.statistics import Comparison, compare, holm, wilcoxon
from phida.benchmark.summary import matrix


@dataclass(frozen=True)
class Diagram:
    """Which methods are ranked by what."""

    group: str
    """main, ablation or mapping."""
    setting: str
    metric: str

    @property
    def name(self) -> str:
        return f"{self.group}_{self.setting}_{self.metric}"

    @property
    def title(self) -> str:
        what = {"main": "", "ablation": "ablations, ", "mapping": "mapping comparisons, "}[self.group]
        return f"{what}{self.setting}, {metrics()[self.metric].title}"


_STREAM = ("ari", "ami", "avginc_ari", "avginc_ami")
DIAGRAMS = (
    *(Diagram("main", "nonstationary", metric) for metric in _STREAM),
    *(Diagram("main", "stationary", metric) for metric in ("ari", "ami")),
    *(Diagram("ablation", s, metric) for s in ("nonstationary", "stationary") for metric in ("ari", "ami")),
    *(Diagram("main", "nonstationary", metric) for metric in ("bwt_ari", "bwt_ami")),
    *(Diagram("mapping", "stationary", metric) for metric in ("ari", "ami")),
    *(Diagram("mapping", "nonstationary", metric) for metric in _STREAM),
)

#: The focused comparisons: PHIDA against one method; those with IDAT are corrected within their setting.
FAMILIES = {"nonstationary": _STREAM, "stationary": ("ari", "ami")}
OPPONENTS = ("IDAT", "SOINN+", "noPH")


def values(cells: pd.DataFrame, diagram: Diagram, groups: dict[str, str], *, complete: bool = False) -> pd.DataFrame:
    """Means by data set and method for a diagram, on the data sets that all its methods were run on.

    ``groups`` gives the group of each method. With ``complete``, only data sets on which every method has a result.
    """
    others = {"main": ("online", "batch"), "ablation": ("ablation",), "mapping": ("mapping",)}[diagram.group]
    here = cells[(cells["setting"] == diagram.setting) & (cells["metric"] == diagram.metric)]
    methods = [m for m in here["method"].unique() if m == "PHIDA" or groups.get(m) in others]
    here = here[here["method"].isin(methods)]
    run = here.groupby("dataset")["method"].nunique()
    table = matrix(here[here["dataset"].isin(run[run == len(methods)].index)], diagram.setting, diagram.metric)
    return table.dropna() if complete else table


def ranked(table: pd.DataFrame) -> Comparison | None:
    """The comparison of a diagram, or None where there is nothing to compare."""
    return compare(table) if len(table) > 1 and len(table.columns) > 1 and "PHIDA" in table else None


def focused(cells: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon tests of PHIDA against each opponent at hand, with Holm's correction for IDAT."""
    rows = []
    for setting, names in FAMILIES.items():
        for opponent in OPPONENTS:
            tests: dict[str, tuple[float, int, int]] = {}
            for metric in names:
                table = matrix(cells, setting, metric)
                if {"PHIDA", opponent} <= set(table.columns):
                    pairs = table[["PHIDA", opponent]].dropna()
                    better = int((pairs["PHIDA"] > pairs[opponent]).sum())
                    if len(pairs) > 1:
                        tests[metric] = (wilcoxon(table, "PHIDA", opponent), better, len(pairs))
            adjusted = holm({metric: p for metric, (p, _, _) in tests.items()}) if opponent == "IDAT" else {}
            for metric, (p, better, pairs_count) in tests.items():
                rows.append(
                    {
                        "setting": setting,
                        "PHIDA against": opponent,
                        "metric": metrics()[metric].title,
                        "better on": f"{better} of {pairs_count}",
                        "p": p,
                        "Holm": adjusted.get(metric),
                    }
                )
    return pd.DataFrame(rows)
