import numpy as np
import pytest
from data import blobs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from phida_bench.systems import SRPCMHDP, sr_pcm_hdp
from systems import plain_sr_pcm_hdp as plain


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("h", "alpha", "lam"), [(3, 1.0, 1.5), (4, 5.3, 1.5), (2, 2.0, 0.0), (5, 0.3, 8.0)])
def test_result_equals_plain_loops(h, alpha, lam, seed):
    X = blobs(60, centers=4, seed=seed)
    model = SRPCMHDP(n_high_density_points=h, alpha=alpha, lam=lam, random_state=seed).fit(X)
    drawn = np.random.RandomState(seed).choice(60, size=3 * h, replace=False)
    labels, centres = plain.cluster(X.tolist(), h, alpha, lam, drawn)
    np.testing.assert_array_equal(model.labels_, labels)
    np.testing.assert_allclose(model.cluster_centers_, centres, rtol=1e-9, atol=1e-9)


def test_iris():
    data = load_iris()
    model = SRPCMHDP(random_state=0).fit(data.data)
    assert model.n_clusters_ == 2
    assert np.bincount(model.labels_).tolist() == [50, 100]
    assert adjusted_rand_score(data.target, model.labels_) == pytest.approx(0.5681159420289855)
    assert model.high_density_points_.tolist() == [0, 99, 140, 86, 91, 34]


def test_the_same_seed_gives_the_same_clusters():
    X = blobs(200)
    first, second = (SRPCMHDP(random_state=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.cluster_centers_, second.cluster_centers_)


def test_many_dimensions_leave_one_cluster():
    assert SRPCMHDP(random_state=0).fit(np.random.default_rng(0).normal(size=(300, 200))).n_clusters_ == 1


@pytest.mark.parametrize("n", [1, 2, 5])
def test_fewer_rows_than_centres(n):
    model = SRPCMHDP(random_state=0).fit(blobs(n))
    assert len(model.labels_) == n
    assert 1 <= model.n_clusters_ <= n


def test_all_rows_equal():
    model = SRPCMHDP(random_state=0).fit(np.ones((20, 2)))
    assert model.n_clusters_ == 1
    assert model.cluster_centers_.tolist() == [[1.0, 1.0]]


@given(
    arrays(np.float64, st.tuples(st.integers(1, 25), st.integers(1, 3)), elements=st.integers(-3, 3)),
    st.integers(1, 8),
    st.sampled_from([0.1, 1.0, 5.3]),
    st.sampled_from([0.0, 1.5]),
)
def test_every_cluster_has_rows_and_a_finite_centre(X, h, alpha, lam):
    model = SRPCMHDP(n_high_density_points=h, alpha=alpha, lam=lam, random_state=0).fit(X)
    assert np.unique(model.labels_).tolist() == list(range(model.n_clusters_))
    assert model.cluster_centers_.shape == (model.n_clusters_, X.shape[1])
    assert np.isfinite(model.cluster_centers_).all()


def test_point_on_a_centre_belongs_only_to_it():
    shares = sr_pcm_hdp.fuzzy_memberships(np.array([[0.0, 1.0], [2.0, 2.0]]), 2.0)
    np.testing.assert_allclose(shares, [[1.0, 0.8], [0.0, 0.2]])


def test_point_on_two_centres_is_shared():
    assert sr_pcm_hdp.fuzzy_memberships(np.array([[0.0], [0.0], [3.0]]), 2.0).tolist() == [[0.5], [0.5], [0.0]]


def test_cluster_of_width_zero_has_only_its_centre():
    distances = np.array([[0.0, 1.0], [0.0, 1.0]])
    memberships = sr_pcm_hdp.possibilities(distances, np.array([0.0, 2.0]), 0.5, 1.0)
    np.testing.assert_allclose(memberships, [[1.0, 0.0], [1.0, np.exp(-1.0)]])


def test_the_last_of_equal_memberships_wins():
    memberships = np.array([[0.0, 0.5, 0.9], [0.0, 0.5, 0.1]])
    assert sr_pcm_hdp.last_largest(memberships).tolist() == [1, 1, 0]


def test_centre_without_members_does_not_move():
    centres = sr_pcm_hdp.means_or_old(np.array([[2.0], [0.0]]), np.array([4.0, 0.0]), np.array([[9.0], [7.0]]))
    assert centres.tolist() == [[0.5], [7.0]]


def test_equal_memberships_are_all_core():
    """The mean of three times 0.1 is above 0.1."""
    rows = np.array([[0.0], [1.0], [2.0]])
    widths = sr_pcm_hdp.core_widths(rows, np.full((1, 3), 0.1), np.zeros(3, dtype=np.int64))
    np.testing.assert_allclose(widths, [2 / 3])
