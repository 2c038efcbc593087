"""PHIDA+ against its golden runs: equal labels and counts, reals to 1e-9."""

import os

import numpy as np
import pytest
from golden.plus import RUNS, estimator_result, golden_result, oracle_result
from states import differences, state_of

from phida import PHIDAPlus, _core

each_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)


def assert_result(found, expected):
    assert found.n_clusters == expected.n_clusters
    np.testing.assert_allclose(found.weight, expected.weight, rtol=1e-9)
    np.testing.assert_allclose(found.allowance, expected.allowance, rtol=1e-9)
    np.testing.assert_array_equal(found.labels, expected.labels)


@each_run
def test_estimator_equals_golden_run(run):
    assert_result(estimator_result(run), golden_result(run))


@each_run
def test_oracle_equals_golden_run(run):
    if run.slow and "PHIDA_GOLDEN_ALL" not in os.environ:
        pytest.skip("slow; PHIDA_GOLDEN_ALL=1 runs it")
    assert_result(oracle_result(run), golden_result(run))


@pytest.mark.parametrize("name", ["digits.stationary.0.max_nodes_256", "groups"])
def test_every_instruction_set_gives_the_same_bits(name, use_simd_level):
    run = next(run for run in RUNS if run.name == name)
    states, labels = [], []
    for level in _core.simd_levels():
        use_simd_level(level)
        model = PHIDAPlus(**run.settings).fit(run.parts[0].rows)
        states.append(state_of(model))
        labels.append(model.labels_)
    assert all(differences(states[0], state) == [] for state in states)
    assert all((labels[0] == other).all() for other in labels)
