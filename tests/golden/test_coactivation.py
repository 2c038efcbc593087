"""The co-activation read-out gives the labels that the oracle gave; learning is what it was."""

import numpy as np
import pytest
from golden.coactivation import CASES, FILE, rows_of
from states import differences

from phida import _core


@pytest.mark.parametrize(("dataset", "setting"), CASES)
def test_labels(dataset, setting):
    fed = rows_of(dataset, setting)
    learner = _core.Learner(fed[0].shape[1])
    learner.map_by("coactivation")
    for rows in fed:
        learner.learn(rows)
        learner.end_learning()
    with np.load(FILE) as golden:
        np.testing.assert_array_equal(learner.reading().assign(np.concatenate(fed)), golden[f"{dataset}.{setting}"])


def test_the_mapping_changes_nothing_that_is_learned():
    fed = rows_of("sklearn_digits", "nonstationary")
    states = []
    for mapping in ("persistence", "coactivation"):
        learner = _core.Learner(64)
        learner.map_by(mapping)
        for rows in fed:
            learner.learn(rows)
            learner.end_learning()
        states.append(learner.__getstate__())
    of_readers = {
        "cluster_id",
        "home_id",
        "away",
        "n_ids",
        "coactivation",
        "history_n_clusters",
        "lineage_sample",
        "lineage_by_coactivation",
    }
    changed = set(differences(*states))
    assert {name for name in changed if not name.startswith(("event", "living"))} <= of_readers
