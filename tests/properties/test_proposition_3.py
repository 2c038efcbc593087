"""Proposition 3: assignment is finite, unique, smallest index on ties, and stable below half the margin."""

import numpy as np
import strategies
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st

from phida import PHIDA, _core


def queries(rows, seed):
    """Return queries on the data, between them, and far away."""
    rng = np.random.default_rng(seed)
    far = rng.choice([0.0, 1.0, 1e3, 1e12], size=(40, 1))
    return rows[rng.integers(len(rows), size=40)] + far * rng.normal(size=(40, rows.shape[1]))


@given(strategies.rows(n=(1, 80)), strategies.seeds)
def test_scores_are_finite_and_labels_their_first_minimum(rows, seed):
    model = PHIDA().fit(rows)
    X = queries(rows, seed)
    scores, labels = model.transform(X), model.predict(X)
    assert scores.shape == (40, model.n_clusters_)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(labels, np.argmin(scores, axis=1))


@given(st.integers(0, 500), strategies.seeds)
def test_labels_survive_perturbations_below_half_the_margin(stream_seed, seed):
    model = PHIDA().fit(drifting(300, seed=stream_seed))
    if model.n_clusters_ == 1:
        return
    X = queries(drifting(300, seed=stream_seed), seed)
    scores = model.transform(X)
    best, second = np.sort(scores, axis=1)[:, :2].T
    margin = second - best
    # Just below half the margin, with every sign, also in the worst direction.
    rng = np.random.default_rng(seed)
    labels = model.predict(X)
    worst = np.where(np.arange(scores.shape[1]) == labels[:, None], 1.0, -1.0)
    for direction in (worst, rng.uniform(-1, 1, size=scores.shape)):
        perturbed = scores + 0.499 * margin[:, None] * direction
        clear = margin > 1e-9 * best
        np.testing.assert_array_equal(np.argmin(perturbed, axis=1)[clear], labels[clear])


def test_tie_goes_to_the_smallest_index():
    """Two single nodes at the same distance from the query, on opposite sides."""
    for cluster in ([0, 1], [1, 0]):
        rows = np.array([[-1.0], [1.0]])
        labels, scores = _core.assign(rows, np.ones(2), np.array(cluster, np.int32), 2, np.zeros((1, 1)))
        assert scores[0, 0] == scores[0, 1]
        assert labels.tolist() == [0]


def test_streams_of_these_tests_have_several_clusters():
    assert PHIDA().fit(blobs(400)).n_clusters_ > 1
