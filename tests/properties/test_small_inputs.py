"""Labels on small and degenerate inputs."""

import numpy as np
import pytest
import strategies
from data import blobs
from hypothesis import given
from hypothesis import strategies as st
from kinds import MAKERS, each_kind

from phida import PHIDA, PHIDAPlus


def fit(X, make):
    """Return a fitted model, checking that its labels are 0 to C - 1 and that each has a node."""
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
def test_few_rows_get_labels(n, d, make):
    model = fit(blobs(n, d), make)
    # Up to this number of nodes there is nothing that separates clusters.
    assert model.n_clusters_ == 1 or n > 2


@each_kind
def test_one_feature_is_clustered(make):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-50, 1, 200), rng.normal(50, 1, 200)])[:, None]
    model = fit(rng.permutation(X), make)
    assert not set(model.predict(X[:200])) & set(model.predict(X[200:]))


@each_kind
@pytest.mark.parametrize("value", [0.0, 1.0, -1e140, 1e-300])
def test_equal_rows_are_one_cluster(value, make):
    model = fit(np.full((500, 3), value), make)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.cluster_centers_, [[value] * 3])


@each_kind
def test_duplicates_share_a_label_and_distant_rows_do_not(make):
    """Few distinct rows, each repeated many times."""
    distinct = 100.0 * np.eye(4)
    which = np.random.default_rng(0).integers(0, 4, size=1000)
    labels = fit(distinct[which], make).labels_
    assert all(len(set(labels[which == i])) == 1 for i in range(4))


@each_kind
def test_constant_column_changes_no_label(make):
    X = blobs(300)
    with_constant = np.column_stack([X, np.full(300, 5.0)])
    np.testing.assert_array_equal(fit(with_constant, make).labels_, fit(X, make).labels_)


@each_kind
def test_features_on_scales_from_1e_minus_9_to_1e9_are_normalised(make):
    model = fit(blobs(400, 7) * np.logspace(-9, 9, 7), make)
    assert model.assignment_view_.gamma > 0.5


@each_kind
@pytest.mark.parametrize("factor", [2.0**10, 2.0**30, 2.0**100])
def test_power_of_two_unit_changes_no_label(factor, make):
    """A power of two scales every number exactly, so all decisions stay the same, except near the floors."""
    X = blobs(300)
    np.testing.assert_array_equal(fit(factor * X, make).labels_, fit(X, make).labels_)


@each_kind
def test_100_000_identical_rows_take_bounded_time_and_memory(make):
    """The model must still learn something new afterwards."""
    model = make(compute_labels=False).partial_fit(np.full((100_000, 2), 3.0))
    assert model.n_samples_seen_ == 100_000
    assert model.n_nodes_ <= 3
    assert model.predict([[3.0, 3.0]]).tolist() == [0]
    model.partial_fit(100 + blobs(300, 2))
    assert model.n_nodes_ > 3
    assert np.isfinite(model.transform([[3.0, 3.0], [100.0, 100.0]])).all()


@pytest.mark.parametrize("model", [PHIDA(), PHIDAPlus()], ids=repr)
@pytest.mark.parametrize("times", [2, 20, 300])
def test_repeated_points_give_at_most_one_group_per_point(model, times):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(np.repeat(rng.normal(size=(7, 2)) * 10, times, axis=0))
        labels = model.fit_predict(rows)
        assert model.n_clusters_ == len(np.unique(labels)) <= 7
        if isinstance(model, PHIDAPlus) and times >= 100:
            assert model.n_clusters_ == 7  # so many equal rows at one place are a cluster


@pytest.mark.parametrize("d", [1, 2, 5, 20])
@pytest.mark.parametrize("n", [4, 5, 6, 7, 8, 10])
def test_few_rows_of_one_cloud_are_one_cluster_nearly_always(n, d):
    rng = np.random.default_rng(n)
    found = [PHIDAPlus(compute_labels=False).fit(rng.normal(size=(n, d))).n_clusters_ for _ in range(40)]
    assert found.count(1) >= 36
