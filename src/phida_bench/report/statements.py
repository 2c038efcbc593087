"""What the paper states in words, each beside our numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pandas as pd

from phida_bench.comparisons import Diagram, ranked, values
from phida_bench.report.document import Table
from phida_bench.statistics import Comparison, best_count, wins
from phida_bench.summary import matrix

#: Statements about "most data sets" are checked on no fewer than this.
_ENOUGH = 10


class NotCheckedError(Exception):
    """Why there is nothing to check a statement by."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The cells at hand, and the group of each method."""

    cells: pd.DataFrame
    groups: dict[str, str]

    def comparison(self, group: str, setting: str, metric: str) -> Comparison:
        """The ranks of one diagram."""
        found = ranked(values(self.cells, Diagram(group, setting, metric), self.groups))
        if found is None or len(found.ranks) < 3:
            raise NotCheckedError("the methods it speaks of were not run")
        return found

    def means(self, setting: str, metric: str, *methods: str) -> pd.DataFrame:
        """Means by data set, of those that have one of every method."""
        found = matrix(self.cells, setting, metric)
        if lacking := [name for name in methods if name not in found]:
            raise NotCheckedError(f"{', '.join(lacking)} was not run")
        means = found[list(methods)].dropna()
        if len(means) < _ENOUGH:
            raise NotCheckedError(f"only {len(means)} data sets were run")
        return means

    def on(self, dataset: str, setting: str, metric: str) -> pd.Series:
        """Means by method on one data set."""
        found = matrix(self.cells, setting, metric)
        if dataset not in found.index or "PHIDA" not in found:
            raise NotCheckedError(f"PHIDA was not run on {dataset}")
        return found.loc[dataset].dropna()


Check = Callable[[Evidence], tuple[bool, str]]


def table(evidence: Evidence) -> Table:
    """Every statement with its verdict."""
    rows = []
    for statement, check in _statements():
        try:
            holds, numbers = check(evidence)
            rows.append((statement, "yes" if holds else "no", numbers))
        except NotCheckedError as reason:
            rows.append((statement, "not checked", str(reason)))
    cells = pd.DataFrame(rows, columns=["the paper states", "here", "our numbers"])
    return Table("words_statements", "Statements of the paper", cells)


def _statements() -> Iterator[tuple[str, Check]]:
    main = [("nonstationary", m) for m in ("ari", "ami", "avginc_ari", "avginc_ami")] + [
        ("stationary", m) for m in ("ari", "ami")
    ]
    for setting, metric in main:
        yield f"PHIDA has the best average rank: {setting}, {metric}", _places("main", setting, metric, "PHIDA")
    for metric in ("ari", "ami"):
        yield f"PHIDA is best on two thirds of the data sets (16 of 24): nonstationary, {metric}", _best(metric)
    yield "PHIDA is best in the ablation: nonstationary, ari", _places("ablation", "nonstationary", "ari", "PHIDA")
    yield "PHIDA is best in the ablation: nonstationary, ami", _places("ablation", "nonstationary", "ami", "PHIDA")
    for setting in ("nonstationary", "stationary"):
        for metric in ("ari", "ami"):
            yield f"noPH ranks worst in the ablation: {setting}, {metric}", _last("ablation", setting, metric, "noPH")
    yield "PHIDA beats noPH on 23 of 24 data sets: nonstationary, ari", _beats("ari", 23)
    yield "PHIDA beats noPH on 21 of 24 data sets: nonstationary, ami", _beats("ami", 21)
    yield "noPH produces many small clusters: nonstationary", _more_clusters
    for metric in ("ari", "ami"):
        yield f"noDelete stays close to PHIDA: nonstationary, {metric}", _close(metric)
        yield f"noRefresh ranks highly when stationary: {metric}", _high("stationary", metric, "noRefresh")
    for metric in ("ari", "ami", "avginc_ami"):
        yield (
            f"PHIDA leads the mapping comparison: nonstationary, {metric}",
            _places("mapping", "nonstationary", metric, "PHIDA"),
        )
    yield (
        "IDA+KM, IDA+Ward, PHIDA, in this order: nonstationary, avginc_ari",
        _places("mapping", "nonstationary", "avginc_ari", "IDA+KM", "IDA+Ward", "PHIDA"),
    )
    for setting, metric in main:
        yield (
            f"IDA+HDBSCAN is the weakest mapping: {setting}, {metric}",
            _last("mapping", setting, metric, "IDA+HDBSCAN"),
        )
    for metric in ("ari", "ami"):
        yield (
            f"IDA+KM leads the mapping comparison: stationary, {metric}",
            _places("mapping", "stationary", metric, "IDA+KM"),
        )
    for setting in ("nonstationary", "stationary"):
        yield f"More nodes than IDAT: {setting}", _against_idat(setting, "n_nodes", 1)
        yield f"Often fewer clusters than IDAT: {setting}", _against_idat(setting, "n_clusters", -1)
    yield "Letter is under-resolved (fewer clusters than its 26 classes): nonstationary", _letter
    for dataset in ("shuttle", "skin"):
        yield (
            f"{dataset.capitalize()} wants finer structure: a method with more clusters has a higher ari",
            _finer(dataset),
        )
    yield "Phoneme's loss is not explained by the number of clusters: IDAT has about as many", _phoneme


