"""The learner of PHIDA+: properties of the oracle, then the native learner compared to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from states import bits

from oracle import fine_nodes
from oracle.fine_nodes import FineNodes, learned
from oracle.fine_streams import native_learner, settings_of_learners, weighted_streams

SUMS = ("weight", "mean", "scatter", "credit", "allowance", "unit")


def groups(n, seed=0):
    """Return six groups of rows in features of unequal scale."""
    rng = np.random.default_rng(seed)
    return (5 * rng.integers(0, 6, size=(n, 1)) + rng.normal(size=(n, 4))) * [1e-2, 1.0, 1.0, 300.0]


# The oracle.


def test_wild_values_are_left_out_of_the_scale_unless_all_variation_is_theirs():
    rng = np.random.default_rng(0)
    weight, scatter = np.ones(1000), np.zeros(1000)
    values = rng.normal(size=1000)
    usual = fine_nodes.deviation(weight[3:], values[3:], scatter[3:])
    for wild in ([1e3, 1e3, 1e3], [1e3, -1e9, 1e140], [-1e140, 1e140, 500.0]):
        values[:3] = wild
        assert fine_nodes.deviation(weight, values, scatter) == usual
    values[3:] = 0.0  # the only variation
    assert fine_nodes.deviation(weight, values, scatter) > 1.0
    values = np.r_[np.zeros(990), np.full(10, 40.0)] + rng.normal(size=1000)  # one row in a hundred is a group
    assert fine_nodes.deviation(weight, values, scatter) == pytest.approx(np.std(values))


def test_nodes_have_the_mean_and_scatter_of_all_rows():
    rows = groups(400)
    weights = np.random.default_rng(1).uniform(0.5, 3, size=400)
    oracle = learned(rows, weights, max_nodes=32)
    assert_same_moments(oracle, rows, weights)


def test_fading_nodes_have_the_mean_and_scatter_of_the_fading_rows():
    """Every node keeps at least half a row, so none is removed."""
    rows = groups(400)
    oracle = learned(rows, max_nodes=32, half_life=200.0)
    assert_same_moments(oracle, rows, 2.0 ** (np.arange(-399, 1) / 200))


def assert_same_moments(oracle, rows, weights):
    mean = np.average(rows, axis=0, weights=weights)
    scatter = (weights[:, None] * (rows - mean) ** 2).sum(axis=0)
    weight = oracle.row_weight[:, None]
    np.testing.assert_allclose(weight.sum(), weights.sum(), rtol=1e-12)
    np.testing.assert_allclose((weight * oracle.mean).sum(axis=0) / weight.sum(), mean, rtol=1e-12)
    found = oracle.scatter / oracle.unit + weight * (oracle.mean - mean) ** 2
    np.testing.assert_allclose(found.sum(axis=0), scatter, rtol=1e-12)


def test_compaction_makes_the_cheapest_merges_and_keeps_the_last_cost():
    """On a line, with B = 8: eight rows become six nodes by the merges 0.0 + 0.1, then 5.0 + 5.3."""
    oracle = learned(np.array([[0.0], [10.0], [5.0], [20.0], [0.1], [40.0], [5.3], [80.0]]), max_nodes=8, scale="none")
    np.testing.assert_allclose(oracle.mean[:, 0], [0.05, 10, 5.15, 20, 40, 80])
    assert oracle.weight.tolist() == [2, 1, 2, 1, 1, 1]
    np.testing.assert_allclose(oracle.scatter[:, 0], [0.005, 0, 0.045, 0, 0, 0])
    assert oracle.allowance == pytest.approx(0.045)


def test_equal_costs_merge_the_lower_indices_first():
    oracle = learned(np.arange(8.0)[:, None], max_nodes=8, scale="none")
    assert oracle.mean[:, 0].tolist() == [0.5, 2.5, 4, 5, 6, 7]


def test_credit_above_the_allowance_creates_a_node():
    oracle = learned(np.array([[0.0]]), max_nodes=8, scale="none")
    oracle.allowance = 0.9
    oracle.weight[0] = 1e12  # a weight that holds the node in place
    events = [oracle.learn_one(np.array([0.5])).event for _ in range(6)]
    assert events == ["update"] * 3 + ["create"] + ["update"] * 2
    assert oracle.credit[0] == 0
    assert oracle.weight[1] == 3


def test_dividing_by_a_large_unit_changes_no_result(monkeypatch):
    rows = groups(700)
    divided = learned(rows, half_life=2.5, max_nodes=16)
    monkeypatch.setattr(fine_nodes, "LARGEST_UNIT", np.inf)
    plain = learned(rows, half_life=2.5, max_nodes=16)
    assert divided.unit == pytest.approx(2.0**24)
    assert plain.unit == pytest.approx(2.0**280)
    np.testing.assert_array_equal(divided.mean, plain.mean)
    np.testing.assert_array_equal(divided.row_weight, plain.row_weight)


def test_faded_nodes_are_removed_by_compaction():
    rows = np.arange(16.0)[:, None]
    oracle = learned(rows, half_life=1.0, max_nodes=16)
    assert oracle.mean[:, 0].tolist() == [14, 15]
    assert oracle.allowance == 0
    assert oracle.metric is None


def test_renewed_metric_converts_allowance_and_credits():
    """All scatter is in one feature, whose scale changes; squared distances change by the same factor."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=300), np.zeros(300)])
    oracle = learned(rows, max_nodes=16, scale="standard")
    oracle.credit[:] = oracle.allowance / 2
    before, allowance, credit = oracle.metric, oracle.allowance, oracle.credit
    oracle.mean = oracle.mean * 7
    oracle._renew_metric()
    factor = (oracle.metric.inverse[0] / before.inverse[0]) ** 2
    assert factor < 0.05
    assert oracle.allowance == pytest.approx(allowance * factor)
    np.testing.assert_allclose(oracle.credit, credit * factor)


