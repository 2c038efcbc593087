"""Data with visible groups: the recipes, the two orders, the common systems, and their page."""

import numpy as np
import pandas as pd
import pytest

from phida_bench import plan, records, report, runner
from phida_bench.datasets import entries, entry, find, load
from phida_bench.datasets.generated import NOISE, recipes
from phida_bench.evaluation import evaluate
from phida_bench.methods import Task, method, methods
from phida_bench.protocol import ORDERS, stages
from phida_bench.records import Trial
from phida_bench.report import shapes
from phida_bench.summary import summarise
from phida_bench.worker import Surroundings

SMALL = ("moons", "noise_2", "blobs_5_2")


def test_collection_has_27_files_and_the_generated_sets():
    found = entries("shapes")
    files = [e for e in found.values() if not e.generated]
    assert len(files) == 27 and {e.family for e in files} == {"sipu", "FCPS"}
    assert all(len(e.digest) == 64 and "SoftwareX" in e.citation for e in files)
    assert list(found) == [e.name for e in files] + list(recipes())
    assert not set(found) & set(entries())
    with pytest.raises(ValueError, match="no collection 'shape'; the names are paper, shapes"):
        entries("shape")


@pytest.mark.parametrize("name", recipes())
def test_recipe_gives_the_same_rows_in_every_call(name):
    recipe = recipes()[name]
    (X, y), (again, _) = recipe.rows(), recipe.rows()
    assert np.array_equal(X, again) and np.isfinite(X).all()
    assert X.shape == (len(y), recipe.features)
    assert set(y.tolist()) - {NOISE} == set(range(recipe.groups))


def test_blobs_have_the_stated_gap():
    for name, gap in (("blobs_touching_2", 4), ("blobs_far_10", 16), ("blobs_20_5", 8)):
        X, y = recipes()[name].rows()
        centers = np.array([X[y == group].mean(axis=0) for group in np.unique(y)])
        apart = np.linalg.norm(centers[:, None] - centers, axis=2)
        assert apart[np.triu_indices(len(centers), 1)].min() == pytest.approx(gap, rel=0.1)


def test_unbalanced_groups_are_100_to_1_and_unit_vectors_have_length_1():
    counts = np.bincount(recipes()["unbalanced_2"].rows()[1])
    assert counts.max() / counts.min() == pytest.approx(100, rel=0.2)
    np.testing.assert_allclose(np.linalg.norm(recipes()["unit_vectors_20"].rows()[0], axis=1), 1.0)