def _order(found: Comparison) -> str:
    return ", ".join(f"{name} {rank:.2f}" for name, rank in found.ranks.items())


def _places(group: str, setting: str, metric: str, *first: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        found = evidence.comparison(group, setting, metric)
        _require(found, *first)
        leads = found.ranks[first[0]] <= found.ranks.iloc[0]  # a shared best rank is one too
        return bool(leads) and (len(first) == 1 or tuple(found.ranks.index[: len(first)]) == first), _order(found)

    return check


def _last(group: str, setting: str, metric: str, name: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        found = evidence.comparison(group, setting, metric)
        _require(found, name)
        return found.ranks.index[-1] == name, _order(found)

    return check


def _require(found: Comparison, *names: str) -> None:
    if lacking := [name for name in names if name not in found.ranks]:
        raise NotCheckedError(f"{', '.join(lacking)} was not run")


def _best(metric: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        evidence.comparison("main", "nonstationary", metric)
        table = values(evidence.cells, Diagram("main", "nonstationary", metric), evidence.groups)
        count = best_count(table, "PHIDA")
        return count >= 2 / 3 * len(table), f"{count} of {len(table)}"

    return check


def _beats(metric: str, of_24: int) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        means = evidence.means("nonstationary", metric, "PHIDA", "noPH")
        count = wins(means, "PHIDA", "noPH")
        lost = ", ".join(means.index[means["PHIDA"] <= means["noPH"]])
        return count >= of_24 * len(means) // 24, f"{count} of {len(means)}" + (f"; not on {lost}" if lost else "")

    return check


def _more_clusters(evidence: Evidence) -> tuple[bool, str]:
    means = evidence.means("nonstationary", "n_clusters", "PHIDA", "noPH")
    median = (means["noPH"] / means["PHIDA"]).median()
    return bool(median > 2), f"median ratio of the numbers of clusters {median:.1f}"


def _close(metric: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        found = evidence.comparison("ablation", "nonstationary", metric)
        _require(found, "noDelete", "PHIDA")
        gap = found.ranks["noDelete"] - found.ranks["PHIDA"]
        return bool(abs(gap) < found.critical_difference), f"{gap:+.2f} ranks; CD {found.critical_difference:.2f}"

    return check


def _high(setting: str, metric: str, name: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        found = evidence.comparison("ablation", setting, metric)
        _require(found, name)
        return list(found.ranks.index).index(name) <= 1, _order(found)

    return check


def _against_idat(setting: str, metric: str, sign: int) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        means = evidence.means(setting, metric, "PHIDA", "IDAT")
        count = int((sign * (means["PHIDA"] - means["IDAT"]) > 0).sum())
        return count > len(means) / 2, f"on {count} of {len(means)}"

    return check


def _letter(evidence: Evidence) -> tuple[bool, str]:
    clusters = evidence.on("letter", "nonstationary", "n_clusters")["PHIDA"]
    return bool(clusters < 26), f"{clusters:.1f} clusters"


def _finer(dataset: str) -> Check:
    def check(evidence: Evidence) -> tuple[bool, str]:
        others = [m for m, g in evidence.groups.items() if g == "online"]
        ari = evidence.on(dataset, "nonstationary", "ari")
        clusters = evidence.on(dataset, "nonstationary", "n_clusters")
        if not any(m in ari for m in others):
            raise NotCheckedError(f"no other online system was run on {dataset}")
        better = [m for m in others if m in ari and ari[m] > ari["PHIDA"]]
        finer = [m for m in better if clusters[m] > clusters["PHIDA"]]
        shown = ", ".join(f"{m} {ari[m]:.3f} with {clusters[m]:.0f}" for m in ["PHIDA", *better])
        return bool(finer), f"ari with clusters: {shown}"

    return check


def _phoneme(evidence: Evidence) -> tuple[bool, str]:
    clusters = evidence.on("phoneme", "nonstationary", "n_clusters")
    if "IDAT" not in clusters:
        raise NotCheckedError("IDAT was not run on phoneme")
    ratio = clusters["PHIDA"] / clusters["IDAT"]
    return bool(0.5 < ratio < 2), f"clusters: PHIDA {clusters['PHIDA']:.1f}, IDAT {clusters['IDAT']:.1f}"
