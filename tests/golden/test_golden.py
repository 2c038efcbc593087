"""Every golden file: equal labels and counts, reals to 1e-9, and the same bits at every SIMD level."""

import numpy as np
import pytest
from golden.files import golden_files, load, stages
from states import differences

from phida import _core

#: Larger data sets run at the best level only, which keeps the suite quick.
SMALL = 300_000


def assert_stage(learner, expected):
    reading = learner.reading()
    nodes = reading.nodes()
    counts = {
        "n_seen": learner.n_seen,
        "n_nodes": reading.n_nodes,
        "n_active": reading.n_active_nodes,
        "interval": learner.interval,
        "n_components": reading.n_components,
        "n_clusters": reading.n_clusters,
        "support": nodes["support"].tolist(),
        "active": nodes["active"].astype(int).tolist(),
        "component": mapped(nodes["component"]),
        "cluster": mapped(nodes["cluster"]),
    }
    assert counts == {name: expected[name] for name in counts}
    reals = {
        "vigilance": learner.vigilance,
        "ratio": learner.ratio,
        "ph_threshold": reading.persistence()["threshold"],
        "representative_sum": nodes["representatives"].sum(axis=0)[:8],
    }
    for name, value in reals.items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-9, atol=1e-12, err_msg=name)


def mapped(ids):
    """Return node index to id, for the nodes that have one, as in the files."""
    return {str(node): int(i) for node, i in enumerate(ids) if i >= 0}


def learn(X, y, golden, seed, expected):
    """Learn, comparing every stage; return the learner and the labels of all rows."""
    learner = _core.Learner(X.shape[1], released=golden.mode == "released")
    fed = stages(X, y, golden.setting, seed)
    for rows, stage in zip(fed, expected, strict=True):
        learner.learn(rows)
        learner.end_learning()
        assert_stage(learner, stage)
    return learner, learner.reading().assign(np.concatenate(fed))


@pytest.mark.parametrize("golden", golden_files())
def test_run_equals_golden_file(golden, use_simd_level):
    X, y = load(golden.dataset)
    levels = _core.simd_levels() if X.size <= SMALL else [_core.simd_level()]
    runs = golden.runs()
    assert runs
    for seed, expected, labels in runs:
        state = None
        for level in levels:
            use_simd_level(level)
            learner, found = learn(X, y, golden, seed, expected)
            np.testing.assert_array_equal(found, labels)
            state = state or learner.__getstate__()
            assert differences(state, learner.__getstate__()) == [], level
