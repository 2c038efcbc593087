"""Novelty, margins, membership, explanations, other cuts, and clarity."""

import copy
import pickle

import numpy as np
import pytest
import strategies
from data import blobs, drifting
from hypothesis import given
from kinds import each_estimator
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from phida import PHIDA, InputError, PHIDAPlus
from phida.answers.clarity import cut_clarity
from phida.answers.explanation import _fraction

X = blobs(600, seed=3)


@pytest.fixture(scope="module")
def model():
    return PHIDA().fit(X)


@each_estimator
def test_scores_have_the_same_scale_on_every_stream(estimator):
    """One new row in ten is among the most unusual tenth, on any stream."""
    for seed, scale in ((0, 1.0), (1, 1e-3), (2, 1e5)):
        rows = scale * blobs(6000, d=4, seed=seed)
        model = estimator(compute_labels=False).fit(rows[:3000])
        scores = model.score_samples(rows[3000:])
        assert 0.03 < np.mean(scores < 0.1) < 0.2
        assert 0.35 < np.mean(scores < 0.5) < 0.65


def test_usualness_falls_with_distance(model):
    away = np.array([0.0, 1.0, 10.0, 100.0, 1e4, 1e8])[:, None] * np.ones(3) + X[0]
    scores = model.score_samples(away)
    assert (np.diff(scores) < 0).all() and scores[-1] >= 0
    assert scores[-1] < 1e-3


def test_novel_rows_get_label_minus_1(model):
    rows = np.vstack([X[:50], X[:50] + 1e3])
    plain = model.predict(rows)
    marked = model.predict(rows, novelty=0.001)
    assert (marked[50:] == -1).all()
    assert (marked[:50] == plain[:50]).mean() > 0.9
    np.testing.assert_array_equal(model.predict(rows, novelty=0), plain)
    with pytest.raises(ValueError, match="from 0 to 1"):
        model.predict(rows, novelty=2)


def test_score_without_comparable_rows_is_one_half():
    assert PHIDA().fit([[1.0, 2.0]]).score_samples([[5.0, 5.0]]) == [0.5]


@given(strategies.rows(n=(1, 80)))
def test_memberships_sum_to_one_and_peak_at_the_label(rows):
    model = PHIDA().fit(rows)
    shares = model.membership(rows)
    assert np.isfinite(shares).all() and (shares >= 0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.predict(rows))
    margins = model.assignment_margin(rows)
    assert (margins >= 0).all() and margins.shape == (len(rows),)
    scores = model.score_samples(rows)
    assert ((scores >= 0) & (scores <= 1)).all()


def test_margin_is_the_distance_to_the_second_cluster(model):
    distances = np.sort(model.transform(X), axis=1)
    np.testing.assert_array_equal(model.assignment_margin(X), distances[:, 1] - distances[:, 0])
    assert PHIDA().fit(np.zeros((5, 2))).assignment_margin([[0, 0]]) == [np.inf]


def test_every_reachable_number_of_clusters_can_be_cut(model):
    reachable = []
    for wanted in range(1, model.n_components_ + 2):
        try:
            cut = model.cut(n_clusters=wanted)
        except ValueError as error:
            assert f"to {model.n_components_} for this model, not {wanted}" in str(error)
            continue
        reachable.append(wanted)
        assert cut.n_clusters_ == wanted == len(set(cut.nodes_.cluster.tolist()) - {-1})
        assert set(cut.predict(X).tolist()) <= set(range(wanted))
        assert cut.transform(X).shape == (len(X), wanted)
        assert len(cut.cluster_ids_) == wanted and repr(cut) == f"Cut(n_clusters={wanted})"
    assert reachable == list(range(reachable[0], model.n_components_ + 1)) and len(reachable) > 1


def test_default_cut_is_the_models_own(model):
    cut = model.cut(n_clusters=model.n_clusters_)
    np.testing.assert_array_equal(cut.predict(X), model.predict(X))
    np.testing.assert_array_equal(cut.cluster_ids_, model.cluster_ids_)
    np.testing.assert_array_equal(cut.score_samples(X), model.score_samples(X))


def test_cuts_by_height_follow_the_hierarchy(model):
    assert model.cut(height=0).n_clusters_ == model.n_components_
    assert model.cut(height=np.inf).n_clusters_ < model.n_components_
    heights = model.cut(height=np.inf).hierarchy_.merge_height
    assert model.cut(height=heights[0]).n_clusters_ < model.n_components_


