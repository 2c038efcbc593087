"""The tables of results: the paper's layout, the comparison with the published values, and trials without a result."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from phida_bench.datasets import entries
from phida_bench.methods import Method
from phida_bench.methods import methods as known_methods
from phida_bench.metrics import metrics
from phida_bench.plan import all_tuned
from phida_bench.published import RUNS
from phida_bench.report.document import Table
from phida_bench.runner import seeds_for
from phida_bench.summary import beside_published

#: The metrics of each of the paper's tables.
LAYOUT = {
    ("stationary", "quality"): ("ari", "ami"),
    ("nonstationary", "final"): ("ari", "ami"),
    ("nonstationary", "streamwise"): ("avginc_ari", "avginc_ami"),
    ("nonstationary", "bwt"): ("bwt_ari", "bwt_ami"),
    ("stationary", "structure"): ("n_nodes", "n_clusters"),
    ("nonstationary", "structure"): ("n_nodes", "n_clusters"),
    ("stationary", "time"): ("fit_seconds",),
    ("nonstationary", "time"): ("fit_seconds",),
    ("stationary", "memory"): ("peak_memory",),
    ("nonstationary", "memory"): ("peak_memory",),
}


def results(cells: pd.DataFrame, methods: list[str], prefix: str = "") -> list[Table]:
    """Return one table per part of the layout: mean (standard deviation) by data set and method."""
    tables = []
    for (setting, part), names in LAYOUT.items():
        here = cells[(cells["setting"] == setting) & cells["metric"].isin(names) & cells["method"].isin(methods)]
        columns = [m for m in methods if m in set(here["method"])]
        if not columns:
            continue
        by_key = {(row.dataset, row.metric, row.method): row for row in here.itertuples()}
        rows = []
        for dataset in _in_order(here["dataset"]):
            for name in names:
                row = {"data set": entries(None)[dataset].title, "metric": metrics()[name].title}
                rows.append(row | {m: cell(by_key.get((dataset, name, m)), name) for m in columns})
        note = _conditions(columns)
        if here[here["status"] == "ok"]["runs"].min() < RUNS:
            note += " Some cells have fewer than 30 seeds: see the table of seeds."
        tables.append(Table(f"{prefix}{setting}_{part}", f"{setting.capitalize()}: {part}", pd.DataFrame(rows), note))
    return tables


def _conditions(names: list[str]) -> str:
    """Describe the numbers of a table, and which methods were tuned or given the number of classes."""
    present = [known_methods()[name] for name in names if name in known_methods()]
    note = "Mean (standard deviation) over seeds from 0 on. N/A: no result; the last section gives the reason."
    if tuned_ones := [method.name for method in present if method.space]:
        note += f" Tuned for ARI with the true classes, on other seeds: {', '.join(tuned_ones)}."
    if given_count := [method.name for method in present if method.needs_class_count]:
        note += f" Given the number of classes: {', '.join(given_count)}."
    return note


def cell(row: object, metric: str) -> str:
    """Return ``mean (std)`` in the metric's digits; N/A if unavailable, -- if not applicable, empty if not run."""
    if row is None:
        return ""
    if row.status != "ok":  # type: ignore[attr-defined]
        return "N/A" if row.status == "unavailable" else "--"  # type: ignore[attr-defined]
    digits = metrics()[metric].digits
    mean, std = row.mean, row.std  # type: ignore[attr-defined]
    return f"{mean:.{digits}f}" + ("" if math.isnan(std) else f" ({std:.{digits}f})")


def against_published(cells: pd.DataFrame, method: str, name: str, setting: str) -> Table:
    """Compare a method's cells with the published ones: ours, theirs, and the difference in standard errors."""
    both = beside_published(cells, {method: name})
    both = both[both["dataset"].isin(entries())]
    wanted = [m for m in metrics().values() if setting in m.settings and m.better != "lower"]
    rows = []
    for dataset in _in_order(both["dataset"]):
        row: dict[str, str] = {"data set": entries(None)[dataset].title}
        for metric in wanted:
            found = both[(both["setting"] == setting) & (both["dataset"] == dataset) & (both["metric"] == metric.name)]
            row[metric.title] = "" if found.empty else _beside(found.iloc[0], metric.digits)
        rows.append(row)
    title = f"{method} and the published {name}, {setting}"
    note = (
        "Each cell: our mean · published mean · difference in standard errors, √(s²/n + s'²/30). “=” means equal to "
        "every printed digit. “≈” means a difference of at most one unit of the last digit."
    )
    return Table(f"published_{setting}_{_plain(method)}", title, pd.DataFrame(rows), note)


