"""Properties of PHIDA+ beyond those of every estimator: weights, merging, invariance."""

import copy

import numpy as np
import pytest
import strategies
from data import blobs, drifting, same_partition
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from states import assert_same_state, bits, differences, state_of

from phida import PHIDA, PHIDAPlus, _core

STREAMS = {"blobs": blobs(600), "drifting": drifting(600), "clouds": blobs(600, 4, centers=12, spread=9.0)}

each_stream = pytest.mark.parametrize("X", STREAMS.values(), ids=STREAMS)
each_budget = pytest.mark.parametrize("max_nodes", [32, 2048])


@each_stream
@each_budget
def test_node_weights_sum_to_the_rows(X, max_nodes):
    model = PHIDAPlus(max_nodes=max_nodes, compute_labels=False)
    for chunk in np.array_split(X, 7):
        nodes = model.partial_fit(chunk).nodes_
        assert nodes.support.sum() == pytest.approx(model.n_samples_seen_)
        assert nodes.rows.sum() == model.n_samples_seen_
    center = np.average(nodes.representatives, axis=0, weights=nodes.support)
    np.testing.assert_allclose(center, X.mean(axis=0), rtol=1e-6, atol=1e-9 * np.abs(X).max())
    np.testing.assert_allclose(model.moments_.mean, X.mean(axis=0), rtol=1e-6, atol=1e-9 * np.abs(X).max())


@each_stream
@each_budget
def test_integer_weights_equal_repeated_rows(X, max_nodes):
    weight = np.random.default_rng(0).integers(1, 5, size=len(X))
    weighted = PHIDAPlus(max_nodes=max_nodes).fit(X, sample_weight=weight)
    repeated = PHIDAPlus(max_nodes=max_nodes).fit(np.repeat(X, weight, axis=0))
    assert weighted.nodes_.support.sum() == pytest.approx(weight.sum())
    assert repeated.nodes_.support.sum() == pytest.approx(weight.sum())
    np.testing.assert_allclose(weighted.moments_.mean, repeated.moments_.mean, rtol=1e-6, atol=1e-9)
    if max_nodes > len(X):  # no nodes were merged, so each node is a row
        np.testing.assert_array_equal(weighted.nodes_.support, repeated.nodes_.support)
        np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@each_stream
@each_budget
def test_weights_of_one_change_nothing(X, max_nodes):
    plain, weighted = (PHIDAPlus(max_nodes=max_nodes) for _ in range(2))
    assert_same_state(weighted.fit(X, sample_weight=np.ones(len(X))), plain.fit(X))
    np.testing.assert_array_equal(weighted.labels_, plain.labels_)


@each_budget
def test_rows_of_weight_0_are_labelled_but_not_learned(max_nodes):
    X = STREAMS["blobs"]
    weight = np.arange(len(X)) % 3 * 1.0
    model = PHIDAPlus(max_nodes=max_nodes).fit(X, sample_weight=weight)
    assert_same_state(model, PHIDAPlus(max_nodes=max_nodes).fit(X[weight > 0], sample_weight=weight[weight > 0]))
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    np.testing.assert_array_equal(PHIDAPlus(max_nodes=max_nodes).fit_predict(X, sample_weight=weight), model.labels_)


@each_stream
@each_budget
def test_merging_in_either_order_gives_the_same_clusters(X, max_nodes):
    one, other = (PHIDAPlus(max_nodes=max_nodes).partial_fit(part) for part in (X[:400], X[400:]))
    before = state_of(other)
    ab = copy.deepcopy(one).merge(other)
    assert differences(before, state_of(other)) == []
    ba = copy.deepcopy(other).merge(one)
    assert ab.n_samples_seen_ == ba.n_samples_seen_ == len(X) and ab.n_nodes_ <= max_nodes
    assert bits(ab.nodes_.representatives) == bits(ba.nodes_.representatives)
    assert bits(ab.nodes_.support) == bits(ba.nodes_.support)
    assert ab.nodes_.support.sum() == pytest.approx(len(X))
    assert bits(ab.predict(X)) == bits(ba.predict(X))
    assert_same_state(copy.deepcopy(ab).partial_fit(X), pickled(ab).partial_fit(X))


