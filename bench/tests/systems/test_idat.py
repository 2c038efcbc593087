"""IDAT against its oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida_bench import _systems
from phida_bench.systems import IDAT
from systems.oracle_idat import IDAT as OracleIDAT
from systems.streams import STREAMS, whole


def assert_same(native, oracle):
    state = native.__getstate__()
    np.testing.assert_allclose(native.positions(), oracle.w, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(state["count"], oracle.count)
    np.testing.assert_array_equal(state["active"], oracle.active)
    np.testing.assert_allclose(state["scale"], oracle.scale, rtol=1e-12)
    a, b = np.nonzero(np.triu(oracle.main))
    assert native.edges().tolist() == np.column_stack([a, b, oracle.main[a, b]]).tolist()
    a, b = np.nonzero(np.triu(oracle.candidate))
    assert state["candidates"][1:].reshape(-1, 3).tolist() == np.column_stack([a, b, oracle.candidate[a, b]]).tolist()
    assert (state["n_candidates"], state["n_coactivations"]) == (len(a), oracle.candidate[a, b].sum())
    assert native.interval == oracle.interval
    assert native.vigilance == pytest.approx(oracle.vigilance, rel=1e-12)
    assert state["ratio"] == pytest.approx(oracle.ratio, rel=1e-12)


@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream):
    stages = STREAMS[stream]
    native, oracle = _systems.IDAT(stages[0].shape[1]), OracleIDAT(stages[0].shape[1])
    for rows in stages:
        native.learn(rows)
        oracle.fit(rows)
        assert_same(native, oracle)
        labels, expected = native.assign(rows), oracle.predict(rows)
        pairs = set(zip(labels.tolist(), expected.tolist()))  # clusters are numbered among the active nodes
        assert len(pairs) == len(set(labels)) == len(set(expected))
    assert native.n_active_nodes == oracle.active.sum()
    assert native.n_clusters == len(set(oracle.components()[oracle.considered]))


@settings(max_examples=30)
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=50))
def test_few_values_with_many_ties(rows):
    native, oracle = _systems.IDAT(2), OracleIDAT(2)
    for row in np.array(rows, dtype=np.float64):
        native.learn(row[None])
        oracle.learn(row)
        assert native.n_nodes == len(oracle.w)
    state = native.__getstate__()
    assert state["count"].min() >= 1 and state["candidates"][0] == native.n_nodes
    assert np.unique(native.assign(np.array(rows, dtype=np.float64))).max() < native.n_clusters


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = IDAT().fit(rows)
    assert (model.n_nodes_, model.n_active_nodes_, model.n_clusters_, model.interval_) == (16, 8, 5, 14)
    assert model.vigilance_ == pytest.approx(0.7126812529589884, rel=1e-12)
    assert np.bincount(model.labels_).tolist() == [22, 50, 29, 14, 35]


def test_any_split_into_calls_gives_the_same_model():
    (rows,) = whole("wine")
    one, many = IDAT().fit(rows), IDAT()
    for chunk in np.array_split(rows, 29):
        many.partial_fit(chunk)
    np.testing.assert_array_equal(one.nodes_, many.nodes_)
    np.testing.assert_array_equal(one.labels_, many.predict(rows))


def test_prediction_without_active_nodes_uses_all_nodes():
    model = IDAT().fit([[0.0], [1.0], [5.0]])
    assert (model.n_nodes_, model.n_active_nodes_, model.n_clusters_) == (3, 0, 3)
    assert model.labels_.tolist() == [0, 1, 2]


def test_equal_rows_are_learned_by_the_first_three_nodes():
    model = IDAT().fit(np.ones((20, 2)))
    assert (model.n_nodes_, model.vigilance_, model.interval_) == (3, 0.0, 2)
