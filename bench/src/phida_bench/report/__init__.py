"""Make a page and its tables from records."""

from __future__ import annotations

import hashlib
import lzma
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pandas as pd

from phida_bench import execution, records
from phida_bench.comparisons import (
    DIAGRAMS,
    PLUS,
    PLUS_DIAGRAMS,
    Diagram,
    against_phida,
    focused,
    ranked,
    values,
)
from phida_bench.datasets import entries
from phida_bench.evaluation import evaluate
from phida_bench.methods import methods
from phida_bench.metrics import metrics
from phida_bench.protocol import ORDERS, SETTINGS
from phida_bench.published import published
from phida_bench.report import gaps, render, shapes, statements, tables
from phida_bench.report.cd_diagram import cd_diagram
from phida_bench.report.document import Document, Picture, Section, Table
from phida_bench.summary import CELL, summarise, with_earlier

#: The file with the scores of every trial, in the folder of the report.
TRIALS = "trials.csv.xz"


def write(
    folder: Path, out: Path, data: Path | None, jobs: int, say: Callable[[str], None], archive: Path | None = None
) -> Path:
    """Write the report of a folder of records: the paper's data sets, and in a subfolder those with visible groups.

    With ``archive``, all records are packed into that file, and the report states its digest.
    """
    trials = evaluate(folder, data, jobs)
    if unknown := sorted({trial.dataset for trial in records.trials(folder)} - set(entries(None))):
        say(f"skipped records of {', '.join(unknown)}: pass the file of the data set as --data")
    if unknown := sorted(set(trials["method"]) - set(methods())):
        say(f"left {', '.join(unknown)} out: pass the file of the method as --plugin")
        trials = trials[trials["method"].isin(methods())]
    if trials.empty:
        raise ValueError(f"{folder} holds no record; make some with: phida-bench run --out {folder}")
    if not (trials["status"] == "ok").any():
        raise ValueError(f"none of the {len(trials)} trials in {folder} has a result: {trials['reason'].iloc[0]}.")
    say(f"{len(trials)} trials evaluated")
    facts = {} if archive is None else {"raw records": _packed(folder, archive)}
    ours = trials["setting"].isin(SETTINGS)
    pages = []
    if ours.any():
        pages.append(_write_paper(folder, trials[ours], facts, out))
    if not ours.all():
        pages.append(_write_shapes(folder, trials[~ours], facts, out / "shapes", data))
    return pages[0]


def _packed(folder: Path, archive: Path) -> str:
    digest = records.pack(folder, archive)
    return f"{archive.name}, {archive.stat().st_size / 1e6:.1f} MB, SHA-256 {digest}"


def _keep(trials: pd.DataFrame, out: Path) -> dict[str, str]:
    """Write scores and digest of the labels of every trial; return the page's facts about the file."""
    table = trials.drop(columns=["reason", "made_with"]).dropna(axis=1, how="all")
    table = table.sort_values(["setting", "method", "dataset", "seed"])
    content = lzma.compress(table.to_csv(index=False, float_format="%.6g").encode())
    out.mkdir(parents=True, exist_ok=True)
    (out / TRIALS).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    return {"every trial": f"{TRIALS}, with scores and digest of the labels, SHA-256 {digest}"}


def _write_shapes(folder: Path, trials: pd.DataFrame, facts: dict[str, str], out: Path, data: Path | None) -> Path:
    cells = summarise(trials)
    document = Document("Groups that a person can see", _facts(folder, trials, ORDERS) | facts | _keep(trials, out))
    document.sections.extend(shapes.sections(cells, tuple(shapes.pictures(cells, folder, data))))
    origin = [
        table for table in (tables.not_run(trials), tables.mixed(trials)) if table is not None and len(table.cells)
    ]
    if origin:
        document.sections.append(Section("Trials without a result", tables=tuple(origin)))
    return render.write(document, shapes.wide(cells), out)