def seconds(cells: pd.DataFrame, names: dict[str, str], setting: str) -> Table:
    """Compare seconds of learning with the published ones, for methods by their published names."""
    both = beside_published(cells, names)
    both = both[(both["metric"] == "fit_seconds") & (both["setting"] == setting) & both["dataset"].isin(entries())]
    by_key = {(row.dataset, row.method): row for row in both.itertuples()}
    rows = []
    for dataset in _in_order(both["dataset"]):
        row = {"data set": entries(None)[dataset].title}
        for method in names:
            found = by_key.get((dataset, method))
            row[method] = "" if found is None else f"{_seconds(found.mean)} · {_seconds(found.mean_published)}"
        rows.append(row)
    note = (
        "Each cell: our mean · published mean, in seconds per trial. Our seconds are of one core. The paper does not "
        "state its machine."
    )
    return Table(f"seconds_{setting}", f"Seconds of learning, ours and published, {setting}", pd.DataFrame(rows), note)


def _seconds(value: float) -> str:
    return "N/A" if math.isnan(value) else f"{value:.3g}"


def agreement(row: pd.Series, digits: int) -> str:
    """Compare our mean with the published one: ``=``, ``≈``, or the standard errors between them."""
    if np.isnan(row["mean"]) or np.isnan(row["mean_published"]):
        return "N/A"
    unit = 10.0**-digits
    # A little more than half a unit: the published mean may come from a value at the edge of rounding.
    if abs(row["difference"]) <= 0.5 * unit * (1 + 1e-9):
        return "="
    if abs(round(row["mean"], digits) - row["mean_published"]) <= 1.001 * unit:
        return "≈"
    errors = row["standard_errors"]
    return f"{errors:+.1f}" if np.isfinite(errors) else "≠"  # without a spread, there is no unit


def _beside(row: pd.Series, digits: int) -> str:
    published = "N/A" if np.isnan(row["mean_published"]) else f"{row['mean_published']:.{digits}f}"
    ours = "N/A" if np.isnan(row["mean"]) else f"{row['mean']:.{digits}f}"
    return f"{ours} · {published} · {agreement(row, digits)}"


def deviations(cells: pd.DataFrame, method: str, name: str) -> Table:
    """Compare the standard deviations with the published ones, over all cells of a metric."""
    both = beside_published(cells, {method: name}).dropna(subset=["std", "std_published"])
    rows = []
    for (setting, metric), group in both.groupby(["setting", "metric"], sort=False):
        gap = (group["std"] - group["std_published"]).abs()
        digits = metrics()[metric].digits
        rows.append(
            {
                "setting": setting,
                "metric": metrics()[metric].title,
                "cells": str(len(group)),
                "equal to the printed digit": str(int((gap <= 0.5 * 10.0**-digits * (1 + 1e-9)).sum())),
                "median |gap|": f"{gap.median():.{digits}f}",
                "largest |gap|": f"{gap.max():.{digits}f} ({entries(None)[group.loc[gap.idxmax(), 'dataset']].title})",
            }
        )
    return Table(f"deviations_{_plain(method)}", f"Standard deviations of {method}", pd.DataFrame(rows))


