"""Co-activation as a way from nodes to clusters: the same learning, read otherwise."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from states import differences, state_of

from phida import PHIDA

DIGITS, CLASSES = load_digits(return_X_y=True)
X = DIGITS[np.argsort(CLASSES, kind="stable")]


@pytest.fixture(scope="module")
def model():
    return PHIDA(mapping="coactivation").fit(X)


def test_a_fitted_model_is_read_by_either_rule(model):
    other = PHIDA().fit(X)
    by_persistence = other.predict(X)
    np.testing.assert_array_equal(other.set_params(mapping="coactivation").predict(X), model.labels_)
    np.testing.assert_array_equal(other.set_params(mapping="persistence").predict(X), by_persistence)
    assert not np.array_equal(by_persistence, model.labels_)


def test_a_mapping_that_does_not_exist_is_refused_and_nothing_is_lost():
    model = PHIDA().fit(X[:300])
    with pytest.raises(ValueError, match="'mapping' parameter"):
        PHIDA(mapping="modularity").fit(X)
    model.mapping = "modularity"
    with pytest.raises(ValueError, match="'persistence' or 'coactivation'"):
        model.predict(X)
    with pytest.raises(ValueError, match="'mapping' parameter"):
        model.partial_fit(X)
    model.mapping = "coactivation"
    assert model.predict(X).max() + 1 <= model.n_clusters_


def test_groups_merges_and_clusters_fit_together(model):
    hierarchy, nodes = model.hierarchy_, model.nodes_
    assert hierarchy.mapping == "coactivation"
    inside = hierarchy.group >= 0
    assert hierarchy.group[inside].tolist() == list(range(inside.sum())), "each node begins as a group of its own"
    assert hierarchy.mode.tolist() == np.flatnonzero(inside).tolist()
    np.testing.assert_array_equal(nodes.cluster[inside], hierarchy.cluster)
    assert (nodes.cluster[~inside] == -1).all()
    assert model.n_clusters_ == inside.sum() - hierarchy.level
    assert (hierarchy.merge_height[: hierarchy.level] < 0).all()
    assert (hierarchy.merge_height[hierarchy.level :] >= 0).all()
    assert len(hierarchy.to_pandas()) == len(hierarchy.merge_height)
    assert model.cut_clarity_.hierarchy is None and "chance" in str(model.cut_clarity_)


def test_counts_are_of_nodes_that_won(model):
    wins = model.co_wins_
    assert (wins.winner != wins.runner_up).all() and (wins.count > 0).all()
    assert wins.count.sum() <= model.n_samples_seen_
    per_winner = np.bincount(wins.winner, wins.count, len(model.nodes_))
    assert (per_winner <= model.nodes_.support - 1).all(), "a node's first sample made it"
    assert len(wins.to_pandas()) == len(wins.count)


def test_other_cuts(model):
    hierarchy = model.hierarchy_
    most, least = len(hierarchy.mode), len(hierarchy.mode) - len(hierarchy.merge_height)
    for n_clusters in (least, model.n_clusters_, model.n_clusters_ + 5, most):
        cut = model.cut(n_clusters=n_clusters)
        assert cut.n_clusters_ == len(cut.cluster_ids_) == n_clusters
        assert set(cut.predict(X)) <= set(range(n_clusters))
    np.testing.assert_array_equal(model.cut(n_clusters=model.n_clusters_).predict(X), model.labels_)
    assert model.cut(height=-np.inf).n_clusters_ == most
    assert model.cut(height=np.inf).n_clusters_ == least
    assert model.cut(height=np.nextafter(0, -1)).n_clusters_ == model.n_clusters_
    with pytest.raises(ValueError, match=f"from {least} to {most}"):
        model.cut(n_clusters=most + 1)


def test_explanations_count_samples(model):
    nodes, wins = model.nodes_, model.co_wins_
    inside = np.flatnonzero(nodes.cluster >= 0)
    rng = np.random.default_rng(0)
    for a, b in rng.choice(inside, size=(100, 2)).tolist():
        if a == b:
            continue
        told = model.explain(a, b, kind="node")
        assert told.same_cluster == (nodes.cluster[a] == nodes.cluster[b])
        assert (told.shared.samples > told.shared.chance) == told.same_cluster
        assert "chance would give" in str(told)
    mine, theirs = nodes.cluster[wins.winner] == 0, nodes.cluster[wins.runner_up] == 1
    back = (nodes.cluster[wins.winner] == 1) & (nodes.cluster[wins.runner_up] == 0)
    told = model.explain(0, 1, kind="cluster")
    assert told.shared.samples == wins.count[mine & theirs | back].sum()
    assert told.shared.n_nodes == ((nodes.cluster == 0).sum(), (nodes.cluster == 1).sum())
    apart = model.cut(height=-np.inf).explain(int(wins.winner[0]), int(wins.runner_up[0]), kind="node")
    assert not apart.same_cluster and "cut that was asked for" in str(apart)
    outside = np.flatnonzero(nodes.cluster < 0)
    for node in outside[:1].tolist():
        assert "not both in a cluster" in str(model.explain(node, int(inside[0]), kind="node"))


def test_copies_keep_the_mapping(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    for copy in (PHIDA.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(model))):
        assert copy.mapping == "coactivation" and differences(state_of(copy), state_of(model)) == []
        np.testing.assert_array_equal(copy.predict(X), model.labels_)


def test_ids_and_lineage_follow_the_mapping(model):
    assert len(set(model.cluster_ids_)) == model.n_clusters_ == model.history_.n_clusters[-1]
    ids = model.predict_id(X)
    np.testing.assert_array_equal(model.cluster_ids_[model.labels_], ids)
    born = {id for event in model.lineage_ for id in event.after}
    assert set(model.cluster_ids_.tolist()) <= born
    switched = PHIDA().fit(X).set_params(mapping="coactivation")
    switched.partial_fit(X).refresh()
    assert switched.history_.n_clusters[-1] == switched.n_clusters_


def test_before_two_nodes_won_together_the_papers_rule_holds():
    few = PHIDA(mapping="coactivation").partial_fit(X[:3])
    assert few.hierarchy_.mapping == "persistence"
    np.testing.assert_array_equal(few.predict(X), PHIDA().partial_fit(X[:3]).predict(X))


@pytest.mark.parametrize("limits", [{"max_nodes": 20}, {"half_life": 300.0}, {"max_nodes": 30, "half_life": 500.0}])
def test_with_limits(limits):
    model = PHIDA(mapping="coactivation", **limits).fit(X)
    wins = model.co_wins_
    assert model.hierarchy_.mapping == "coactivation" and wins.winner.max() < model.n_nodes_
    if "half_life" in limits:
        assert 0 < wins.count.sum() < 2 * limits["half_life"], "old samples fade here too"


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(1, 399), max_size=4))
def test_chunks_and_readings_between_them_change_nothing(seed, cuts):
    rows = DIGITS[np.random.default_rng(seed).permutation(len(DIGITS))[:400], 20:36]
    whole = PHIDA(mapping="coactivation", compute_labels=False).partial_fit(rows)
    parts = PHIDA(mapping="coactivation", compute_labels=False)
    for part in np.split(rows, sorted(set(cuts))):
        parts.partial_fit(part)
        parts.predict(rows[:3])
    assert differences(state_of(parts), state_of(whole)) == []


def test_a_look_by_the_other_mapping_changes_nothing_that_is_learned_or_told():
    told, plain_told = [], []
    looked = PHIDA().on_event(told.append).fit(X[:600])
    plain = PHIDA().on_event(plain_told.append).fit(X[:600])
    for part in np.array_split(X[600:], 4):
        looked.set_params(mapping="coactivation").predict(X[:5])
        looked.set_params(mapping="persistence").partial_fit(part)
        plain.partial_fit(part)
        np.testing.assert_array_equal(looked.labels_, plain.labels_)
    assert told == plain_told and differences(state_of(looked), state_of(plain)) == []


def test_ids_are_given_from_the_first_refresh_on():
    model = PHIDA(mapping="coactivation", compute_labels=False).partial_fit(X[:60])
    assert (model.history_.n_clusters > 0).all() and len(model.lineage_) > 0


def test_a_refresh_after_a_switch_brings_ids_up_to_date():
    model = PHIDA().fit(X).set_params(mapping="coactivation").refresh()
    state = state_of(model)
    assert state["living_id"].tolist() == sorted(model.cluster_ids_.tolist())
    before = len(model.lineage_)
    model.refresh()
    assert len(model.lineage_) == before
    model.set_params(mapping="persistence").refresh()
    assert state_of(model)["living_id"].tolist() == sorted(model.cluster_ids_.tolist())


def test_a_cut_that_was_asked_for_is_told(model):
    assert "as asked for" in str(model.cut(n_clusters=model.n_clusters_ + 2).cut_clarity_)
    assert "chance" in str(model.cut_clarity_)


def test_an_old_model_keeps_its_ids_for_a_while():
    with pytest.warns(UserWarning, match="counted from now on"):
        old = PHIDA.load(Path(__file__).parents[1] / "state" / "version_2.safetensors")
    ids = state_of(old)["living_id"].tolist()
    old.set_params(mapping="coactivation").partial_fit(state_of(old)["samples"][:3])
    assert state_of(old)["living_id"].tolist() == ids