def _write_paper(folder: Path, trials: pd.DataFrame, facts: dict[str, str], out: Path) -> Path:
    earlier = records.earlier_cells(folder)
    cells = summarise(trials)
    if earlier is not None:
        cells = with_earlier(cells, earlier[earlier["method"].isin(methods())])
        kept = cells.groupby(CELL, sort=False)["earlier"].first()
        facts = facts | {
            "cells without raw records": f"{int(kept.sum())} of {len(kept)}; their means are those of an earlier run, "
            "whose trials were not kept, and the table of seeds lists them"
        }
    known, (present, _) = methods(), _present(cells)
    document = Document("The PHIDA benchmark", _facts(folder, trials, SETTINGS) | facts | _keep(trials, out))
    document.sections.extend(_of_cells(cells))
    if {"PHIDA", "PHIDA-equations"} <= set(present):
        table = tables.differences(trials, "PHIDA-equations", "PHIDA")
        document.sections.append(Section("Equations and released code", tables=(table,)))
    settings = (
        tables.searched(known[name] for name in present),
        tables.tuned(folder) if any(known[name].space for name in present) else None,
        tables.fixed(known[name] for name in present),
    )
    if any(settings):
        document.sections.append(Section("Parameters", tables=tuple(t for t in settings if t)))
    origin = (tables.seeds(cells, present), tables.not_run(trials, earlier), tables.mixed(trials))
    document.sections.append(Section("Seeds, and trials without a result", tables=tuple(t for t in origin if t)))
    return render.write(document, _as_printed(cells), out)


def _present(cells: pd.DataFrame) -> tuple[list[str], dict[str, str]]:
    """Return the names of the methods in the cells, in the order of the report, and the group of each."""
    known = methods()
    present = [name for name in known if name in set(cells["method"])]
    return present, {name: known[name].group for name in present}


def _of_cells(cells: pd.DataFrame) -> list[Section]:
    """Return the sections that need no record of a trial."""
    present, groups = _present(cells)
    compared = cells[~cells["dataset"].isin(entries("substitutes"))]
    evidence = statements.table(statements.Evidence(compared, groups), _published_evidence(compared))
    judged = (evidence.cells["here"] != statements.NOT_CHECKED).any()
    sections = [
        *_beside_published(cells, present),
        *_comparisons(compared, groups),
        *([_plus(compared, groups)] if {"PHIDA", PLUS} <= set(present) else []),
        Section("Statements of the paper", tables=(evidence,) if judged else ()),
        *_results(cells, present, groups),
    ]
    return [section for section in sections if section.tables or section.pictures]


def write_kept(results: Path, out: Path) -> None:
    """Write the pages of the manual from the kept results: cells, facts, and tables made from the records."""
    cells = pd.read_csv(results / "cells.csv", keep_default_na=False, na_values=[""]).fillna({"reason": ""})
    _write_kept(results, out, "The PHIDA benchmark", _of_cells(cells))
    of_shapes = results / "shapes"
    narrow = shapes.narrow(pd.read_csv(of_shapes / "cells.csv"))
    _write_kept(of_shapes, out / "shapes", "Groups that a person can see", shapes.sections(narrow, ()))
    shutil.copytree(of_shapes / "pictures", out / "shapes" / "pictures", dirs_exist_ok=True)


def _write_kept(results: Path, out: Path, title: str, sections: list[Section]) -> None:
    lines = (results / "facts.md").read_text("utf-8").splitlines()
    facts = dict(line.removeprefix("- ").split(": ", 1) for line in lines)
    render.write_markdown(Document(title, facts, sections), out, (results / "trials.md").read_text("utf-8"))


def _published_evidence(cells: pd.DataFrame) -> statements.Evidence:
    """Return the published cells of the data sets that were run."""
    groups = {method.published: method.group for method in methods().values() if method.published}
    theirs = published()
    return statements.Evidence(theirs[theirs["dataset"].isin(cells["dataset"])], groups)


def _as_printed(cells: pd.DataFrame) -> pd.DataFrame:
    """Round cells to the digits that the page prints."""
    digits = [metrics()[name].digits for name in cells["metric"]]
    printed = {name: list(map(round, cells[name], digits)) for name in ("mean", "std")}
    return cells.assign(**printed).drop(columns="earlier", errors="ignore")