def test_cut_stays_while_the_model_learns():
    model = PHIDA().fit(X)
    cut = model.cut(n_clusters=model.n_components_)
    before = cut.predict(X)
    model.partial_fit(drifting(300))
    np.testing.assert_array_equal(cut.predict(X), before)


@pytest.mark.parametrize("wrong", [{}, {"n_clusters": 3, "height": 1.0}, {"height": -1.0}, {"height": np.nan}])
def test_invalid_cuts_are_refused(model, wrong):
    with pytest.raises(ValueError, match=r"either|0 or more"):
        model.cut(**wrong)


def test_explanations_agree_with_the_records(model):
    nodes = model.nodes_
    rng = np.random.default_rng(0)
    for a, b in rng.integers(0, len(nodes), size=(200, 2)):
        if a == b:
            continue
        told = model.explain(int(a), int(b), kind="node")
        assert told.same_cluster == (nodes.cluster[a] == nodes.cluster[b] != -1)
        assert told.same_component == (nodes.component[a] == nodes.component[b] != -1)
        if told.path:
            assert (told.path[0], told.path[-1]) == (a, b)
            assert told.path_support == min(nodes.support[list(told.path)])
        if told.same_cluster and not told.same_component:
            assert told.merge_height in model.hierarchy_.merge_height[: model.hierarchy_.level]
        # In one component, all modes on the way were absorbed; otherwise a persistent mode separates the two.
        if told.same_component:
            assert all(death.absorbed for death in told.deaths)
        elif told.path:
            assert not all(death.absorbed for death in told.deaths)
        assert str(told).count("\n") >= 4


def test_rows_and_clusters_are_explained(model):
    told = model.explain(X[0], X[1])
    labels = model.predict(X[:2])
    assert [told.a.cluster, told.b.cluster] == labels.tolist()
    assert told.a.margin == model.assignment_margin(X[:1])[0]
    told = model.explain(0, 1, kind="cluster")
    assert (told.a.cluster, told.b.cluster) == (0, 1) and not told.same_cluster
    assert told.a.cluster_id == model.cluster_ids_[0]
    assert str(told).startswith("Cluster 0 differs from cluster 1 mainly in feature ")
    assert model.explain(0, kind="cluster").b.cluster != 0


