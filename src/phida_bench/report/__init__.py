"""The report: records in, a page and its tables out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd

from phida_bench import execution, records
from phida_bench.comparisons import (
    DIAGRAMS,
    SUCCESSOR_DIAGRAMS,
    SUCCESSORS,
    Diagram,
    focused,
    ranked,
    successors,
    values,
)
from phida_bench.datasets import entries
from phida_bench.evaluation import evaluate
from phida_bench.methods import recorded_methods
from phida_bench.protocol import SETTINGS
from phida_bench.published import published
from phida_bench.report import render, statements, tables
from phida_bench.report.cd_diagram import cd_diagram
from phida_bench.report.document import Document, Picture, Section, Table
from phida_bench.summary import summarise


def write(folder: Path, out: Path, data: Path | None, jobs: int, say: Callable[[str], None]) -> Path:
    """The report of a folder of records."""
    trials = evaluate(folder, data, jobs)
    if trials.empty:
        raise ValueError(f"{folder} holds no record; make some with: phida-bench run --out {folder}")
    say(f"{len(trials)} trials evaluated")
    cells = summarise(trials)
    known = recorded_methods()
    present = [name for name in known if name in set(cells["method"])]
    groups = {name: known[name].group for name in present}
    document = Document("The PHIDA benchmark", _facts(folder, trials))
    document.sections.extend(_beside_published(cells, present))
    document.sections.extend(_comparisons(cells, groups))
    if "PHIDA-equations" in present and set(SUCCESSORS) & set(present):
        document.sections.append(_successors(cells, groups))
    document.sections.append(
        Section("Statements of the paper", tables=(statements.table(statements.Evidence(cells, groups)),))
    )
    document.sections.extend(_results(cells, present, groups))
    if {"PHIDA", "PHIDA-equations"} <= set(present):
        table = tables.differences(trials, "PHIDA-equations", "PHIDA")
        document.sections.append(Section("Equations and released code", tables=(table,)))
    settings = (
        tables.tuned(folder) if any(known[name].space for name in present) else None,
        tables.fixed(known[name] for name in present),
    )
    if any(settings):
        document.sections.append(Section("Parameters", tables=tuple(t for t in settings if t)))
    origin = (tables.seeds(cells, present), tables.not_run(trials), tables.mixed(trials))
    document.sections.append(Section("Seeds, and what could not be run", tables=tuple(t for t in origin if t)))
    return render.write(document, cells, out)


def write_published(out: Path) -> Path:
    """The report of the published tables alone: the paper's ranks, tests and diagrams, with no run."""
    cells = published()
    names = list(dict.fromkeys(cells["method"]))
    # The batch systems have no nonstationary cells, so one group serves both settings.
    groups = {name: "online" for name in names}
    document = Document("The published PHIDA tables", {"source": "published means over 30 runs, 24 data sets"})
    document.sections.extend(_comparisons(cells, groups))
    document.sections.append(Section("Published values", tables=tuple(tables.results(cells, names, "published_"))))
    return render.write(document, cells, out)


def _facts(folder: Path, trials: pd.DataFrame) -> dict[str, str]:
    read = (records.read(trial, folder, with_labels=False) for trial in records.trials(folder))
    first = next((record for record in read if record and record.versions), None)
    shape = f"{trials['dataset'].nunique()} data sets, {trials['method'].nunique()} methods, {len(trials)} trials"
    return {
        "date": date.today().isoformat(),
        "trials": shape,
        "made by": "; ".join(records.commands(folder)) or "unknown",
        "processor": str(first.machine["processor"]) if first else execution.processor(),
        "versions": ", ".join(f"{name} {number}" for name, number in first.versions.items()) if first else "unknown",
        "times": "seconds of one core, learning only",
    }


