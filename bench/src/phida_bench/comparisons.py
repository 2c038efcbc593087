"""The paper's comparisons: its 18 critical difference diagrams and its focused tests; the same with PHIDA+."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from phida_bench.metrics import metrics
from phida_bench.statistics import Comparison, compare, holm, wilcoxon
from phida_bench.summary import matrix


@dataclass(frozen=True)
class Diagram:
    """The methods, metric and setting of one ranking."""

    group: str
    """main, ablation, mapping; or plus: main with PHIDA+."""
    setting: str
    metric: str

    @property
    def name(self) -> str:
        return f"{self.group}_{self.setting}_{self.metric}"

    @property
    def title(self) -> str:
        what = {
            "main": "",
            "ablation": "ablations, ",
            "mapping": "mapping comparisons, ",
            "plus": "with PHIDA+, ",
        }[self.group]
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

#: Ranks of PHIDA+ among all systems; not in the paper.
PLUS_DIAGRAMS = (
    *(Diagram("plus", "nonstationary", metric) for metric in _STREAM),
    *(Diagram("plus", "stationary", metric) for metric in ("ari", "ami")),
    *(Diagram("plus", "nonstationary", metric) for metric in ("bwt_ari", "bwt_ami")),
)
PLUS = "PHIDA+"

#: The focused comparisons: one method against another; those with IDAT are corrected within their setting.
FAMILIES = {"nonstationary": _STREAM, "stationary": ("ari", "ami")}
OPPONENTS = {"PHIDA": ("IDAT", "SOINN+", "noPH"), PLUS: ("PHIDA", "IDAT", "SOINN+")}


def values(cells: pd.DataFrame, diagram: Diagram, groups: dict[str, str], *, complete: bool = False) -> pd.DataFrame:
    """Means by data set and method for a diagram, on the data sets common to all its methods.

    ``groups`` gives the group of each method. With ``complete``, only data sets on which every method has a result.
    """
    main = ("online", "batch")
    others = {"main": main, "ablation": ("ablation",), "mapping": ("mapping",), "plus": main}[diagram.group]
    also = ("PHIDA", PLUS) if diagram.group == "plus" else ("PHIDA",)
    here = cells[(cells["setting"] == diagram.setting) & (cells["metric"] == diagram.metric)]
    methods = [m for m in here["method"].unique() if m in also or groups.get(m) in others]
    here = here[here["method"].isin(methods)]
    run = here.groupby("dataset")["method"].nunique()
    table = matrix(here[here["dataset"].isin(run[run == len(methods)].index)], diagram.setting, diagram.metric)
    return table.dropna() if complete else table


def ranked(table: pd.DataFrame) -> Comparison | None:
    """Compare the methods of a diagram; None if there is nothing to compare."""
    return compare(table) if len(table) > 1 and len(table.columns) > 1 and "PHIDA" in table else None


def against_phida(cells: pd.DataFrame, titles: dict[str, str]) -> pd.DataFrame:
    """Compare PHIDA+ with PHIDA: means over data sets, and the ``titles`` of those on which PHIDA+ loses."""
    rows = []
    for setting, names in FAMILIES.items():
        for metric in names:
            table = matrix(cells, setting, metric)
            if not {"PHIDA", PLUS} <= set(table.columns):
                continue
            pairs = table[["PHIDA", PLUS]].dropna()
            gain = pairs[PLUS] - pairs["PHIDA"]
            lost = gain[gain < 0].sort_values()
            rows.append(
                {
                    "setting": setting,
                    "metric": metrics()[metric].title,
                    "PHIDA": f"{pairs['PHIDA'].mean():.3f}",
                    PLUS: f"{pairs[PLUS].mean():.3f}",
                    "better on": f"{int((gain > 0).sum())} of {len(pairs)}",
                    "worse on": ", ".join(f"{titles[name]} {value:+.3f}" for name, value in lost.items()),
                }
            )
    return pd.DataFrame(rows)


def focused(cells: pd.DataFrame) -> pd.DataFrame:
    """Wilcoxon tests of each method against each of its available opponents, with Holm's correction for IDAT."""
    rows = []
    for setting, names in FAMILIES.items():
        for method, opponent in ((method, other) for method, others in OPPONENTS.items() for other in others):
            tests: dict[str, tuple[float, int, int]] = {}
            for metric in names:
                table = matrix(cells, setting, metric)
                if {method, opponent} <= set(table.columns):
                    pairs = table[[method, opponent]].dropna()
                    better = int((pairs[method] > pairs[opponent]).sum())
                    if len(pairs) > 1:
                        tests[metric] = (wilcoxon(table, method, opponent), better, len(pairs))
            adjusted = holm({metric: p for metric, (p, _, _) in tests.items()}) if opponent == "IDAT" else {}
            for metric, (p, better, pairs_count) in tests.items():
                rows.append(
                    {
                        "setting": setting,
                        "method": method,
                        "against": opponent,
                        "metric": metrics()[metric].title,
                        "better on": f"{better} of {pairs_count}",
                        "p": p,
                        "Holm": adjusted.get(metric),
                    }
                )
    return pd.DataFrame(rows)