def test_merged_fading_models_share_one_unit():
    long, short = learned(groups(300), half_life=60.0, max_nodes=16), learned(groups(20, seed=1), half_life=60.0)
    expected = long.row_weight.sum() + short.row_weight.sum()
    long.merge([short])
    assert long.row_weight.sum() == pytest.approx(expected)


# The native learner.


def assert_same_state(native, oracle):
    state = native.__getstate__()
    assert state["n_seen"] == oracle.n_seen
    for name in SUMS:
        assert bits(state[name]) == bits(getattr(oracle, name)), name
    assert state["compacted"] == (oracle.metric is not None)
    if oracle.metric is not None:
        assert bits(state["metric_gamma"]) == bits(oracle.metric.gamma)
        assert bits(state["metric_inverse"]) == bits(oracle.metric.inverse)


def assert_same_step(native, step, compacted):
    """Before the first compaction, the native learner searches winners in the metric of its last map."""
    found = native.last_step()
    assert found["event"] == step.event
    if compacted and not step.compacted:
        assert found.get("winner") == step.winner


@given(stream=weighted_streams(), arguments=settings_of_learners)
def test_native_learner_equals_oracle_row_by_row(stream, arguments):
    rows, weights = stream
    native, oracle = native_learner(rows.shape[1], arguments), FineNodes(rows.shape[1], **arguments)
    for i in range(len(rows)):
        native.learn(rows[i : i + 1], None if weights is None else weights[i : i + 1])
        step = oracle.learn_one(rows[i], 1.0 if weights is None else weights[i].item())
        assert_same_step(native, step, oracle.metric is not None)
        assert_same_state(native, oracle)


@settings(max_examples=40)
@given(stream=weighted_streams(), parts=st.integers(2, 4), arguments=settings_of_learners)
def test_native_merge_equals_oracle(stream, parts, arguments):
    """Parts of unequal length have different units; learning continues after the merge."""
    rows, weights = stream
    part = np.random.default_rng(len(rows)).integers(0, parts, size=len(rows))
    natives, oracles = [], []
    for p in range(parts):
        natives.append(native_learner(rows.shape[1], arguments))
        mine = None if weights is None else weights[part == p]
        if (part == p).any():
            natives[-1].learn(rows[part == p], mine)
        oracles.append(learned(rows[part == p], mine, **arguments))
    natives[0].merge(natives[1:])
    oracles[0].merge(oracles[1:])
    for native, oracle in zip(natives, oracles):
        assert_same_state(native, oracle)
    natives[0].learn(rows, weights)
    oracles[0].learn(rows, weights)
    assert_same_state(natives[0], oracles[0])


@pytest.mark.parametrize("half_life", [0.0, 3.0])
@pytest.mark.parametrize("max_nodes", [8, 64, 200])
def test_longer_stream_equals_oracle(max_nodes, half_life):
    """Many compactions, and with a half-life many divisions by the largest unit."""
    rows = groups(3000)
    arguments = {"max_nodes": max_nodes, "half_life": half_life}
    native = native_learner(4, arguments)
    native.learn(rows)
    assert_same_state(native, learned(rows, **arguments))