def differences(trials: pd.DataFrame, a: str, b: str) -> Table:
    """Compare two of our methods: the mean difference in paired standard errors, by metric."""
    rows: dict[str, dict[str, float]] = {}
    for (setting, dataset), group in trials[trials["status"] == "ok"].groupby(["setting", "dataset"], sort=False):
        for metric in ("ari", "ami", "avginc_ari", "avginc_ami", "n_nodes", "n_clusters"):
            if setting in metrics()[metric].settings:
                seeds = group.pivot(index="seed", columns="method", values=metric)
                if {a, b} <= set(seeds):
                    column = setting.replace("stationary", "stat.") + " " + metric
                    rows.setdefault(dataset, {})[column] = _paired((seeds[a] - seeds[b]).dropna())
    wide = pd.DataFrame.from_dict(rows, orient="index")
    wide = wide.loc[_in_order(pd.Series(wide.index))]
    shown = wide.map(lambda z: "" if np.isnan(z) else f"{z:+.1f}")
    shown.insert(0, "data set", [entries(None)[name].title for name in wide.index])
    z = wide.to_numpy().ravel()
    z = z[np.isfinite(z)] if np.isfinite(z).any() else np.zeros(1)
    two_classes = ", ".join(entries(None)[name].title for name in wide.index if entries(None)[name].classes == 2)
    beyond = int((np.abs(z) > 2).sum())
    verdict = (
        f"The mean over seeds of {a} minus {b} of the same seed, in its standard errors. {beyond} of "
        f"{len(z)} exceed 2 ({0.05 * len(z):.0f} would by chance were the seeds independent); mean {z.mean():+.2f}, "
        f"largest {np.abs(z).max():.1f}; {int((z == 0).sum())} are 0."
    )
    if two_classes:
        few = [name for name in wide.index if entries(None)[name].classes == 2]
        rest = wide.mask(wide.columns.str.startswith("nonstat.") & wide.index.isin(few)[:, None]).to_numpy()
        rest = rest[np.isfinite(rest)]
        verdict += (
            " With two classes there are only two orders of the classes, so that nonstationary trials repeat and a "
            f"standard error says little: {two_classes}. Without those cells, {int((np.abs(rest) > 2).sum())} of "
            f"{len(rest)} exceed 2."
        )
    name = f"differences_{_plain(a)}_{_plain(b)}"
    return Table(name, f"{a} minus {b}, in standard errors", shown.reset_index(drop=True), verdict)


def _paired(difference: pd.Series) -> float:
    if len(difference) < 2:
        return math.nan
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    mean = difference.mean()
    return 0.0 if mean == 0 else float(mean / error) if error > 0 else math.nan


def seeds(cells: pd.DataFrame, methods: list[str]) -> Table:
    """Describe the number of seeds per cell, cells with fewer than the rule, and cells without raw records."""
    here = cells[(cells["metric"] == "ari") & cells["method"].isin(methods)]
    learning = cells[cells["metric"] == "fit_seconds"].set_index(["setting", "dataset", "method"])["mean"]
    rows = []
    for (setting, method), group in here.groupby(["setting", "method"], sort=False):
        ok = group[group["status"] == "ok"]
        counts = ok["runs"].value_counts().sort_index(ascending=False)
        done = ", ".join(
            f"{int(count)} data {'set' if count == 1 else 'sets'} with {int(runs)}" for runs, count in counts.items()
        )
        few = [
            f"{entries(None)[row.dataset].title} {int(row.runs)}"
            for row in ok.itertuples()
            if row.runs < seeds_for(float(learning.get((setting, row.dataset, method), 0.0)))
            and not known_methods()[method].deterministic
        ]
        row = {"setting": setting, "method": method, "seeds": done or "none", "below the rule": ", ".join(few)}
        if "earlier" in cells:
            gone, kept = ok[ok["earlier"]]["dataset"], ok[~ok["earlier"]]["dataset"]
            shown, words = (gone, "") if len(gone) < len(kept) else (kept, "all but " if len(kept) else "all")
            row["without raw records"] = words + ", ".join(entries(None)[name].title for name in shown)
        rows.append(row)
    note = "The rule: 30 seeds if learning takes less than 5 s, 10 up to a minute, otherwise 3."
    return Table("words_seeds", "Seeds", pd.DataFrame(rows), note)


