"""Node-wise feature weights."""

import numpy as np
import strategies
from hypothesis import given
from hypothesis import strategies as st

from oracle.weights import feature_weights
from phida import _core


@given(strategies.nodes(n=(1, 20), d=(1, 20)))
def test_weights_equal_oracle(nodes):
    native = _core.feature_weights(*nodes.weight_source)
    oracle = feature_weights(nodes.m2, nodes.support, nodes.count, nodes.stream_m2)
    np.testing.assert_allclose(native, oracle, rtol=1e-11)
    np.testing.assert_allclose(native.sum(axis=1), 1.0, rtol=1e-12)


@given(st.sampled_from([0.0, 1.0]), strategies.nodes(n=(1, 5)))
def test_weights_without_stream_variance_equal_oracle(count, nodes):
    native = _core.feature_weights(nodes.m2, nodes.support, count, nodes.stream_m2)
    np.testing.assert_allclose(native, feature_weights(nodes.m2, nodes.support, count, nodes.stream_m2), rtol=1e-11)


def test_node_of_one_sample_has_equal_weights():
    native = _core.feature_weights(np.zeros((1, 3)), np.ones(1), 10.0, np.array([1.0, 100.0, 0.0]))
    np.testing.assert_allclose(native, [[1 / 3] * 3], rtol=1e-12)


def test_feature_in_which_a_node_is_narrow_weighs_more():
    native = _core.feature_weights(np.array([[0.1, 50.0]]), np.array([5.0]), 10.0, np.array([90.0, 90.0]))
    assert native[0, 0] > 0.6 > native[0, 1]