def write_published(out: Path) -> Path:
    """Write the report of the published tables alone: the paper's ranks, tests and diagrams, without a run."""
    cells = published()
    names = list(dict.fromkeys(cells["method"]))
    # The batch systems have no nonstationary cells, so one group serves both settings.
    groups = {name: "online" for name in names}
    document = Document("The published PHIDA tables", {"source": "published means over 30 runs, 24 data sets"})
    document.sections.extend(_comparisons(cells, groups))
    document.sections.append(Section("Published values", tables=tuple(tables.results(cells, names, "published_"))))
    return render.write(document, cells, out)


def _facts(folder: Path, trials: pd.DataFrame, settings: tuple[str, ...]) -> dict[str, str]:
    made = (trial for trial in records.trials(folder) if trial.setting in settings)
    read = (records.read(trial, folder, with_labels=False) for trial in made)
    first = next((record for record in read if record and record.versions), None)
    shape = f"{trials['dataset'].nunique()} data sets, {trials['method'].nunique()} methods, {len(trials)} trials"
    return {
        "date": date.today().isoformat(),
        "trials": shape,
        "made by": "; ".join(records.commands(folder)) or "unknown",
        "processor": str(first.machine["processor"]) if first else execution.processor(),
        "versions": ", ".join(f"{name} {number}" for name, number in first.versions.items()) if first else "unknown",
        "times": "seconds of one core, learning only, while the machine had other work to do",
        "processor time": _hours(trials),
    }


def _hours(trials: pd.DataFrame) -> str:
    """Return the hours of learning on one core, as text."""
    seconds = trials["fit_seconds"].astype(float).sum()
    return f"{seconds / 3600:.1f} h of learning, in {len(trials)} trials"


def _beside_published(cells: pd.DataFrame, present: list[str]) -> list[Section]:
    known = methods()
    found: list[Table] = []
    cells = cells[cells["dataset"].isin(entries())]
    for name in present if len(cells) else ():
        if theirs := known[name].published:
            settings = [s for s in known[name].settings if s in set(cells[cells["method"] == name]["setting"])]
            found += [tables.against_published(cells, name, theirs, setting) for setting in settings]
            if name == "PHIDA":
                found.append(tables.deviations(cells, name, theirs))
    names = {name: theirs for name in present if (theirs := known[name].published)}
    if names and len(cells):
        found.insert(0, gaps.table(cells, names))
    for setting in SETTINGS:
        if setting in set(cells[cells["method"].isin(names)]["setting"]):
            found.append(tables.seconds(cells, names, setting))
    return [Section("Comparison with the published values", tables=tuple(found))] if found else []


def _ranks(
    cells: pd.DataFrame, groups: dict[str, str], diagrams: tuple[Diagram, ...]
) -> tuple[tuple[Picture, ...], pd.DataFrame]:
    """Return diagrams and texts of ranks, over all data sets and over those that every method finished."""
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
                highlight = PLUS if diagram.group == "plus" else "PHIDA"
                figure = cd_diagram(found.ranks, found.nemenyi, title, highlight)
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


def _plus(cells: pd.DataFrame, groups: dict[str, str]) -> Section:
    """Compare PHIDA+ with PHIDA and with all systems."""
    pictures, words = _ranks(cells, groups, PLUS_DIAGRAMS)
    titles = {name: entry.title for name, entry in entries(None).items()}
    shown = [Table("words_plus", "PHIDA+ against PHIDA", against_phida(cells, titles), "Means over data sets.")]
    if len(words):
        shown.append(Table("words_plus_ranks", "Average ranks with PHIDA+", words))
    return Section("PHIDA+, which is not in the paper", tables=tuple(shown), pictures=pictures)


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
                "focused_tests",
                "Wilcoxon signed-rank tests",
                text,
                "Two-sided, over data sets; Holm correction per setting.",
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
