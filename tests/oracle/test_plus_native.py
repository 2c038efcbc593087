"""The native PHIDA+ against the oracle: hand-made states through the read-out, whole learners on short streams."""

from unittest.mock import patch

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from states import state_of

from oracle.plus_cases import CASES, COPIES, FALLING
from oracle.plus_learner import PlusLearner
from oracle.test_learner import assert_state, assert_step, scaled_groups, streams, unshifted
from oracle.transform import Transform
from phida import PHIDAPlus, _core

LIMITS = [{}, {"max_nodes": 12}, {"half_life": 40.0}, {"max_nodes": 20, "half_life": 100.0}]


def flow_clusters(case):
    """The native read-out of a hand-made state."""
    n, s1, s2 = case.matrices()
    unpaired = np.diag(n).copy()
    np.fill_diagonal(n, 0)
    winner, runner_up = n.nonzero()
    return _core.flow_clusters(
        np.array(case.rows, dtype=float),
        np.array(case.support, dtype=float),
        winner.astype(np.int32),
        runner_up.astype(np.int32),
        n[winner, runner_up],
        s1[winner, runner_up],
        s2[winner, runner_up],
        unpaired,
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case):
    found = flow_clusters(case)
    if case.nodes is None:
        assert found["members"].tolist() == []
        return
    assert found["members"].tolist() == case.nodes
    if case.loop is not None:
        assert found["loop"].tolist() == case.loop
    if case.height is not None:
        np.testing.assert_allclose(found["height"], case.height, rtol=1e-12)
    for level in ("groups", "parts"):
        assert found[level][case.nodes].tolist() == getattr(case, level), level
        outside = np.delete(found[level], case.nodes)
        assert (outside == -1).all()


def assert_pairs(state, oracle):
    pairs = oracle.pairs
    count = pairs.count.copy()
    assert state["pair_unpaired"].tolist() == np.diag(count).tolist()
    np.fill_diagonal(count, 0)
    winner, runner_up = count.nonzero()
    assert state["pair_winner"].tolist() == winner.tolist()
    assert state["pair_runner_up"].tolist() == runner_up.tolist()
    assert state["pair_count"].tolist() == count[winner, runner_up].tolist()
    np.testing.assert_allclose(state["pair_offset"], pairs.s1[winner, runner_up], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(state["pair_offset_square"], pairs.s2[winner, runner_up], rtol=1e-9, atol=1e-9)


def assert_far(state, oracle):
    assert (state["n_far"], state["n_created"]) == (oracle.n_far, oracle.n_created)
    assert state["theta_present"] == (oracle.log_theta is not None)
    if oracle.log_theta is not None:
        np.testing.assert_allclose(state["log_theta"], oracle.log_theta, rtol=1e-9, atol=1e-9)


def assert_same_learning(rows, limits):
    model = PHIDAPlus(compute_labels=False, **limits)
    oracle = PlusLearner(**limits)
    for row in rows:
        model.partial_fit(row[None])
        native = model._model.learner
        assert_step(native.last_step(), oracle.learn_one(row))
        state = native.__getstate__()
        assert_far(state, oracle)
        assert_pairs(state, oracle)
        assert_state(native, oracle)
    model.refresh()
    oracle.end_learning()
    reading = oracle.read()
    assert (model.n_groups_, model.n_parts_) == (reading.n_groups, reading.n_parts)
    for level in ("groups", "parts"):
        np.testing.assert_array_equal(model.predict(rows, level=level), reading.predict(rows, level), level)
    return model


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: "-".join(limits) or "whole")
@settings(max_examples=15)
@given(rows=streams)
def test_short_streams(limits, rows):
    assert_same_learning(rows, limits)


@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: "-".join(limits) or "whole")
def test_longer_stream_with_scales_that_differ(limits):
    """Long enough for removals and, since gamma > 0, feature weights and scaled offsets."""
    model = assert_same_learning(scaled_groups(), limits)
    state = state_of(model)
    assert state["metric_gamma"] > 0
    assert state["n_created"] > model.n_nodes_, "no node was removed: change the stream"
    assert state["pair_unpaired"].sum() > 0, "no runner-up was deleted: change the stream"


@settings(max_examples=25)
@given(rows=strategies.rows(st.just(strategies.duplicated), n=(1, 60)))
def test_streams_of_copies(rows):
    """Nodes may be apart by the last bit alone, which a shift by the median would change."""
    with patch.object(Transform, "apply", unshifted):
        assert_same_learning(rows, {})


@settings(max_examples=40)
@given(rows=strategies.rows(strategies.exact_kinds, n=(1, 40)))
def test_tied_streams(rows):
    """The oracle must round as the core does, or the ties are other ones."""
    with patch.object(Transform, "apply", unshifted):
        assert_same_learning(rows, {})


@pytest.mark.parametrize("rows", [COPIES, FALLING], ids=["theta stays absent", "theta at its floor"])
def test_theta_at_its_limits(rows):
    assert_same_learning(np.array(rows), {})
