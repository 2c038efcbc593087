"""Sensible labels on small and degenerate inputs."""

import numpy as np
import pytest
import strategies
from data import blobs
from hypothesis import given
from hypothesis import strategies as st
from kinds import MAKERS, each_kind

from phida import PHIDA, PHIDAPlus


def fit(X, make):
    """A fitted model whose labels are whole: 0 to C - 1, all of them used by some node."""
    model = make().fit(X)
    assert model.labels_.shape == (len(X),)
    assert model.labels_.dtype == np.int64
    assert model.labels_.min() >= 0 and model.labels_.max() < model.n_clusters_
    assert set(model.nodes_.cluster) - {-1} == set(range(model.n_clusters_))
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.cluster_centers_).all()
    assert model.n_samples_seen_ == len(X)
    return model


@given(strategies.rows(n=(1, 60)), st.sampled_from(sorted(MAKERS)))
def test_labels_are_numbered_from_zero(rows, kind):
    fit(rows, MAKERS[kind])


@each_kind
@pytest.mark.parametrize("d", [1, 2, 7, 8, 9, 40])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_rows(n, d, make):
    model = fit(blobs(n, d), make)
    # With no more nodes than these there is nothing to tell clusters apart by.
    assert model.n_clusters_ == 1 or n > 2


@each_kind
def test_every_pair_of_rows_is_one_cluster(make):
    assert fit(np.array([[0.0], [1e9]]), make).labels_.tolist() == [0, 0]


@each_kind
def test_one_feature(make):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-50, 1, 200), rng.normal(50, 1, 200)])[:, None]
    model = fit(rng.permutation(X), make)
    assert not set(model.predict(X[:200])) & set(model.predict(X[200:]))


@each_kind
@pytest.mark.parametrize("value", [0.0, 1.0, -1e140, 1e-300])
def test_all_rows_equal(value, make):
    model = fit(np.full((500, 3), value), make)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.cluster_centers_, [[value] * 3])


@each_kind
def test_many_duplicates(make):
    """Few distinct rows, many times each: equal rows have equal labels, and far ones do not share theirs."""
    distinct = 100.0 * np.eye(4)
    which = np.random.default_rng(0).integers(0, 4, size=1000)
    labels = fit(distinct[which], make).labels_
    assert all(len(set(labels[which == i])) == 1 for i in range(4))


@each_kind
def test_a_constant_column_changes_no_label(make):
    X = blobs(300)
    with_constant = np.column_stack([X, np.full(300, 5.0)])
    np.testing.assert_array_equal(fit(with_constant, make).labels_, fit(X, make).labels_)


@each_kind
def test_features_on_scales_from_1e_minus_9_to_1e9(make):
    model = fit(blobs(400, 7) * np.logspace(-9, 9, 7), make)
    assert model.assignment_view_.gamma > 0.5


@each_kind
@pytest.mark.parametrize("factor", [2.0**10, 2.0**30, 2.0**100])
def test_the_unit_of_the_data_does_not_matter(factor, make):
    """A power of two scales every number exactly, so that, away from the floors, all decisions stay the same."""
    X = blobs(300)
    np.testing.assert_array_equal(fit(factor * X, make).labels_, fit(X, make).labels_)


@each_kind
def test_100_000_identical_rows(make):
    """Memory and time must not grow with them, and the model must still learn something new afterwards."""
    model = make(compute_labels=False).partial_fit(np.full((100_000, 2), 3.0))
    assert model.n_samples_seen_ == 100_000
    assert model.n_nodes_ <= 3
    assert model.predict([[3.0, 3.0]]).tolist() == [0]
    model.partial_fit(100 + blobs(300, 2))
    assert model.n_nodes_ > 3
    assert np.isfinite(model.transform([[3.0, 3.0], [100.0, 100.0]])).all()


@each_kind
def test_extremes_of_the_allowed_range(make):
    rng = np.random.default_rng(0)
    fit(rng.choice([-1e140, 1e140, 0.0, 1e-140], size=(200, 3)), make)


@each_kind
def test_subnormal_numbers(make):
    fit(5e-324 * np.random.default_rng(0).integers(0, 50, size=(100, 3)), make)


@pytest.mark.parametrize("model", [PHIDA(), PHIDAPlus()], ids=repr)
@pytest.mark.parametrize("times", [2, 20, 300])
def test_repeated_points_give_no_more_groups_than_there_are_points(model, times):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(np.repeat(rng.normal(size=(7, 2)) * 10, times, axis=0))
        labels = model.fit_predict(rows)
        assert model.n_clusters_ == len(np.unique(labels)) <= 7
        if isinstance(model, PHIDAPlus) and times >= 100:
            assert model.n_clusters_ == 7  # a place of so many equal rows is a cluster
