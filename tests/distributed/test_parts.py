"""Models of parts are merged by one tree, and the number of threads does not matter."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pytest
from states import assert_same_state

from phida import PHIDAPlus
from phida.distributed import N_PARTS, fit_parts, merge_tree, merge_two

NAMES = list("abcd")


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, 4))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, 4))


def learned(rows, weights=None, **parameters):
    return PHIDAPlus(compute_labels=False, **parameters).partial_fit(rows, sample_weight=weights)


def bracketed(one, other):
    return f"({one}{other})"


@pytest.mark.parametrize(
    ("n", "tree"), [(1, "a"), (2, "(ab)"), (3, "((ab)c)"), (5, "(((ab)(cd))e)"), (7, "(((ab)(cd))((ef)g))")]
)
def test_neighbours_are_merged_level_by_level(n, tree):
    assert merge_tree("abcdefg"[:n], bracketed) == tree


@pytest.mark.parametrize("n", [16, 17, 33, 50, 300])
def test_trees_of_16_neighbours_make_the_same_tree(n):
    leaves = [f"{k} " for k in range(n)]
    below = [merge_tree(leaves[k : k + 16], bracketed) for k in range(0, n, 16)]
    assert merge_tree(below, bracketed) == merge_tree(leaves, bracketed)


def test_models_without_rows_change_nothing():
    model, empty = learned(blobs(500)), PHIDAPlus(compute_labels=False)
    for models in ([model, empty], [empty, model], [empty, empty, model]):
        assert_same_state(merge_tree(models), learned(blobs(500)))
    assert not merge_two(empty, PHIDAPlus()).__sklearn_is_fitted__()


@pytest.mark.parametrize("n_jobs", [None, 2, 3, -1])
def test_any_number_of_threads_gives_the_same_bits(n_jobs):
    X = blobs(5000)
    a, b, c, d, e, f, g, h = (learned(rows) for rows in np.array_split(X, N_PARTS))
    expected = a.merge(b).merge(c.merge(d)).merge(e.merge(f).merge(g.merge(h))).refresh()
    given = PHIDAPlus()
    model = fit_parts(given, X, n_jobs=n_jobs)
    assert_same_state(model, expected)
    assert model.n_samples_seen_ == 5000 and not given.__sklearn_is_fitted__()


@pytest.mark.parametrize(
    "made",
    [lambda rows: pd.DataFrame(rows, columns=NAMES), lambda rows: pl.DataFrame(rows, schema=NAMES, orient="row")],
    ids=["pandas", "polars"],
)
def test_a_frame_gives_the_bits_of_its_matrix_and_its_names(made):
    model = fit_parts(PHIDAPlus(max_nodes=64), made(blobs(1000)))
    assert_same_state(model, fit_parts(PHIDAPlus(max_nodes=64), blobs(1000)))
    assert model.feature_names_in_.tolist() == NAMES
    assert model.get_params() == PHIDAPlus(max_nodes=64, compute_labels=False).get_params()


def test_weights_go_to_the_parts_of_their_rows():
    X, weights = blobs(800), np.random.default_rng(1).integers(4, size=800).astype(float)
    weights[:100] = 0.0  # the first part
    parts = zip(np.array_split(X, N_PARTS)[1:], np.array_split(weights, N_PARTS)[1:], strict=True)
    b, c, d, e, f, g, h = (learned(*part) for part in parts)
    expected = b.merge(c.merge(d)).merge(e.merge(f).merge(g.merge(h))).refresh()
    assert_same_state(fit_parts(PHIDAPlus(), X, weights, n_jobs=2), expected)


def test_fewer_rows_than_parts():
    assert fit_parts(PHIDAPlus(), blobs(3)).n_samples_seen_ == 3


def test_rows_that_fade_are_learned_in_order():
    X = blobs(3000)
    assert_same_state(fit_parts(PHIDAPlus(half_life=300.0), X, n_jobs=2), learned(X, half_life=300.0).refresh())


def test_parts_are_learned_at_the_same_time():
    both = threading.Barrier(2, timeout=600)

    class Meeting(PHIDAPlus):
        def partial_fit(self, X, y=None, sample_weight=None):
            both.wait()  # raises after a timeout if there is one thread
            return super().partial_fit(X, sample_weight=sample_weight)

    assert fit_parts(Meeting(), blobs(800), n_jobs=2).n_samples_seen_ == 800


def test_invalid_input_is_refused():
    X = blobs(4000)
    with pytest.raises(ValueError, match="one weight per row"):
        fit_parts(PHIDAPlus(), X, np.ones(3999))
    with pytest.raises(ValueError, match="zero for every row"):
        fit_parts(PHIDAPlus(), X, np.zeros(4000))
    X[-1, 0] = np.nan
    with pytest.raises(ValueError, match=r"X\[3999, 0\] is NaN"):
        fit_parts(PHIDAPlus(), X)
