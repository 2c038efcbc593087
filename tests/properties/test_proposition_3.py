"""Proposition 3: assignment is finite, unique and the smallest index on ties."""

import numpy as np
import strategies
from hypothesis import given

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


def test_tie_goes_to_the_smallest_index():
    """Two single nodes at the same distance from the query, on opposite sides."""
    for cluster in ([0, 1], [1, 0]):
        rows = np.array([[-1.0], [1.0]])
        labels, scores = _core.assign(rows, np.ones(2), np.array(cluster, np.int32), 2, np.zeros((1, 1)))
        assert scores[0, 0] == scores[0, 1]
        assert labels.tolist() == [0]
