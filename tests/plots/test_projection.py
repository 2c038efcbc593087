"""The projection of the nodes, compared with plain principal components, and its own rules."""

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import PCA

from phida import PHIDA
from phida.projection import Projection


def test_projection_equals_principal_components():
    rows = blobs(200, d=6)
    plain = PCA(2).fit(rows)
    found = Projection.fit(rows)
    np.testing.assert_allclose(np.abs(found.axes @ plain.components_.T), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(found.share, plain.explained_variance_ratio_, rtol=1e-9)
    np.testing.assert_allclose(found.transform(rows).mean(axis=0), 0, atol=1e-9)


def test_fewer_rows_than_features_give_the_same_plane():
    rows = blobs(6, d=40)
    plain = PCA(2, svd_solver="full").fit(rows)
    np.testing.assert_allclose(np.abs(Projection.fit(rows).axes @ plain.components_.T), np.eye(2), atol=1e-9)


def test_weight_of_three_equals_three_rows():
    rows = blobs(30, d=4)
    weights = np.arange(30) % 3 + 1
    one, other = Projection.fit(rows, weights), Projection.fit(np.repeat(rows, weights, axis=0))
    np.testing.assert_allclose(one.axes, other.axes, atol=1e-9)
    np.testing.assert_allclose(one.share, other.share, atol=1e-12)


def test_projection_of_a_model_uses_the_transformed_space():
    model = PHIDA().fit(drifting())
    view, nodes = model.assignment_view_, model.nodes_
    assert view.gamma > 0
    moved = (nodes.representatives - view.center) / view.denominator
    expected = Projection.fit(moved, nodes.support).transform(moved)
    np.testing.assert_allclose(Projection.of(model).transform(nodes.representatives), expected, atol=1e-9)


@given(arrays(np.float64, (7, 3), elements=st.floats(-100, 100, width=16)), st.permutations(range(7)))
def test_order_of_rows_does_not_turn_the_axes(rows, order):
    one, other = Projection.fit(rows), Projection.fit(rows[order])
    np.testing.assert_allclose(one.share, other.share, atol=1e-9)
    for axis in one.axes:
        size = np.abs(axis)
        assert not axis.any() or axis[np.argmax(size >= size.max() * (1 - 1e-6))] > 0


@pytest.mark.parametrize(
    ("rows", "flat"),
    [([[1.0], [2.0], [4.0]], [1]), ([[3.0, 4.0]], [0, 1]), ([[1.0, 1.0], [3.0, 3.0]], [1]), ([[2.0, 5.0]] * 4, [0, 1])],
    ids=["one feature", "one row", "a line", "equal rows"],
)
def test_axis_without_variance_is_zero(rows, flat):
    found = Projection.fit(rows)
    assert np.flatnonzero(~found.axes.any(axis=1)).tolist() == flat
    assert np.isfinite(found.transform(rows)).all()
    assert found.share[flat].tolist() == [0.0] * len(flat)


def test_very_large_and_small_numbers_are_projected():
    rows = blobs(50, d=3)
    plane = Projection.fit(rows).axes
    for factor in (1e200, 1e-200):
        np.testing.assert_allclose(Projection.fit(rows * factor).axes, plane, atol=1e-9)