def test_file_is_found_in_the_folder_of_the_collection(tmp_path, monkeypatch):
    monkeypatch.delenv("PHIDA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert find(entry("r15"), tmp_path) is None
    (tmp_path / "shapes").mkdir()
    np.savez(tmp_path / "shapes" / "r15.npz", X=np.zeros((600, 2)), y=np.arange(600) % 15)
    assert find(entry("r15"), tmp_path) == str(tmp_path / "shapes" / "r15.npz")


def test_shuffled_rows_have_two_stages_and_grouped_rows_one_per_group():
    data = load(entry("blobs_5_2"))
    first, rest = stages("shuffled", data.y, "x", 3)
    assert len(first) == 200 and sorted(np.r_[first, rest]) == list(range(2000))
    (rows,) = stages("grouped", data.y, "x", 3)
    assert sorted(rows) == list(range(2000)) and np.count_nonzero(np.diff(data.y[rows])) == 4
    assert not np.array_equal(rows, stages("grouped", data.y, "x", 4)[0])


def test_noise_is_spread_over_the_stream_and_not_scored(tmp_path):
    data = load(entry("noise_2"))
    (rows,) = stages("grouped", data.y, "x", 0)
    groups = data.y[rows]
    where = np.flatnonzero(groups == NOISE)
    assert np.count_nonzero(np.diff(groups[groups != NOISE])) == 4
    assert where.min() < 400 and where.max() > 1800
    truth = groups
    for noise_label, expected in ((0, 1.0), (7, 1.0)):
        labels = np.where(truth == NOISE, noise_label, truth)
        record = records.Record(
            Trial("grouped", "noise_2", "PHIDA+", 0),
            "ok",
            labels=(labels,),
            n_clusters=5,
            learn_seconds=(1.0,),
            label_seconds=(1.0,),
            digest=data.digest,
        )
        records.write(record, tmp_path)
        assert evaluate(tmp_path)["ari"].tolist() == [expected]


def test_visible_groups_get_three_seeds_per_order(tmp_path):
    jobs = list(plan.jobs([method("KMeans"), method("PHIDA+")], [entry("moons")], ORDERS, 30, tmp_path))
    assert len([job for job in jobs if job.trial.method == "KMeans"]) == 3  # it learns all rows at once: one order
    assert len([job for job in jobs if job.trial.method == "PHIDA+"]) == 6
    assert not list(plan.jobs([method("PHIDA+")], [entry("iris")], ORDERS, 30, tmp_path))


WELL_KNOWN = [m.name for m in methods().values() if m.group in ("told", "density", "stream")]


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_well_known_systems_label_the_rows_learned_so_far(name):
    found = method(name)
    if lack := found.missing():
        pytest.skip(lack)
    rng = np.random.RandomState(0)
    X = np.concatenate([rng.standard_normal((60, 2)), rng.standard_normal((60, 2)) + 30])[rng.permutation(120)]
    count = 2 if found.needs_class_count else None
    system = found.make(Task(2, 0, "shuffled", (X.min(axis=0), X.max(axis=0)), count, found.parameters))
    for end, begin in ((12, 0), (120, 12)):
        system.learn(X[begin:end])
        labels = system.labels(X[:end])
        assert labels.shape == (end,) and labels.dtype.kind == "i"
    assert system.n_clusters == len(set(labels.tolist()) - {-1})


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans", "Birch", "HDBSCAN-5", "PHIDA+"])
def test_two_far_groups_are_found(name):
    rng = np.random.RandomState(1)
    X = np.concatenate([rng.standard_normal((300, 2)), rng.standard_normal((300, 2)) + 40])[rng.permutation(600)]
    found = method(name)
    count = 2 if found.needs_class_count else None
    system = found.make(Task(2, 0, "shuffled", (X.min(axis=0), X.max(axis=0)), count, found.parameters))
    system.learn(X)
    labels = system.labels(X)
    assert len(set(zip(labels.tolist(), (X[:, 0] > 20).tolist(), strict=True)) - {(-1, True), (-1, False)}) == 2


@pytest.fixture(scope="module")
def small_shapes(tmp_path_factory):
    out = tmp_path_factory.mktemp("shapes")
    chosen = [method(name) for name in ("PHIDA-equations", "PHIDA+", "KMeans", "MiniBatchKMeans", "HDBSCAN-5")]
    jobs = plan.jobs(chosen, [entry(name) for name in SMALL], ORDERS, 2, out)
    runner.run(jobs, Surroundings(out), 2, runner.Limits(), lambda trial, status, reason: None)
    return out


def test_page_has_numbers_and_a_picture_of_every_data_set(small_shapes, tmp_path):
    page = report.write(small_shapes, tmp_path, None, 1, lambda text: None)
    assert page == tmp_path / "shapes" / "index.html"
    html = page.read_text()
    assert html.count("data:image/png;base64,") == 2  # blobs, and others
    text = (tmp_path / "shapes" / "index.md").read_text()
    assert "two moons" in text and "pictures/groups_blobs.png" in text
    assert (tmp_path / "shapes" / "pictures" / "groups_others.png").stat().st_size < 40_000
    cells = pd.read_csv(tmp_path / "shapes" / "cells.csv")
    assert len(cells) == 3 * (5 + 3) and not cells.duplicated(["setting", "dataset", "method"]).any()


def test_overview_equals_means_of_the_cells(small_shapes):
    cells = summarise(evaluate(small_shapes))
    known = [method(name) for name in methods() if name in set(cells["method"])]
    table = shapes.overview(cells, known).cells.set_index("system")
    chosen = cells.query("method == 'PHIDA+' and metric == 'ari' and setting == 'shuffled'")["mean"]
    assert table.loc["PHIDA+", "ARI"] == f"{chosen.mean():.3f}"
    assert table.loc["PHIDA+", "ARI ≥ .95"] == f"{(chosen >= 0.95).mean():.0%}"
    assert table.loc["KMeans", ["given", "ARI by group"]].tolist() == ["K, all rows", ""]
    assert table["data sets"].eq("3 of 3").all()


def test_losses_are_listed():
    rows = [
        {"setting": "shuffled", "dataset": "moons", "method": name, "metric": metric, "mean": value, "runs": 3}
        for name, ari in (("PHIDA+", 0.5), ("HDBSCAN-5", 0.9), ("KMeans", 0.7), ("PHIDA-equations", 0.99))
        for metric, value in (("ari", ari), ("n_clusters", 4.0))
    ]
    cells = pd.DataFrame(rows).assign(status="ok")
    (table,) = shapes.losses(cells, [method(name) for name in dict.fromkeys(cells["method"])])
    line = table.cells.iloc[0]
    assert line["best of those without K"] == "HDBSCAN-5 0.90" and line["best of those given K"] == "KMeans 0.70"
    better = cells.assign(mean=cells["mean"].where(cells["method"] != "PHIDA+", 1.0))
    (table,) = shapes.losses(better, [method(name) for name in dict.fromkeys(cells["method"])])
    assert table.cells.empty


def test_best_setting_of_a_system_is_ranked():
    rows = [
        {"setting": "shuffled", "dataset": "moons", "method": name, "metric": "ari", "mean": value, "status": "ok"}
        for name, value in (("PHIDA+", 0.5), ("HDBSCAN-5", 0.2), ("HDBSCAN-10", 0.9), ("KMeans", 0.7))
    ]
    names = ("PHIDA+", "HDBSCAN-5", "HDBSCAN-10", "KMeans")
    found = shapes.representatives(pd.DataFrame(rows), [method(name) for name in names])
    assert found == ["PHIDA+", "HDBSCAN-10", "KMeans"]
