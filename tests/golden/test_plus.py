"""PHIDA+ against every golden file: identical labels of both levels, equal counts, reals to 1e-9.

Each program in PROGRAMS runs the same comparisons.
"""

import json
import math

import numpy as np
import pytest
from golden.files import WITHOUT_SHARED, load, stages
from golden.plus import (
    ALL,
    BUNDLED_PLUS,
    HAS_SHARED_PLUS,
    LEVELS,
    SHARED_PLUS,
    EstimatorProgram,
    OracleProgram,
    plus_files,
    run,
    runs_in,
)
from states import differences

from phida import _core

PROGRAMS = {"oracle": OracleProgram, "estimator": EstimatorProgram}
#: Rows. Slow programs run larger data sets only if PHIDA_GOLDEN_ALL is set.
SMALL = 1_000
#: Runs that no program can match beyond a sample, by seed: that row is at squared distance 47 from two nodes. Summed
#: from the first feature to the last, the older node has 47.00000000000004, but the file puts it first. Stages that end
#: before that sample must match, and both programs agree on every sample.
TIES = {"semeion.nonstationary.plus": {0: 873, 1: 395}}

without_shared = pytest.mark.skipif(not HAS_SHARED_PLUS, reason=WITHOUT_SHARED)
each_program = pytest.mark.parametrize("program", PROGRAMS)


def assert_record(found, expected, where):
    """Counts and flags equal, reals to 1e-9, absent values absent."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, float):
            same = math.isclose(found[name], value, rel_tol=1e-9, abs_tol=1e-9)
        else:
            same = found[name] == value
        assert same, f"{where}: {name} is {found[name]}, expected {value}"


def assert_run(found, expected, labels, seed):
    """Every record and every label of a run."""
    records, found_labels = found
    assert len(records) == len(expected)
    for stage, (record, wanted) in enumerate(zip(records, expected, strict=True)):
        assert_record(record, wanted, f"seed {seed}, stage {stage}")
    for level in LEVELS:
        np.testing.assert_array_equal(found_labels[level], labels[level], f"seed {seed}, {level}")


@each_program
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("golden", plus_files(), ids=lambda golden: golden.name)
def test_golden_file(program, golden, number):
    X, y = load(golden.dataset)
    if PROGRAMS[program].slow and len(X) > SMALL and not ALL:
        pytest.skip("a large data set and a slow program; PHIDA_GOLDEN_ALL=1 runs it")
    runs = golden.runs()
    assert len(runs) == 3
    seed, expected, labels = runs[number]
    parts = stages(X, y, golden.setting, seed)
    found = run(PROGRAMS[program](X.shape[1]), parts)
    tie = TIES.get(golden.name, {}).get(seed)
    if tie is None:
        assert_run(found, expected, labels, seed)
        return
    before = int(np.searchsorted(np.cumsum([len(part) for part in parts]), tie))
    assert before > 0
    for stage in range(before):
        assert_record(found[0][stage], expected[stage], f"seed {seed}, stage {stage}")
    with pytest.raises(AssertionError, match=f"seed {seed}"):  # else the file was fixed, and this exception can go
        assert_run(found, expected, labels, seed)


@pytest.mark.parametrize("dataset", ["sklearn_wine", "sklearn_digits"])
def test_every_instruction_set_gives_the_same_bits(dataset, use_simd_level):
    X, y = load(dataset)
    states = []
    for level in _core.simd_levels():
        use_simd_level(level)
        program = EstimatorProgram(X.shape[1])
        run(program, stages(X, y, "nonstationary", 0))
        states.append(program.native_state())
    assert all(differences(states[0], state) == [] for state in states)


@without_shared
@each_program
@pytest.mark.parametrize("dataset", ["iris", "pima"])
def test_trace(program, dataset):
    """Sample by sample; gamma > 0 in Pima."""
    X, _ = load(dataset)
    order = np.random.RandomState(0).permutation(len(X))
    lines = (SHARED_PLUS / f"{dataset}.stationary.plus.seed0.trace.jsonl").read_text().splitlines()
    assert len(lines) == min(len(X), 400)
    learning = PROGRAMS[program](X.shape[1])
    for row, line in zip(order, lines):
        expected = json.loads(line)
        step = expected.pop("step")
        assert expected.pop("row") == row
        learning.learn(X[row][None])
        assert_record(learning.step(), expected, f"step {step}")


@without_shared
def test_bundled_files_are_the_shared_ones():
    names = [path.name.removesuffix(".json") for path in sorted(BUNDLED_PLUS.glob("*.json"))]
    assert len(names) == 8
    for name in names:
        for bundled, shared in zip(runs_in(BUNDLED_PLUS, name), runs_in(SHARED_PLUS, name), strict=True):
            assert bundled[0] == shared[0]
            for number, (one, other) in enumerate(zip(bundled[1], shared[1], strict=True)):
                assert_record(one, other, f"{name}, seed {bundled[0]}, stage {number}")
            for level in LEVELS:
                np.testing.assert_array_equal(bundled[2][level], shared[2][level])
