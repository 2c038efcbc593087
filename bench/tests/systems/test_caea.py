"""CAEA against its oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida_bench import _systems
from phida_bench.systems import CAEA
from systems.oracle_caea import CAEA as OracleCAEA
from systems.streams import STREAMS, by_class, whole

SETTINGS = [{"lam": 5, "age_max": 2}, {"lam": 16, "age_max": 10}, {"lam": 60, "age_max": 3}]


def assert_same(native, oracle):
    state = native.__getstate__()
    np.testing.assert_allclose(native.positions(), oracle.w, rtol=1e-10, atol=1e-12)
    assert native.edges().tolist() == sorted([a, b, age] for (a, b), age in oracle.edges.items())
    np.testing.assert_array_equal(state["count"], oracle.count)
    np.testing.assert_allclose(state["bandwidths"], oracle.s, rtol=1e-10)
    if oracle.v and not np.isnan(oracle.v).any():
        np.testing.assert_allclose(oracle.v, native.vigilance, rtol=1e-10)


@pytest.mark.parametrize("parameters", SETTINGS, ids=str)
@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream, parameters):
    stages = STREAMS[stream]
    native = _systems.CAEA(stages[0].shape[1], **parameters)
    oracle = OracleCAEA(stages[0].shape[1], **parameters)
    for rows in stages:
        native.learn(rows)
        oracle.fit(rows)
        assert_same(native, oracle)
    everything = np.concatenate(stages)
    np.testing.assert_array_equal(native.assign(everything), oracle.predict(everything))


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=60),
    lam=st.integers(1, 20),
    age_max=st.integers(0, 5),
)
def test_few_values_with_many_ties(rows, lam, age_max):
    native = _systems.CAEA(2, lam=lam, age_max=age_max)
    native.learn(np.array(rows, dtype=np.float64))
    edges = native.edges()
    assert (edges[:, 0] < edges[:, 1]).all()
    assert native.__getstate__()["count"].sum() <= len(rows)
    if native.n_seen % lam == 0 and native.n_nodes > 1:
        assert set(edges[:, :2].flat) == set(range(native.n_nodes))


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = CAEA(lam=16).fit(rows)
    assert (model.n_nodes_, model.n_clusters_) == (11, 6)
    assert model.vigilance_ == pytest.approx(0.25691456606280905, rel=1e-12)
    assert np.bincount(model.labels_).tolist() == [69, 3, 6, 50, 10, 12]


def test_row_count_restarts_in_each_call():
    """The stages of a stream are its calls."""
    stages = by_class("iris")
    staged, whole_stream = CAEA(), CAEA().fit(np.concatenate(stages))
    for rows in stages:
        staged.partial_fit(rows)
    assert staged.n_nodes_ != whole_stream.n_nodes_


@pytest.mark.parametrize(("lam", "n"), [(1, 1), (2, 1), (5, 3), (6, 3), (7, 4)])
def test_half_of_the_interval_rounded_up_begins_as_nodes(lam, n):
    model = CAEA(lam=lam, compute_labels=False).fit(np.ones((n, 2)))
    assert model.n_nodes_ == n


def test_single_node_learns_all_rows():
    model = CAEA(lam=2).fit([[0.0], [7.0], [1.0]])
    assert (model.n_nodes_, model.vigilance_, model.nodes_.tolist()) == (1, np.inf, [[4.0]])


def test_model_without_nodes_refuses_prediction_and_continues():
    rows = np.array([[0.0], [1.0], [1e3], [2e3]])
    model = CAEA(lam=4, compute_labels=False).fit(rows)
    assert model.n_nodes_ == 0
    with pytest.raises(ValueError, match="no nodes"):
        model.predict(rows)
    model.partial_fit(rows[:2])
    assert model.n_nodes_ == 2