def pickled(model):
    return PHIDAPlus.from_bytes(model.to_bytes())


def test_merged_rows_within_the_budget_equal_one_stream():
    X = STREAMS["clouds"]
    merged = PHIDAPlus().partial_fit(X[:250]).merge(PHIDAPlus().partial_fit(X[250:]))
    assert same_partition(merged.predict(X), PHIDAPlus().fit(X).labels_)


def test_merging_no_model_changes_nothing():
    model = PHIDAPlus().fit(STREAMS["blobs"])
    before = state_of(model)
    assert model.merge() is model and differences(before, state_of(model)) == []


def test_merging_unfitted_or_other_models_is_refused():
    X = STREAMS["blobs"]
    model = PHIDAPlus().fit(X)
    before = state_of(model)
    with pytest.raises(NotFittedError, match="model 3 is not fitted"):
        model.merge(PHIDAPlus().fit(X), PHIDAPlus())
    with pytest.raises(NotFittedError, match="not fitted yet"):
        PHIDAPlus().merge(model)
    with pytest.raises(TypeError, match="model 2 is a PHIDA; only models of PHIDAPlus can be merged"):
        model.merge(PHIDA().fit(X))
    with pytest.raises(ValueError, match="cannot be merged with itself"):
        model.merge(copy.copy(model))
    with pytest.raises(ValueError, match="model 2 has scale=None and the first has 'auto'"):
        model.merge(PHIDAPlus(scale=None).fit(X))
    with pytest.raises(ValueError, match="max_nodes was changed"):
        copy.deepcopy(model).set_params(max_nodes=30).merge(PHIDAPlus(max_nodes=30).fit(X))
    assert not hasattr(PHIDA, "merge") and differences(before, state_of(model)) == []


def test_events_of_a_merge_reach_the_callbacks():
    heard = []
    model = PHIDAPlus(compute_labels=False).on_event(heard.append).fit(STREAMS["blobs"])
    model.merge(PHIDAPlus().fit(STREAMS["blobs"] + 100.0)).refresh()
    assert heard == list(model.lineage_)


@each_stream
@each_budget
def test_order_of_features_changes_no_cluster(X, max_nodes):
    order = np.random.default_rng(0).permutation(X.shape[1])
    plain, turned = (PHIDAPlus(max_nodes=max_nodes).fit(rows) for rows in (X, np.ascontiguousarray(X[:, order])))
    assert same_partition(plain.labels_, turned.labels_)


@pytest.mark.parametrize("power", [-100, -10, 1, 10, 100])
@each_stream
@each_budget
def test_common_unit_of_all_features_changes_no_label(X, max_nodes, power):
    plain, scaled = (PHIDAPlus(max_nodes=max_nodes).fit(rows) for rows in (X, 2.0**power * X))
    np.testing.assert_array_equal(plain.labels_, scaled.labels_)


@each_budget
def test_shift_of_all_rows_changes_no_label(max_nodes):
    """Rows on a grid make the shift exact."""
    X = np.round(STREAMS["blobs"] * 2**10) / 2**10
    shift = np.array([4096.0, -1024.0, 2048.0])
    plain, shifted = (PHIDAPlus(max_nodes=max_nodes).fit(rows) for rows in (X, X + shift))
    assert same_partition(plain.labels_, shifted.labels_)


@pytest.mark.parametrize("seed", range(3))
def test_one_gaussian_is_one_cluster(seed):
    rows = np.random.default_rng(seed).normal(size=(3000, 4))
    assert set(PHIDAPlus().fit(rows).labels_) == {0}


