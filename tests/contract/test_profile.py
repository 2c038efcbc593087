"""The list of clusters: sizes in rows, labels, ids and telling features."""

import re

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
from states import stream_model

from phida import PHIDA, PHIDAPlus
from phida._model import Model
from phida._report import DataSummary, contents
from phida._serve.learning import Progress
from phida._serve.moment import Moment
from phida._serve.snapshot import Sketcher
from phida._serve.trail import Trail
from phida.answers import ClusterList, Profile, Summary
from phida.answers.profile import readable

DATA = {"iris": load_iris().data, "wine": load_wine().data, "digits": load_digits().data}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("unfitted", [PHIDA(), PHIDAPlus(), PHIDAPlus(max_nodes=20)], ids=str)
def test_every_learned_row_is_counted_in_one_cluster(name, unfitted):
    rows = DATA[name]
    model = type(unfitted)(**unfitted.get_params())
    for part in np.array_split(rows, 3):
        model.partial_fit(part)
        profile = Profile.of(model)
        assert profile.rows.sum() == model.nodes_.rows.sum() == model.n_samples_seen_
        assert (profile.rows > 0).all()
        np.testing.assert_allclose(profile.share, profile.rows / model.n_samples_seen_)


def test_loaded_model_continues_to_count_rows(tmp_path):
    model = PHIDA().partial_fit(DATA["digits"][:900])
    model.save(tmp_path / "m")
    resumed = PHIDA.load(tmp_path / "m").partial_fit(DATA["digits"][900:])
    whole = PHIDA().partial_fit(DATA["digits"])
    assert resumed.nodes_.rows.tolist() == whole.nodes_.rows.tolist()


def test_forgotten_nodes_drop_their_rows():
    model = PHIDAPlus(half_life=100).fit(DATA["digits"])
    profile = Profile.of(model)
    assert profile.rows.sum() <= 1797 and profile.share.sum() == pytest.approx(1.0)
    left = np.array([model.nodes_.support[model.nodes_.cluster == label].sum() for label in profile.label])
    np.testing.assert_allclose(profile.share, left / left.sum())


def test_merged_model_counts_rows_of_all():
    first, second = (PHIDAPlus().fit(part) for part in np.array_split(DATA["digits"], 2))
    assert Profile.of(first.merge(second)).rows.sum() == 1797


def test_shares_are_weighted():
    rows = np.vstack([np.zeros((50, 2)), np.full((50, 2), 9.0)]) + np.random.default_rng(0).normal(size=(100, 2))
    model = PHIDAPlus().fit(rows, sample_weight=np.repeat([3.0, 1.0], 50)).cut(n_clusters=2)
    support = np.bincount(model.predict(rows), np.repeat([3.0, 1.0], 50))
    np.testing.assert_allclose(sorted(model.assignment_view_.support_share), sorted(support / 200))