def _beside_published(cells: pd.DataFrame, present: list[str]) -> list[Section]:
    known = recorded_methods()
    found: list[Table] = []
    for name in present:
        if theirs := known[name].published:
            settings = [s for s in known[name].settings if s in set(cells[cells["method"] == name]["setting"])]
            found += [tables.against_published(cells, name, theirs, setting) for setting in settings]
            if name == "PHIDA":
                found.append(tables.deviations(cells, name, theirs))
    names = {name: theirs for name in present if (theirs := known[name].published)}
    for setting in SETTINGS:
        if setting in set(cells[cells["method"].isin(names)]["setting"]):
            found.append(tables.seconds(cells, names, setting))
    return [Section("Beside the published values", tables=tuple(found))] if found else []


def _ranks(
    cells: pd.DataFrame, groups: dict[str, str], diagrams: tuple[Diagram, ...]
) -> tuple[tuple[Picture, ...], pd.DataFrame]:
    """Diagrams of ranks, and the ranks in words, over all data sets and over those that every method finished."""
    pictures, rows = [], []
    for diagram in diagrams:
        for complete in (False, True):
            table = values(cells, diagram, groups, complete=complete)
            found = ranked(table)
            if found is None or (complete and len(table) == len(values(cells, diagram, groups))):
                continue
            which = f"{found.datasets} data sets" + (" (those that all methods finished)" if complete else "")
            note = (
                f"Average ranks over {which}; Friedman p = {found.friedman:.2g}; CD = {found.critical_difference:.2f}."
            )
            title = diagram.title[0].upper() + diagram.title[1:]
            if not complete:
                figure = cd_diagram(found.ranks, found.nemenyi, title, "PHIDA")
                pictures.append(Picture(f"cd_{diagram.name}", title, figure, note))
            order = ", ".join(f"{name} {rank:.2f}" for name, rank in found.ranks.items())
            rows.append(
                {
                    "comparison": title,
                    "data sets": which,
                    "Friedman p": f"{found.friedman:.2g}",
                    "CD": f"{found.critical_difference:.2f}",
                    "average ranks": order,
                }
            )
    return tuple(pictures), pd.DataFrame(rows)


def _successors(cells: pd.DataFrame, groups: dict[str, str]) -> Section:
    """PHIDA's successors beside PHIDA, and among all systems."""
    pictures, words = _ranks(cells, groups, SUCCESSOR_DIAGRAMS)
    titles = {name: entry.title for name, entry in entries().items()}
    shown = [
        Table(
            "successor_tests",
            "Successors against PHIDA",
            successors(cells, titles),
            "Means over data sets, PHIDA as the equations have it. Two-sided Wilcoxon tests over data sets, not "
            "corrected.",
        )
    ]
    if len(words):
        shown.append(Table("successor_ranks", "Average ranks with successors", words))
    return Section("Successors of PHIDA, which are not in the paper", tables=tuple(shown), pictures=pictures)


def _comparisons(cells: pd.DataFrame, groups: dict[str, str]) -> list[Section]:
    pictures, words = _ranks(cells, groups, DIAGRAMS)
    tests = focused(cells)
    shown = [Table("words_ranks", "Average ranks", words)] if len(words) else []
    if len(tests):
        text = tests.assign(
            p=tests["p"].map("{:.4f}".format), Holm=tests["Holm"].map(lambda p: "" if pd.isna(p) else f"{p:.4f}")
        )
        shown.append(
            Table(
                "focused_tests", "Wilcoxon signed-rank tests", text, "Two-sided, over data sets; Holm within a setting."
            )
        )
    return [Section("Ranks and tests", tables=tuple(shown), pictures=pictures)]


def _results(cells: pd.DataFrame, present: list[str], groups: dict[str, str]) -> list[Section]:
    titles = {
        "Results": ("phida", "plus", "online", "batch"),
        "Results: ablations": ("phida", "ablation"),
        "Results: mapping comparisons": ("phida", "mapping"),
    }
    sections = []
    for title, wanted in titles.items():
        names = [name for name in present if groups[name] in wanted]
        if any(groups[name] == wanted[-1] for name in names) or title == "Results":
            prefix = {"Results": "", "Results: ablations": "ablation_"}.get(title, "mapping_")
            sections.append(Section(title, tables=tuple(tables.results(cells, names, prefix))))
    return sections