@pytest.mark.parametrize("seed", range(2))
def test_one_gaussian_of_a_million_rows_is_one_cluster(seed):
    rows = np.random.default_rng(seed).normal(size=(1_000_000, 3))
    assert PHIDAPlus(compute_labels=False).fit(rows).n_clusters_ == 1


@given(strategies.rows(n=(1, 80)))
def test_every_number_of_clusters_can_be_cut(rows):
    model = PHIDAPlus().fit(rows)
    assert model.hierarchy_.level == model.n_nodes_ - model.n_clusters_
    everything = model.cut(height=np.inf).hierarchy_
    heights = everything.merge_height
    assert len(heights) == len(everything.merge_chance) == model.n_nodes_ - 1 and everything.minimum_count == 1
    assert (heights[1:] >= heights[:-1]).all() and (heights >= 0).all()
    assert model.hierarchy_.level == (heights < 1).sum()
    for n_clusters in {1, 2, model.n_nodes_} & set(range(1, model.n_nodes_ + 1)):
        cut = model.cut(n_clusters=n_clusters)
        assert cut.n_clusters_ == n_clusters == len(set(cut.nodes_.cluster.tolist()))


@each_stream
def test_prominence_in_units_of_chance_is_at_most_the_height(X):
    """A merge is at least as high as the merges of the nodes that it joins."""
    hierarchy = PHIDAPlus().fit(X).hierarchy_
    assert (hierarchy.merge_chance > 0).all()
    ratio = hierarchy.merge_prominence / hierarchy.merge_chance
    assert (ratio <= hierarchy.merge_height * (1 + 1e-9)).all()
    assert {*np.round(hierarchy.merge_height, 9)} <= {0.0, *np.round(ratio, 9)}


@each_stream
@pytest.mark.parametrize("limits", [{}, {"max_nodes": 32, "half_life": 100.0}], ids=["whole", "limits"])
def test_every_instruction_set_gives_the_same_bits(X, limits, use_simd_level):
    found = []
    for simd_level in _core.simd_levels():
        use_simd_level(simd_level)
        model = PHIDAPlus(**limits).fit(X)
        found.append((state_of(model), bits(model.labels_), bits(model.transform(X))))
    for state, labels, distances in found[1:]:
        assert differences(found[0][0], state) == []
        assert (labels, distances) == found[0][1:]


@given(
    data=st.sampled_from([blobs(400, 3), blobs(300, 5, centers=8, spread=6.0), drifting(400)]),
    max_nodes=st.sampled_from([48, 2048]),
    exponent=st.data(),
)
def test_unit_of_any_feature_changes_nothing_if_standardised(data, max_nodes, exponent):
    factors = [10.0 ** exponent.draw(st.floats(-6, 6)) for _ in range(data.shape[1])]
    model = PHIDAPlus(scale="standard", max_nodes=max_nodes)
    before = model.fit(data).labels_
    np.testing.assert_array_equal(model.fit(data * factors).labels_, before)


@pytest.mark.parametrize("n_rows", [300, 1000, 2200, 5000])
def test_novelty_marks_its_share_of_new_rows(n_rows):
    centers = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 9]])
    shares = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        learned, new = (centers[rng.integers(3, size=n)] + rng.normal(size=(n, 3)) for n in (n_rows, 2000))
        model = PHIDAPlus(compute_labels=False).fit(learned)
        shares.append((model.predict(new, novelty=0.05) == -1).mean())
        np.testing.assert_array_equal(model.cut(n_clusters=2).score_samples(new), model.score_samples(new))
    assert 0.03 <= np.mean(shares) <= 0.07


def test_rows_at_one_place_are_usual():
    model = PHIDAPlus(scale=None).fit([[0.0], [0.0], [1.0], [5.0]])
    # Margins of the three places: 0 for the equal rows, then 1 and 4.
    assert model.score_samples([[0.0]])[0] == pytest.approx(0.75)
    assert model.score_samples([[-1.0]])[0] == pytest.approx(0.5)
    assert model.score_samples([[9.0]])[0] == pytest.approx(0.25)