def unconfirmed():
    """A model of four clusters: labels 0 and 1 share an id, and most nodes of label 3 have the id of label 1."""
    rows, _ = make_blobs(800, centers=[[0, 0], [20, 0], [0, 20], [20, 20]], random_state=0)
    model = PHIDAPlus().fit(rows)
    assert model.n_clusters_ == 4
    a, b, c, d = model.cluster_ids_.tolist()
    state = model._model.learner.__getstate__()
    ids = state["cluster_id"].copy()
    ids[ids == b] = a  # an unconfirmed split
    last = np.flatnonzero(ids == d)
    ids[last[len(last) // 3 :]] = b  # an unconfirmed merge
    state = state | {"cluster_id": ids}
    model._model = Model.restored(state, model._model.features)
    assert model.cluster_ids_.tolist() == [a, a, c, b] and len(last) > 2
    return rows, model, (a, b, c)


def test_labels_and_ids_that_differ_give_one_entry_per_label():
    rows, model, _ = unconfirmed()
    np.testing.assert_array_equal(model.predict_id(rows), model.cluster_ids_[model.predict(rows)])
    profile = Profile.of(model)
    assert sorted(profile.label.tolist()) == [0, 1, 2, 3]
    assert profile.id.tolist() == model.cluster_ids_[profile.label].tolist()
    assert profile.rows.sum() == len(rows) and profile.rows.tolist() == sorted(profile.rows, reverse=True)
    np.testing.assert_allclose(profile.center, model.cluster_centers_[profile.label])


def test_live_page_and_report_list_every_cluster():
    rows, model, ids = unconfirmed()
    moment = Moment.of(stream_model(model))
    facts = Sketcher(Trail(), {}).sketch(moment, Progress("learning", "", 10, 0), 1.0, 0.0).facts
    assert [cluster["id"] for cluster in facts["clusters"]] == Profile.of(model).id.tolist()
    assert facts["n_clusters"] == 4 and set(facts["nodes"]["cluster"]) - {None} == set(ids)
    summary = DataSummary()
    summary.add(model.predict(rows), model.score_samples(rows))
    page = contents(model, summary, "a page")
    assert tuple(row.found for row in page.clusters) == ClusterList.of(model).clusters
    assert sum(row.rows for row in page.clusters) == sum(row.found.rows for row in page.clusters) == 800


def test_at_most_twenty_clusters_are_printed():
    rows, _ = make_blobs(3000, centers=30, center_box=(-100, 100), random_state=0)
    model = PHIDAPlus().fit(rows)
    clusters = ClusterList.of(model)
    assert len(clusters) == model.n_clusters_ > 20
    lines = str(clusters).splitlines()
    assert len(lines) == 22 and lines[-1].startswith(f"and {len(clusters) - 20} more (")
    assert len(clusters.plain()) == len(clusters)
    sizes = [cluster.rows for cluster in clusters.clusters]
    assert sizes == sorted(sizes, reverse=True) and sum(sizes) == 3000


def two_groups_and_noise(sd):
    """Two groups in the first feature; the second feature is one wide group, which hides the first."""
    rng = np.random.default_rng(0)
    near = np.repeat([0.0, 9.0], 200) + rng.normal(size=400)
    return np.column_stack([near, rng.normal(4000, sd, 400)])


def test_single_cluster_names_the_hiding_feature():
    rows = two_groups_and_noise(500)
    model = PHIDAPlus(scale=None).fit(rows)
    assert model.n_clusters_ == 1
    assert "feature 1 carries 99.9 % of the variance" in model.summary() and 'scale="standard"' in model.summary()
    assert PHIDAPlus(scale="standard").fit(rows).n_clusters_ == 2
    cloud = PHIDAPlus().fit(np.random.default_rng(1).normal(size=(400, 2))).summary()
    assert "All rows form one cluster: between no two groups" in cloud and "scale" not in cloud


def test_hiding_feature_is_named_for_any_number_of_clusters():
    rows = two_groups_and_noise(1)[:, ::-1] * [1000, 1]
    rows[::2, 0] += 50_000
    model = PHIDAPlus(scale=None).fit(rows)
    assert model.n_clusters_ == 2
    [said] = Summary.of(model).variance.advice()
    assert said.startswith("warning: feature 0 carries 99.9 % of the variance, so the other features hardly count.")
    assert said in model.summary() and said in Summary.of(model).plain()["advice"]
    assert said in contents(model, DataSummary(), "a page").advice
    moment = Moment.of(stream_model(model))
    facts = Sketcher(Trail(), {}).sketch(moment, Progress("learning", "", 10, 0), 1.0, 0.0).facts
    assert facts["advice"] == [said]
    [said] = Summary.of(PHIDA().fit(rows[:, [1, 0]])).variance.advice() or [None]
    assert said is None or "scale the features first" in said
    assert Summary.of(PHIDAPlus(scale="standard").fit(rows)).variance.advice() == []
    constant = np.column_stack([rows[:, 0], np.ones(len(rows))])
    assert Summary.of(PHIDAPlus(scale=None).fit(constant)).variance.advice() == []


def test_large_means_and_examples_have_no_exponent():
    incomes = np.repeat([32_000.0, 125_000.0], 100) + np.random.default_rng(0).normal(0, 3000, 200).round()
    said = str(Summary.of(PHIDAPlus().fit(incomes[:, None])).clusters)
    assert re.search(r"feature 0 12\d,\d{3} \(", said) and "e+" not in PHIDAPlus().fit(incomes[:, None]).summary()
    shown = [readable(value) for value in (0.00012346, -3.14159, 9999.4, 9999.6, -1234567.8, 1e15)]
    assert shown == ["0.0001235", "-3.142", "9999", "10,000", "-1,234,568", "1e+15"]


@pytest.mark.parametrize("n_rows", [600, 4000])
def test_feature_of_few_whole_numbers_per_group_is_named(n_rows):
    rng = np.random.default_rng(0)
    group = rng.integers(2, size=n_rows)
    measured = np.column_stack([8.0 * group, 8.0 * group, 6.0 * group]) + rng.normal(size=(n_rows, 3))
    whole = np.column_stack([measured[:, :2], measured[:, 2].round()])
    summary = Summary.of(PHIDAPlus(scale="standard").fit(whole))
    assert summary.single_valued == ("feature 2",) and "single value of feature 2" in summary.advice()[0]
    noise = rng.uniform(-0.5, 0.5, n_rows)
    for rows in (measured, np.column_stack([whole[:, :2], whole[:, 2] + noise])):
        summary = Summary.of(PHIDAPlus(scale="standard").fit(rows))
        assert len(summary.clusters) == 2 and summary.single_valued == ()


def test_features_of_two_values_or_of_equal_rows_are_not_named():
    rng = np.random.default_rng(0)
    flags = np.column_stack([rng.integers(2, size=400) * 9.0, rng.normal(size=(400, 2))])
    places = np.repeat([[0.0, 0], [1, 7], [2, 3], [6, 1]], 200, axis=0)
    for rows, clusters in ((flags, 2), (places, 4)):
        summary = Summary.of(PHIDAPlus().fit(rows))
        assert len(summary.clusters) == clusters and summary.single_valued == ()


def test_rounding_of_units_leaves_no_tiny_means():
    flags = np.repeat([0.0, 1.0], [700, 300])
    mean, deviation = flags.mean(), flags.std()
    encoded = (flags - mean) / deviation + 1e-15
    model = PHIDAPlus(scale=None).fit(np.column_stack([encoded, flags * 9]))
    clusters = ClusterList.of(model).in_units({"feature 0": (deviation, mean)}).clusters
    values = {one.feature: one.center for one in clusters[0].telling}, dict(clusters[0].examples[0].values)
    assert [one["feature 0"] for one in values] == [0.0, 0.0]