@pytest.mark.parametrize(
    ("a", "kind", "sentence"),
    [
        (10**6, "node", "node 1000000 does not exist"),
        (-1, "cluster", "cluster -1 does not exist"),
        (0, "clusters", "kind must be"),
    ],
)
def test_explaining_missing_clusters_is_refused(model, a, kind, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.explain(a, 0, kind=kind)


def test_rows_of_other_width_are_refused(model):
    with pytest.raises(InputError, match="must have 3 features"):
        model.explain([1.0, 2.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="node True does not exist"):
        model.explain(True, 0, kind="node")


def test_named_columns_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    model = PHIDA().fit(frame)
    plain = model.explain(X[0], X[1])
    turned = frame[["c", "a", "b"]]
    for a, b in ((turned.iloc[0], turned.iloc[1]), (dict(turned.iloc[0]), dict(turned.iloc[1]))):
        assert model.explain(a, b) == plain
    assert model.explain(frame.iloc[[0]], frame.iloc[[1]]) == plain
    with pytest.raises(ValueError, match="but the model"):
        model.explain({"a": 1.0, "b": 2.0, "x": 3.0}, turned.iloc[0])


def test_merge_forbidden_by_the_minimum_count_is_explained(model):
    hierarchy = model.hierarchy_
    least = model.cut(n_clusters=hierarchy.minimum_count)
    forbidden = [
        told
        for a in range(least.n_clusters_)
        for b in range(a)
        if (told := least.explain(a, b, kind="cluster")).merge_height is not None
    ]
    assert forbidden and all("clusters are kept" in str(told) for told in forbidden)


def test_cut_supports_the_estimator_methods_it_can(model):
    cut = model.cut(n_clusters=model.n_clusters_)
    check_is_fitted(model)
    assert clone(cut) is cut and copy.deepcopy(cut) is cut
    assert cut.get_feature_names_out().tolist() == [f"cut{i}" for i in range(cut.n_clusters_)]
    with pytest.raises(TypeError, match="pickle the model"):
        pickle.dumps(cut)


@pytest.mark.parametrize("ask", [{"novelty": "x"}, {"novelty": -1}])
def test_invalid_novelty_is_refused(model, ask):
    with pytest.raises(ValueError, match="from 0 to 1"):
        model.predict(X, **ask)


@pytest.fixture(scope="module")
def plus():
    return PHIDAPlus().fit(X)


def test_explanations_of_phida_plus_agree_with_the_records(plus):
    nodes, hierarchy = plus.nodes_, plus.cut(height=np.inf).hierarchy_
    rng = np.random.default_rng(0)
    for a, b in rng.integers(0, len(nodes), size=(100, 2)):
        told = plus.explain(int(a), int(b), kind="node")
        assert told.same_cluster == (nodes.cluster[a] == nodes.cluster[b]) == told.made and not told.by_hand
        if a == b:
            assert told.sentences() == []
        elif told.prominence <= 0:
            assert told.sentences()[-1] == "Between them the density does not fall."
        elif told.prominence == np.inf:
            assert told.sentences()[-1] == "Between them there are no rows." and not told.made
        else:
            assert told.prominence < told.chance or not told.made
            assert told.prominence in hierarchy.merge_prominence
            *_, sentence = told.sentences()
            assert sentence.startswith("Between them the density falls to ") and "chance alone would reach" in sentence
        assert f"node {a}: cluster {nodes.cluster[a]}" in str(told)
        if a != b:
            away = (nodes.representatives[a] - nodes.representatives[b]) / plus.moments_.deviation
            largest = int(np.abs(away).argmax())
            assert told.differences[0].feature == f"feature {largest}"
            assert f"mainly in feature {largest} ({away[largest]:+.1f} sd)" in told.sentences()[0]


def test_explanations_and_clarity_of_a_manual_cut_name_the_cut(plus):
    assert plus.n_clusters_ > 1 and "by hand" not in str(plus.cut_clarity_)
    for n_clusters, verb in ((1, "joins"), (plus.n_nodes_, "separates")):
        cut = plus.cut(n_clusters=n_clusters)
        assert cut.cut_clarity_.by_hand and cut.cut_clarity_.nearest is None
        assert str(cut.cut_clarity_).endswith("(chosen by hand)")
        told = [cut.explain(0, b, kind="node") for b in range(1, plus.n_nodes_)]
        by_hand = [one for one in told if one.by_hand]
        assert by_hand and all(f"The cut was chosen by hand and {verb} them." in one.sentences() for one in by_hand)


def test_density_fractions_are_worded():
    assert [_fraction(np.log(ratio)) for ratio in (1.0, 2.1, 6.0, 12.3, 4321.0)] == [
        "1/1.0", "1/2.1", "1/6.0", "1/12", "1/4,321",
    ]  # fmt: skip
    assert _fraction(np.inf) == _fraction(1e4) == "almost nothing"


class Peaks:
    """The fields that the clarity of PHIDA+ reads."""

    def __init__(self, heights, level):
        self.merge_height, self.level, self.threshold = np.array(heights), level, 1.0
        self.mode = np.arange(len(heights) + 1)


@pytest.mark.parametrize(
    ("heights", "level", "kept", "joined", "nearest", "clarity"),
    [
        ([0.0, 0.5, 4.0, np.inf], 2, 4.0, 0.5, 0.5, 0.5),
        ([0.1, 1.25], 1, 1.25, 0.1, 1.25, 0.25),
        ([0.0, 0.0], 2, None, 0.0, 0.0, 1.0),
        ([np.inf], 0, np.inf, 0.0, 0.0, 1.0),
        ([], 0, None, None, None, None),
        ([0.1, 1.25], 2, None, None, None, None),
    ],
)
def test_clarity_of_phida_plus_is_the_closest_decision(heights, level, kept, joined, nearest, clarity):
    told = cut_clarity(None, Peaks(heights, level), 0)
    assert (told.n_clusters, told.kept, told.joined, told.nearest) == (len(heights) + 1 - level, kept, joined, nearest)
    assert told.clarity == pytest.approx(clarity) if clarity is not None else told.clarity is None
    assert told.by_hand == (level != sum(height < 1 for height in heights))


def test_clarity_has_a_word_for_each_range():
    assert str(cut_clarity(None, Peaks([0.4, 1.25], 1), 0)) == (
        "2 clusters: the weakest split is 1.25 times as deep as chance would make it, "
        "the strongest split not made is 0.40 times as deep"
    )
    assert str(cut_clarity(None, Peaks([0.4], 1), 0)) == (
        "1 cluster: the strongest split not made is 0.40 times as deep as chance would make it"
    )


class Gaps:
    """The fields that cut_clarity reads."""

    def __init__(self, persistence, heights, level):
        self.persistence = np.array(persistence)
        self.merge_height, self.level = np.array(heights), level
        self.mode = np.arange(len(heights) + 2)
        self.minimum_count, self.threshold = 2, np.inf


@pytest.mark.parametrize(
    ("persistence", "heights", "level", "expected"),
    [
        ([1.0, 2.0, 10.0, np.inf], [1.0, 2.0, 12.0], 2, (1 - 1 / 8, 1 - 1 / 10)),
        ([3.0, 6.0, 0.0], [4.0, 8.0], 1, (0.0, 0.0)),
        ([5.0], [5.0], 0, (None, None)),
        ([], [], 0, (None, None)),
        ([1.0, 9.0], [1.0, 2.0, 12.0], 0, (1 - 1 / 8, 0.0)),
    ],
)
def test_clarity_compares_the_largest_gap_with_the_others(persistence, heights, level, expected):
    gaps = Gaps(persistence, heights, level)
    told = cut_clarity(gaps, gaps, len(gaps.mode))
    assert (told.persistence, told.hierarchy) == pytest.approx(expected)
    assert told.n_clusters == len(heights) + 2 - level
    assert (told.next_n_clusters is None) == (len(heights) < 2)
    assert f"{told.n_clusters} clusters" in str(told)


def test_separated_groups_have_a_clear_cut():
    rng = np.random.default_rng(0)
    clear = PHIDA().fit(rng.permutation(np.vstack([rng.normal(c, 0.3, (300, 2)) for c in (0, 10, 20)])))
    own = clear.cut(n_clusters=clear.n_clusters_)
    assert own.cut_clarity_ == clear.cut_clarity_
    assert clear.cut_clarity_.n_clusters == clear.n_clusters_


def test_row_is_explained_by_its_distinctive_features(plus):
    row = X[0]
    why = plus.explain(row)
    distances = plus.transform([row])[0]
    assert why.cluster == plus.predict([row])[0] and why.cluster_id == plus.predict_id([row])[0]
    assert why.next_cluster == np.argsort(distances)[1]
    assert (why.distance, why.next_distance) == (distances[why.cluster], distances[why.next_cluster])
    assert why.score == plus.score_samples([row])[0]
    assert sum(pull.share for pull in why.pulls) == pytest.approx(1)
    assert [pull.share for pull in why.pulls] == sorted((pull.share for pull in why.pulls), reverse=True)
    text = str(why)
    assert f"The row is in cluster {why.cluster}" in text and f"mainly by {why.pulls[0].feature} (" in text
    far = plus.explain(np.full(3, 1e3))
    assert far.score < 0.01 and "It is unusual: only 0" in str(far)
    alone = PHIDAPlus().fit(np.random.default_rng(0).normal(size=(300, 2))).explain([0.0, 0.0])
    assert alone.next_cluster is None and "the only one" in str(alone)


def test_cuts_by_number_are_nested_and_split_large_clusters():
    rng = np.random.default_rng(0)
    rows = np.vstack(
        [rng.normal(center, 1, (500, 2)) for center in ([0, 0], [2.2, 0])] + [rng.normal(30, 0.1, (20, 2))]
    )
    model = PHIDAPlus().fit(rng.permutation(rows))
    assert model.n_clusters_ == 2
    finer = model.cut(n_clusters=3)
    sizes = np.bincount(finer.predict(rows))
    assert len(sizes) == 3 and sorted(sizes)[0] == 20 and sorted(sizes)[1] > 300
    coarser = model.predict(rows)
    for n_clusters in range(3, 12):
        found = model.cut(n_clusters=n_clusters).predict(rows)
        pairs = {*zip(found.tolist(), coarser.tolist(), strict=True)}
        assert len(pairs) == n_clusters  # each cluster is part of one
        coarser = found
    again = finer.cut(n_clusters=2)  # a cut of a cut equals a cut of the model
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    assert again.cut_clarity_ == model.cut_clarity_
