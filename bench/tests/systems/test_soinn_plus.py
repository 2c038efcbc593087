"""SOINN+ against its oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida_bench import _systems
from phida_bench.systems import SOINNPlus
from systems.graphs import listed
from systems.oracle_soinn_plus import OracleSOINNPlus
from systems.streams import STREAMS, whole

SLIPS = {
    "equations": {"count_indices": False, "usual_of_renewed": False},
    "indices": {"count_indices": True, "usual_of_renewed": False},
    "released": {"count_indices": True, "usual_of_renewed": True},
}


def assert_same(native, oracle):
    state = native.__getstate__()
    np.testing.assert_array_equal(native.positions(), np.array(oracle.w))
    assert native.edges().tolist() == listed(oracle.age)
    assert (state["wins"].tolist(), state["last_win"].tolist()) == (oracle.c, oracle.last)
    counts = (state["n_seen"], state["n_links"], state["deleted_edges"], state["deleted_nodes"])
    assert counts == (oracle.t, oracle.L, oracle.n_edges, oracle.n_nodes)
    known = [state["winner_threshold_mean"], state["runner_up_threshold_mean"]]
    known += [state["winner_threshold_squares"], state["runner_up_threshold_squares"]]
    known += [state["deleted_edges_age"], state["deleted_nodes_unutility"]]
    np.testing.assert_allclose(known, [*oracle.m, *oracle.S, oracle.mean_age, oracle.mean_unutility], rtol=1e-12)


@pytest.mark.parametrize("slips", SLIPS.values(), ids=SLIPS)
@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream, slips):
    stages = STREAMS[stream]
    native, oracle = _systems.SOINNPlus(stages[0].shape[1], **slips), OracleSOINNPlus(**slips)
    for rows in stages:
        native.learn(rows)
        oracle.learn(rows)
        assert_same(native, oracle)
    everything = np.concatenate(stages)
    np.testing.assert_array_equal(native.assign(everything), oracle.assign(everything))


def test_streams_are_long_enough_for_deletions():
    native = _systems.SOINNPlus(13, **SLIPS["equations"])
    native.learn(np.concatenate(STREAMS["wine whole"]))
    state = native.__getstate__()
    assert state["deleted_edges"] > 0
    assert state["deleted_nodes"] > 0


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60))
def test_streams_of_copies(rows):
    native, oracle = _systems.SOINNPlus(2, **SLIPS["released"]), OracleSOINNPlus(**SLIPS["released"])
    for row in np.array(rows, dtype=np.float64):
        native.learn(row[None])
        oracle.learn_one(row)
        assert_same(native, oracle)


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = SOINNPlus().fit(rows)
    assert (model.n_nodes_, model.n_clusters_) == (42, 13)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_first_three_rows_become_nodes(n):
    model = SOINNPlus().fit(np.arange(2.0 * n).reshape(n, 2))
    assert (model.n_nodes_, model.n_clusters_, model.labels_.tolist()) == (n, n, list(range(n)))


def test_equal_rows_are_known():
    """Thresholds and distances are all 0, and 0 is not farther than 0."""
    model = SOINNPlus().fit(np.ones((20, 3)))
    assert model.nodes_.tolist() == [[1.0] * 3] * model.n_nodes_
    assert model.n_nodes_ <= 3
