"""A few wild values of any size and at any time do not hide the groups of all other rows from PHIDA+."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from phida import PHIDAPlus

N = 20_000


def blobs(d):
    """Return three groups separated only in the first feature."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, N)
    rows = rng.normal(size=(N, d))
    rows[:, 0] += 10 * group
    return rows, group


def wild_rows(where):
    places = {"first": [0], "middle": [N // 2], "last": [N - 1]}
    return places[where] if where in places else np.random.default_rng(5).choice(N, 20, replace=False)


@pytest.mark.parametrize("size", [1e3, 1e5, 1e9, 1e140])
@pytest.mark.parametrize("where", ["first", "middle", "last", "many"])
@pytest.mark.parametrize(("scale", "d"), [("auto", 2), ("auto", 8), ("standard", 2)])
def test_wild_values_leave_three_groups(size, where, scale, d):
    rows, group = blobs(d)
    wild = wild_rows(where)
    rows[wild, 0] = size * np.random.default_rng(1).uniform(0.1, 1, len(wild)) * (-1.0) ** np.arange(len(wild))
    model = PHIDAPlus(scale=scale).fit(rows)
    tame = np.setdiff1d(np.arange(N), wild)
    labels = model.labels_[tame]
    assert adjusted_rand_score(group[tame], labels) > 0.98
    counts = np.bincount(labels)
    assert (counts > 100).sum() == 3
