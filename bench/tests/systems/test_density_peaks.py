import numpy as np
import pytest
from data import blobs

from phida_bench.systems import _density_peaks
from phida_bench.systems._density_peaks import DecisionGraph, decision_graph
from systems import plain_sr_pcm_hdp as plain


@pytest.mark.parametrize("n_neighbours", [1, 5, 30])
def test_density_and_separation_equal_plain_loops(n_neighbours):
    X = blobs(80)
    graph = decision_graph(X, n_neighbours)
    density, separation = plain.decision_graph(X.tolist(), n_neighbours)
    np.testing.assert_allclose(graph.density, density, rtol=1e-12)
    np.testing.assert_allclose(graph.separation, separation, rtol=1e-12)


def test_search_in_many_features_gives_the_same_result():
    X = blobs(60, d=40)
    graph = decision_graph(X, 7)
    density, separation = plain.decision_graph(X.tolist(), 7)
    np.testing.assert_allclose(graph.density, density, rtol=1e-6)
    np.testing.assert_allclose(graph.separation, separation, rtol=1e-6)


def test_block_size_does_not_change_the_result(monkeypatch):
    X = blobs(90)
    whole = decision_graph(X, 9)
    monkeypatch.setattr(_density_peaks, "BLOCK_NUMBERS", 100)
    pieces = decision_graph(X, 9)
    np.testing.assert_array_equal(pieces.density, whole.density)
    np.testing.assert_array_equal(pieces.separation, whole.separation)


def test_number_of_stored_neighbours_does_not_change_the_result(monkeypatch):
    X = blobs(90)
    whole = decision_graph(X, 9)
    monkeypatch.setattr(_density_peaks, "REMEMBERED", 1)
    np.testing.assert_allclose(decision_graph(X, 9).separation, whole.separation, rtol=1e-15)


def test_equal_rows():
    graph = decision_graph(np.array([[0.0], [0.0], [0.0], [5.0]]), 2)
    assert graph.density.tolist() == [np.inf, np.inf, np.inf, 0.2]
    assert graph.separation.tolist() == [5.0, 0.0, 0.0, 5.0]
    assert graph.peaks(3).tolist() == [0, 3, 1]


def test_one_row():
    graph = decision_graph(np.array([[3.0, 4.0]]), 0)
    assert graph.separation.tolist() == [0.0]
    assert graph.peaks(5).tolist() == [0]


def test_equal_peaks_come_by_index():
    graph = DecisionGraph(np.array([1.0, 2.0, 4.0, 1.0]), np.array([4.0, 2.0, 1.0, 9.0]))
    assert graph.peaks(3).tolist() == [3, 0, 1]


@pytest.mark.parametrize("d", [15, 40])
def test_copies_are_at_distance_zero_in_any_number_of_dimensions(d):
    X = np.repeat(np.random.default_rng(0).normal(size=(20, d)) + 1e3, 5, axis=0)
    assert np.isinf(decision_graph(X, 4).density).all()