def tuned(folder: Path) -> Table:
    """Return the parameters that tuning chose, with their score and the limits of tuning."""
    rows = []
    for method, dataset, setting, facts in all_tuned(folder):
        budget = facts["budget"]
        trials = f"{facts['tried']} of {budget['trials']}" if "tried" in facts else f"up to {budget['trials']}"
        rows.append(
            {
                "method": method,
                "data set": entries(None)[dataset].title,
                "setting": setting,
                "chosen": ", ".join(f"{name} {value:.4g}" for name, value in facts["parameters"].items()),
                "ARI when chosen": f"{facts['ari']:.3f}",
                "trials": f"{trials} × {budget['seeds']} seeds in {budget['seconds']:g} s",
            }
        )
    rows.sort(key=lambda row: (row["method"], row["setting"]))
    note = (
        "Chosen for ARI with the true classes, by optuna's TPE after 15 random trials, on seeds from 100 on. Results "
        "of these seeds are not reported. A search ends after its trials or its seconds, whichever comes first. Cells "
        "that are not listed have the defaults, because no trial ended in time. Parameters have four digits. The "
        "reported trials run with these."
    )
    return Table("words_tuned", "Tuned parameters", pd.DataFrame(rows), note)


class _Ranges:
    """Replacement of an optuna trial that records the search space."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int:
        self.words.append(f"{name} {low} … {high}" + (" (log)" if log else ""))
        return low

    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float:
        self.words.append(f"{name} {low:g} … {high:g}" + (" (log)" if log else ""))
        return low


def searched(methods: Iterable[Method]) -> Table | None:
    """Return the search spaces of tuning and the points tried first; None if nothing is tuned."""
    rows = []
    for method in methods:
        if method.space is not None:
            ranges = _Ranges()
            method.space(ranges)
            first = "; ".join(", ".join(f"{n} {v:g}" for n, v in start.items()) for start in method.starts)
            rows.append({"method": method.name, "searched": ", ".join(ranges.words), "tried first": first})
    note = (
        "The paper's ranges are not known. These are the suggested ones, so results may differ from the published "
        "values. For DDVFA, rho_ub is never below rho_lb."
    )
    return Table("words_searched", "Ranges of the search", pd.DataFrame(rows), note) if rows else None


def fixed(methods: Iterable[Method]) -> Table | None:
    """Return the decisions on details that publications leave open; None if there are none."""
    rows = [{"method": method.name, "settings": method.fixed} for method in methods if method.fixed]
    return Table("words_fixed", "Settings that are not tuned", pd.DataFrame(rows)) if rows else None


def not_run(table: pd.DataFrame, earlier: pd.DataFrame | None = None) -> Table:
    """Return trials without a result and their reasons, and cells of an earlier run that were not run again."""
    bad = table[table["status"] != "ok"]
    if earlier is not None:
        keys = ["setting", "dataset", "method"]
        gone = earlier[(earlier["metric"] == "ari") & (earlier["status"] == "unavailable")]
        since = pd.MultiIndex.from_frame(table[keys])
        gone = gone[~pd.MultiIndex.from_frame(gone[keys]).isin(since)]
        bad = pd.concat([bad, gone[[*keys, "reason"]].assign(status="N/A")], ignore_index=True)
    rows = [
        {
            "method": method,
            "data set": dataset,
            "setting": setting,
            "status": status,
            "trials": len(group),
            "reason": str(group["reason"].iloc[0]).removeprefix("as with seed 0: "),
        }
        for (method, dataset, setting, status), group in bad.groupby(["method", "dataset", "setting", "status"])
    ]
    columns = ["method", "data set", "setting", "status", "trials", "reason"]
    return Table("words_not_run", "Trials without a result", pd.DataFrame(rows, columns=columns).astype(str))


def mixed(trials: pd.DataFrame) -> Table | None:
    """Return cells whose trials differ in parameters or versions; None if there are none."""
    ok = trials[trials["status"] == "ok"]
    made = ok.groupby(["method", "dataset", "setting"])["made_with"].nunique()
    rows = [
        {"method": method, "data set": entries(None)[dataset].title, "setting": setting, "kinds": str(count)}
        for (method, dataset, setting), count in made[made > 1].items()
    ]
    if not rows:
        return None
    note = "Trials of these cells have different parameters or versions; phida-bench run makes them alike."
    return Table("words_mixed", "Cells of mixed origin", pd.DataFrame(rows), note)


def _in_order(names: pd.Series) -> list[str]:
    present = set(names)
    return [name for name in entries(None) if name in present]


def _plain(name: str) -> str:
    return name.lower().replace("+", "_").replace("-", "_")
