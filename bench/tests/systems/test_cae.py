"""CAE against its oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida_bench import _systems
from phida_bench.systems import CAE
from systems.oracle_cae import CAE as OracleCAE
from systems.streams import STREAMS, by_class, whole


def assert_same(native, oracle):
    state = native.__getstate__()
    np.testing.assert_allclose(native.positions(), oracle.w, rtol=1e-10, atol=1e-12)
    assert native.edges().tolist() == sorted([a, b, age] for (a, b), age in oracle.edges.items())
    np.testing.assert_array_equal(state["count"], oracle.count)
    np.testing.assert_allclose(state["bandwidths"], oracle.s, rtol=1e-10)
    assert state["recency"][::-1].tolist() == oracle.recent
    assert native.interval == (oracle.interval if oracle.ready else 0)
    assert native.vigilance == pytest.approx(oracle.vigilance, rel=1e-10)
    assert state["n_removed_edges"] == oracle.n_deleted
    assert state["mean_removed_age"] == pytest.approx(oracle.mean_deleted, rel=1e-12)


@pytest.mark.parametrize("max_nodes", [30, 120])
@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream, max_nodes):
    stages = STREAMS[stream]
    native, oracle = _systems.CAE(stages[0].shape[1], max_nodes=max_nodes), OracleCAE(stages[0].shape[1], max_nodes)
    for rows in stages:
        native.learn(rows)
        oracle.fit(rows)
        assert_same(native, oracle)
        assert native.n_nodes <= max_nodes
    everything = np.concatenate(stages)
    np.testing.assert_array_equal(native.assign(everything), oracle.predict(everything))


@settings(max_examples=40)
@given(
    stages=st.lists(
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=40), min_size=1, max_size=3
    )
)
def test_few_values_with_many_ties(stages):
    native = _systems.CAE(2, max_nodes=12)
    for rows in stages:
        native.learn(np.array(rows, dtype=np.float64))
        state, edges = native.__getstate__(), native.edges()
        assert native.n_nodes <= 12
        assert sorted(state["recency"].tolist()) == list(range(native.n_nodes))
        assert state["count"].sum() <= native.n_seen
        assert 0 <= native.vigilance <= 1
        assert (edges[:, 0] < edges[:, 1]).all() and (edges[:, 2] >= 1).all()


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = CAE().fit(rows)
    assert (model.n_nodes_, model.n_clusters_, model.interval_) == (48, 39, 118)
    assert model.vigilance_ == pytest.approx(0.20354431583428462, rel=1e-12)
    assert np.bincount(model.labels_).max() == 12


def test_row_count_restarts_in_each_call():
    """The stages of a stream are its calls."""
    stages = by_class("iris")
    staged, whole_stream = CAE(), CAE().fit(np.concatenate(stages))
    for rows in stages:
        staged.partial_fit(rows)
    assert staged.n_nodes_ != whole_stream.n_nodes_


def test_nodes_that_never_become_diverse_stay_separate_clusters():
    (rows,) = whole("wine")
    model = CAE().fit(rows)
    assert (model.n_nodes_, model.n_clusters_, model.interval_, model.vigilance_) == (178, 178, None, 1.0)
    model = CAE(max_nodes=7).fit(rows)
    assert (model.n_nodes_, model.n_clusters_) == (7, 7)


def test_two_equal_rows_end_the_initial_phase():
    """Their determinant is 0. There is no node at another position, so every sample is near enough."""
    model = CAE().fit([[1.0, 2.0], [1.0, 2.0], [5.0, 5.0]])
    assert (model.n_nodes_, model.interval_, model.vigilance_, model.n_clusters_) == (2, 4, 1.0, 1)


def test_model_without_nodes_refuses_prediction_and_continues():
    """The first rows set the interval to twice their number; when it ends, none has an edge yet."""
    (rows,) = whole("iris", seed=1)
    n_first = CAE().fit(rows).interval_ // 2
    far = np.repeat(np.logspace(3, 100, n_first)[:, None], 4, axis=1)
    model = CAE(compute_labels=False).fit(np.concatenate([rows[:n_first], far]))
    assert model.n_nodes_ == 0
    with pytest.raises(ValueError, match="no nodes"):
        model.predict(rows)
    model.partial_fit(rows[:3])
    assert model.n_nodes_ == 3
