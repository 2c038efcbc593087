"""The page of the data with visible groups: scores of each system, losses of PHIDA+, and a picture per data set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from phida_bench import records
from phida_bench.datasets import Entry, entries, load
from phida_bench.methods import Method
from phida_bench.methods import methods as known_methods
from phida_bench.protocol import ORDERS, stages
from phida_bench.records import Trial
from phida_bench.report.cd_diagram import cd_diagram
from phida_bench.report.document import Picture, Section, Table
from phida_bench.report.small_multiples import Case, small_multiples
from phida_bench.statistics import compare
from phida_bench.summary import matrix

#: Our system whose clusters are drawn and whose losses are listed.
OURS = "PHIDA+"
#: ARI from which a partition looks like the true one.
SOLVED = 0.95
#: The share of data sets that a system must have finished to be ranked.
_ENOUGH = 0.9
#: Minimum difference in ARI to be listed.
_WORTH = 0.05

_ORDER_WORDS = {"shuffled": "shuffled", "grouped": "group by group"}


def sections(cells: pd.DataFrame, drawn: tuple[Picture, ...]) -> list[Section]:
    """Return all sections of the page, from the cells of the collection and pictures of the data sets."""
    known = known_methods()
    present = [known[name] for name in known if name in set(cells["method"])]
    found = [
        Section("In short", tables=(overview(cells, present), *by_family(cells, present))),
        _ranks(cells, present),
        Section(f"Where {OURS} loses", tables=tuple(losses(cells, present))),
        Section("Pictures", pictures=drawn),
        Section("Every data set", tables=tuple(_every(cells, present))),
        Section("The systems", tables=(_systems(present),)),
    ]
    return [section for section in found if section.tables or section.pictures]


def wide(cells: pd.DataFrame) -> pd.DataFrame:
    """Return one row per order, data set and method, with a rounded column per metric: the cells in few bytes."""
    ok = cells.assign(mean=cells["mean"].where(cells["status"] == "ok"))
    table = ok.pivot(index=["setting", "dataset", "method"], columns="metric", values="mean")
    runs = ok[ok["metric"] == "ari"].set_index(["setting", "dataset", "method"])["runs"]
    columns = {"ari": 3, "ami": 3, "early_ari": 3, "early_ami": 3, "n_clusters": 1, "us_per_row": 1}
    kept = table.reindex(columns=list(columns)).round(columns)
    return kept.assign(runs=runs).reset_index()


def narrow(table: pd.DataFrame) -> pd.DataFrame:
    """Turn the table of :func:`wide` into one row per cell and metric again, without standard deviations."""
    cells = table.melt(["setting", "dataset", "method", "runs"], var_name="metric", value_name="mean")
    return cells.assign(status=np.where(cells["mean"].isna(), "unavailable", "ok"))


def overview(cells: pd.DataFrame, methods: list[Method]) -> Table:
    """Return the means over all data sets by system."""
    total = cells["dataset"].nunique()
    tables = {(order, metric): matrix(cells, order, metric) for order in ORDERS for metric in ("ari", "ami")}
    early, clusters = matrix(cells, "shuffled", "early_ari"), matrix(cells, "shuffled", "n_clusters")
    truth = pd.Series({name: entry.classes for name, entry in entries("shapes").items()})
    speed = matrix(cells, "shuffled", "us_per_row")
    rows = []
    for method in methods:
        name = method.name
        if name not in tables["shuffled", "ari"]:
            continue
        scores = tables["shuffled", "ari"][name].dropna()
        turned = tables["grouped", "ari"].get(name)
        counts = clusters[name].dropna()
        right = (counts.round() == truth.reindex(counts.index)).mean()
        rows.append(
            {
                "system": name,
                "given": _given(method),
                "ARI": f"{scores.mean():.3f}",
                "ARI by group": _mean(turned, 3),
                "AMI": _mean(tables["shuffled", "ami"].get(name), 3),
                "AMI by group": _mean(tables["grouped", "ami"].get(name), 3),
                "early ARI": _mean(early.get(name), 3),
                "ARI ≥ .95": f"{(scores >= SOLVED).mean():.0%}",
                "ARI ≥ .95 by group": "" if turned is None else f"{(turned.dropna() >= SOLVED).mean():.0%}",
                "right number": f"{right:.0%}",
                "µs per row": f"{speed[name].median():.1f}",
                "data sets": f"{len(scores)} of {total}",
            }
        )
    note = (
        "Means over the data sets that a system finished. Rows are shuffled, except in columns by group. Early: after "
        "a tenth of the shuffled rows. ARI ≥ .95: share of data sets. Right number: share of data sets, shuffled, on "
        "which the mean number of clusters is the true one. µs per row: learning and labelling, median over data sets, "
        "on one core of a machine with other work to do. Given: information that the system gets besides the rows. K: "
        "the true number of groups. Scale: the range of the features; a distance parameter is a share of it. All rows: "
        "the system sees all rows at once, so there is no second order."
    )
    return Table("overview", "All data sets", pd.DataFrame(rows), note)


def by_family(cells: pd.DataFrame, methods: list[Method]) -> Iterator[Table]:
    """Return the mean ARI by family of data sets, one table per order."""
    family = {name: entry.family for name, entry in entries("shapes").items()}
    for order in ORDERS:
        table = matrix(cells, order, "ari")
        if table.empty:
            continue
        means = table.groupby(table.index.map(family)).mean()
        kinds = [kind for kind in dict.fromkeys(family.values()) if kind in means.index]
        counts = table.index.map(family).value_counts()
        rows = [
            {
                "system": method.name,
                **{f"{kind} ({counts[kind]})": f"{means.loc[kind, method.name]:.2f}" for kind in kinds},
            }
            for method in methods
            if method.name in table
        ]
        title = f"ARI by kind of data, {_ORDER_WORDS[order]}"
        yield Table(
            f"families_{order}",
            title,
            pd.DataFrame(rows).replace("nan", ""),
            "In brackets: number of data sets. Means are over those that a system finished.",
        )


def losses(cells: pd.DataFrame, methods: list[Method]) -> Iterator[Table]:
    """Return the data sets on which another system is better than ours, one table per order."""
    titles = {name: entry.title for name, entry in entries("shapes").items()}
    with_k = {method.name for method in methods if method.needs_class_count}
    ours = {method.name for method in methods if method.group in ("plus", "phida")}
    for order in ORDERS:
        table, clusters = matrix(cells, order, "ari"), matrix(cells, order, "n_clusters")
        if OURS not in table:
            continue
        rows = []
        for name in (name for name in entries("shapes") if name in table.index):
            scores = table.loc[name].dropna()
            others = scores.drop(labels=[label for label in scores.index if label in ours])
            if OURS not in scores or others.empty or others.max() <= scores[OURS] + _WORTH:
                continue
            without = others.drop(labels=[label for label in others.index if label in with_k])
            given = others.drop(labels=without.index)
            rows.append(
                {
                    "data set": titles[name],
                    "groups": str(entries("shapes")[name].classes),
                    OURS: f"{scores[OURS]:.2f}",
                    "clusters found": f"{clusters.loc[name, OURS]:.1f}",
                    "best of those without K": _best(without),
                    "best of those given K": _best(given),
                }
            )
        note = (
            f"Data sets on which any other system is better by more than {_WORTH} of ARI, {len(rows)} of {len(table)}. "
            "K is the true number of groups. The best system is chosen for each data set."
        )
        title = f"Better than {OURS}, {_ORDER_WORDS[order]}"
        yield Table(f"words_losses_{order}", title, pd.DataFrame(rows), note)


def representatives(cells: pd.DataFrame, methods: list[Method]) -> list[str]:
    """Return the systems to rank: of several settings of one system, the one with the best mean ARI."""
    means = matrix(cells, "shuffled", "ari").mean()
    kinds: dict[str, list[str]] = {}
    for method in methods:
        if method.name in means and method.group not in ("phida", "plus"):
            kinds.setdefault(method.name.split("-")[0], []).append(method.name)
    ours = [method.name for method in methods if method.group in ("phida", "plus") and method.name in means]
    return ours + [max(names, key=lambda name: means[name]) for names in kinds.values()]


def _ranks(cells: pd.DataFrame, methods: list[Method]) -> Section:
    names = representatives(cells, methods)
    pictures = []
    for order in ORDERS:
        table = matrix(cells, order, "ari")
        finished = table[[name for name in names if name in table]]
        table = finished.loc[:, finished.notna().mean() >= _ENOUGH].dropna()
        if len(table) < 2 or len(table.columns) < 3:
            continue
        found = compare(table)
        title = f"Visible groups, {_ORDER_WORDS[order]}, ARI"
        note = (
            f"Average ranks over {found.datasets} data sets; Friedman p = {found.friedman:.2g}; CD = "
            f"{found.critical_difference:.2f}. Only systems that finished nine tenths of the data sets take part, each "
            "with the setting that is best on average. Data sets are those that all of them finished."
        )
        pictures.append(Picture(f"cd_{order}", title, cd_diagram(found.ranks, found.nemenyi, title, OURS), note))
    return Section("Ranks", pictures=tuple(pictures))


def pictures(cells: pd.DataFrame, folder: Path, data: Path | None) -> Iterator[Picture]:
    """Return pictures of true groups next to those found, from the records of the first seed."""
    present = set(cells["dataset"])
    sheets: dict[str, list[Entry]] = {}
    for entry in entries("shapes").values():
        if entry.name in present:
            sheets.setdefault(entry.family if entry.family in ("sipu", "FCPS", "blobs") else "others", []).append(entry)
    for family, members in sheets.items():
        cases = [case for entry in members if (case := _case(entry, folder, data))]
        if cases:
            title = f"{family}: true groups beside those of {OURS}"
            note = (
                "Left: true groups. Right: clusters found, shuffled rows, first seed. Data with more than two features "
                "are drawn on their first two principal components."
            )
            yield Picture(f"groups_{family.lower()}", title, small_multiples(cases), note, raster=True)


def _case(entry: Entry, folder: Path, data: Path | None) -> Case | None:
    record = records.read(Trial("shuffled", entry.name, OURS, 0), folder)
    if record is None or not record.ok:
        return None
    dataset = load(entry, data)
    order = np.concatenate(stages("shuffled", dataset.y, entry.spelling, record.order_seed))
    return Case(entry.title, dataset.X[order], dataset.y[order], record.labels[-1].astype(np.int64))


def _every(cells: pd.DataFrame, methods: list[Method]) -> Iterator[Table]:
    for order in ORDERS:
        for metric, title, digits in (("ari", "ARI", 2), ("n_clusters", "Clusters found", 0)):
            table = matrix(cells, order, metric)
            names = [method.name for method in methods if method.name in table]
            if not names:
                continue
            rows = []
            for name, entry in ((name, entry) for name, entry in entries("shapes").items() if name in table.index):
                row = {"data set": entry.title, "groups": str(entry.classes)}
                rows.append(row | {m: _text(table.loc[name, m], digits) for m in names})
            yield Table(f"{order}_{metric}", f"{title}, {_ORDER_WORDS[order]}", pd.DataFrame(rows))


def _systems(methods: list[Method]) -> Table:
    rows = [{"system": method.name, "what it is": method.summary} for method in methods]
    note = "Nothing was tuned on these data. GNG, DDVFA and CAEA, which the paper tunes, have their defaults here."
    return Table("words_systems", "Systems", pd.DataFrame(rows), note)


def _given(method: Method) -> str:
    """Return the information that a system gets in addition to the rows."""
    knows = {
        "K": method.needs_class_count,
        "scale": "share" in method.parameters or method.name == "DDVFA",
        "all rows": method.settings == ("shuffled",),
    }
    return ", ".join(word for word, known in knows.items() if known)


def _best(scores: pd.Series) -> str:
    return "" if scores.empty else f"{scores.idxmax()} {scores.max():.2f}"


def _mean(scores: pd.Series | None, digits: int) -> str:
    return "" if scores is None or scores.dropna().empty else f"{scores.mean():.{digits}f}"


def _text(value: float, digits: int) -> str:
    return "" if np.isnan(value) else f"{value:.{digits}f}"
