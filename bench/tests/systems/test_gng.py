"""Growing Neural Gas against its oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida_bench import _systems
from phida_bench.systems import GNG
from systems.graphs import listed
from systems.oracle_gng import OracleGNG
from systems.streams import STREAMS, whole

FRITZKE = {"lam": 100, "a_max": 50, "eps_b": 0.2, "eps_n": 0.006, "alpha": 0.5, "d": 0.995, "n_max": 2000}
SETTINGS = {
    "fritzke": FRITZKE,
    "dense": FRITZKE | {"lam": 3, "a_max": 2, "eps_b": 0.05},
    "capped": FRITZKE | {"lam": 2, "a_max": 5, "n_max": 20},
    "forgetful": FRITZKE | {"lam": 5, "a_max": 1, "alpha": 0.1, "d": 0.6, "eps_n": 0.1},
}


def assert_same(native, oracle):
    state = native.__getstate__()
    np.testing.assert_array_equal(native.positions(), np.array(oracle.w))
    assert native.edges().tolist() == listed(oracle.age)
    np.testing.assert_allclose(state["error"] * state["error_unit"], oracle.error, rtol=1e-9)


@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream, parameters):
    stages = STREAMS[stream]
    native, oracle = _systems.GNG(stages[0].shape[1], **parameters), OracleGNG(**parameters)
    for rows in stages:
        native.learn(rows)
        oracle.learn(rows)
        assert_same(native, oracle)
    everything = np.concatenate(stages)
    np.testing.assert_array_equal(native.assign(everything), oracle.assign(everything))


@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=60),
    lam=st.integers(1, 8),
    a_max=st.integers(0, 4),
)
def test_ties_go_to_the_lower_index(rows, lam, a_max):
    """Steps of 0.5 and errors that never decay keep small whole numbers exact, so ties are frequent."""
    parameters = FRITZKE | {"lam": lam, "a_max": a_max, "eps_b": 0.5, "eps_n": 0.25, "d": 1.0}
    native, oracle = _systems.GNG(2, **parameters), OracleGNG(**parameters)
    for row in np.array(rows, dtype=np.float64):
        native.learn(row[None])
        oracle.learn_one(row)
        assert_same(native, oracle)


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = GNG(lam=3, a_max=2, eps_b=0.05).fit(rows)
    assert (model.n_nodes_, model.n_clusters_) == (52, 5)
    assert np.bincount(model.labels_).tolist() == [23, 34, 16, 70, 7]


def test_one_row_is_one_cluster():
    model = GNG().fit([[1.0, 2.0]])
    assert (model.n_nodes_, model.n_clusters_, model.labels_.tolist()) == (1, 1, [0])


def test_two_equal_rows_are_two_nodes():
    model = GNG().fit(np.ones((2, 3)))
    assert (model.n_nodes_, model.n_clusters_, model.labels_.tolist()) == (2, 2, [0, 0])


def test_one_node_each_lam_rows_until_the_cap():
    rows = np.random.default_rng(0).normal(size=(100, 2))
    assert GNG(lam=5, a_max=1000).fit(rows).n_nodes_ == 22
    assert GNG(lam=5, a_max=1000, n_max=9).fit(rows).n_nodes_ == 9


def test_errors_that_decay_fast_neither_vanish_nor_become_slow():
    """0.01 to the power of 1000 underflows; the unit of the errors is renewed before that."""
    (rows,) = whole("iris")
    parameters = FRITZKE | {"lam": 10, "d": 0.01}
    native, oracle = _systems.GNG(4, **parameters), OracleGNG(**parameters)
    for _ in range(8):
        native.learn(rows)
        oracle.learn(rows)
    assert_same(native, oracle)
    assert native.__getstate__()["error_unit"] > 1e-31
