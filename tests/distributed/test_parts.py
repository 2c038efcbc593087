"""Models of parts are merged by one tree; the number of threads changes nothing."""

import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import five_groups
from states import assert_same_state, differences, estimator_of, state_of
from streams_data import invoke

from phida import PHIDAPlus
from phida._model import PLUS
from phida._parts import BLOCK, N_PARTS, Parts
from phida._pipeline import Pipeline
from phida.distributed import learn_part, merge_parts, merge_tree, merge_two

NAMES = list("abcd")


def learned(rows, weights=None, **parameters):
    return PHIDAPlus(compute_labels=False, **parameters)._partial_fit(rows, weights, follow=False)


def dealt(rows, weights=None):
    """Deal the rows to parts as ``fit`` does, learn them and merge the parts."""
    part = np.arange(len(rows)) // BLOCK % N_PARTS
    parts = [learned(rows[part == k], None if weights is None else weights[part == k]) for k in np.unique(part)]
    return merge_tree(parts, merge_parts).refresh()


def assert_parts_of(X, model, expected):
    """Assert the bits of merged parts, with examples that are numbered by the rows of X."""
    one, other = state_of(model), state_of(expected)
    for state in (one, other):
        state["example_row"], rows = None, state["example_row"]
        if state is one:
            np.testing.assert_array_equal(X[rows], one["example"])
    assert differences(one, other) == []


def bracketed(one, other):
    return f"({one}{other})"


@pytest.mark.parametrize(
    ("n", "tree"), [(1, "a"), (2, "(ab)"), (3, "((ab)c)"), (5, "(((ab)(cd))e)"), (7, "(((ab)(cd))((ef)g))")]
)
def test_tree_merges_neighbours_level_by_level(n, tree):
    assert merge_tree("abcdefg"[:n], bracketed) == tree


@pytest.mark.parametrize("n", [16, 17, 33, 50, 300])
def test_subtrees_of_16_make_the_same_tree(n):
    leaves = [f"{k} " for k in range(n)]
    below = [merge_tree(leaves[k : k + 16], bracketed) for k in range(0, n, 16)]
    assert merge_tree(below, bracketed) == merge_tree(leaves, bracketed)


def test_models_without_rows_change_nothing():
    model, empty = learned(five_groups(500)), PHIDAPlus(compute_labels=False)
    for models in ([model, empty], [empty, model], [empty, empty, model]):
        assert_same_state(merge_tree(models), learned(five_groups(500)))
        assert_same_state(merge_tree(models, merge_parts), learned(five_groups(500)))
    assert not merge_two(empty, PHIDAPlus()).__sklearn_is_fitted__()


def test_parts_with_maps_give_the_same_nodes_and_labels():
    parts = np.split(five_groups(8000), 4)
    unmapped = merge_tree([learn_part(PHIDAPlus(), rows) for rows in parts], merge_parts).refresh()
    mapped = merge_tree([PHIDAPlus().partial_fit(rows) for rows in parts]).refresh()
    np.testing.assert_array_equal(unmapped.nodes_.representatives, mapped.nodes_.representatives)
    np.testing.assert_array_equal(unmapped.predict(parts[0]), mapped.predict(parts[0]))


@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
@pytest.mark.parametrize("n", [10 * BLOCK + 7, 2 * BLOCK])
def test_any_number_of_threads_gives_the_same_bits(n, n_jobs):
    X = five_groups(n)
    model = PHIDAPlus(max_nodes=64).fit(X, n_jobs=n_jobs)
    a, b, *others = (X[first : first + BLOCK] for first in range(0, n, BLOCK))
    parts = [a, b]
    if others:  # blocks 8, 9 and 10 go to the first three parts
        parts = [np.concatenate([a, others[6]]), np.concatenate([b, others[7]]), np.concatenate([others[0], others[8]])]
        parts += others[1:6]
    expected = merge_tree([learned(rows, max_nodes=64) for rows in parts], merge_parts).refresh()
    assert_parts_of(X, model, expected)
    assert model.n_samples_seen_ == n
    np.testing.assert_array_equal(model.labels_, model.predict(X))


def test_single_block_is_learned_in_order():
    X = five_groups(BLOCK)
    assert_same_state(PHIDAPlus().fit(X, n_jobs=2), PHIDAPlus().fit(X))


@pytest.mark.parametrize(
    "made",
    [lambda rows: pd.DataFrame(rows, columns=NAMES), lambda rows: pl.DataFrame(rows, schema=NAMES, orient="row")],
    ids=["pandas", "polars"],
)
def test_frame_gives_the_bits_of_its_matrix_and_its_names(made):
    X = five_groups(2 * BLOCK)
    model = PHIDAPlus().fit(made(X), n_jobs=2)
    assert_same_state(model, PHIDAPlus().fit(X, n_jobs=2))
    assert model.feature_names_in_.tolist() == NAMES


def test_weights_stay_with_their_rows_in_parts():
    X, weights = five_groups(5 * BLOCK), np.random.default_rng(1).integers(4, size=5 * BLOCK).astype(float)
    counted = weights > 0
    model = PHIDAPlus().fit(X, sample_weight=weights, n_jobs=2)
    assert_parts_of(X[counted], model, dealt(X[counted], weights[counted]))


def test_rows_with_half_life_are_learned_in_order():
    X = five_groups(3 * BLOCK)
    assert_same_state(PHIDAPlus(half_life=300.0).fit(X, n_jobs=2), PHIDAPlus(half_life=300.0).fit(X))


def test_threaded_fit_starts_afresh_and_reports_its_events():
    X, kinds = five_groups(3 * BLOCK), []
    model = PHIDAPlus().fit(X + 1.0).on_event(lambda event: kinds.append(event.kind))
    assert_parts_of(X, model.fit(X, n_jobs=2), dealt(X))
    assert kinds == [event.kind for event in model.lineage_]


class Slow:
    """A learner that counts, waits for another thread, or is interrupted."""

    n_seen = 0

    def __init__(self, wait):
        self.wait = wait

    def learn(self, rows, weights=None, *, follow):
        self.wait()
        self.n_seen += len(rows)

    def merge(self, others, *, follow, one_stream):
        self.n_seen += sum(other.n_seen for other in others)

    def number_examples(self, part, n_parts, block):
        pass


def test_parts_are_learned_in_parallel():
    both = threading.Barrier(2, timeout=600)  # with one thread, this barrier times out
    first = Slow(both.wait)
    parts = Parts(first, lambda: Slow(both.wait), 2)
    parts.learn(five_groups(2 * BLOCK))
    parts.merge()
    assert first.n_seen == 2 * BLOCK


def test_interrupted_learning_keeps_the_learned_rows():
    def interrupt():
        raise KeyboardInterrupt

    first = Slow(lambda: time.sleep(0.01))
    parts = Parts(first, lambda: Slow(interrupt), 2)
    with pytest.raises(KeyboardInterrupt):
        parts.learn(np.zeros((800 * BLOCK, 1)))
    parts.merge()
    assert 0 < first.n_seen < 100 * BLOCK


def test_any_batch_size_gives_the_same_parts():
    X, found = five_groups(3 * BLOCK), []
    for size in (1000, 3 * BLOCK):
        model = Pipeline(PLUS.settings())
        parts = model.parts(4, 2)
        for first in range(0, len(X), size):
            parts.learn(X[first : first + size])
        parts.merge()
        model.refresh()
        found.append(estimator_of(model))
        assert_parts_of(X, found[-1], dealt(X))
    assert_same_state(*found)


def test_command_with_jobs_equals_fit_with_jobs(tmp_path):
    X = np.round(five_groups(10 * BLOCK), 3)
    np.save(tmp_path / "X.npy", X)
    ran = invoke("fit", tmp_path / "X.npy", "--jobs", "2", "-o", tmp_path / "m.safetensors")
    assert ran.exit_code == 0, ran.output
    assert_same_state(PHIDAPlus.load(tmp_path / "m.safetensors"), PHIDAPlus().fit(X, n_jobs=1))


@pytest.mark.parametrize("bad", [10, 9 * BLOCK + 3])  # before and after the parts start to learn
def test_command_learns_the_rows_before_a_bad_row(tmp_path, bad):
    X = np.round(five_groups(10 * BLOCK), 3)
    X[bad, 0] = np.nan
    np.save(tmp_path / "X.npy", X)
    ran = invoke("fit", tmp_path / "X.npy", "--jobs", "2", "-o", tmp_path / "m.safetensors")
    assert ran.exit_code == 3 and f"row {bad}: column" in ran.output
    assert_same_state(PHIDAPlus.load(tmp_path / "m.safetensors"), PHIDAPlus().fit(X[:bad], n_jobs=1))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--jobs", "0"], "number of threads"),
        (["--jobs", "2", "--method", "phida"], "option of PHIDA+"),
        (["--jobs", "2", "--half-life", "100"], "order"),
    ],
)
def test_invalid_numbers_of_jobs_are_refused(tmp_path, options, reason):
    np.save(tmp_path / "X.npy", five_groups(10))
    ran = invoke("fit", tmp_path / "X.npy", *options)
    assert ran.exit_code == 2 and reason in ran.output


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_invalid_n_jobs_is_refused(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must be None, a number of threads"):
        PHIDAPlus().fit(five_groups(100), n_jobs=n_jobs)


def test_empty_tree_is_refused():
    with pytest.raises(ValueError, match="no models to merge"):
        merge_tree([])


def test_invalid_input_is_refused():
    X = five_groups(4000)
    with pytest.raises(ValueError, match="one weight per row"):
        PHIDAPlus().fit(X, sample_weight=np.ones(3999), n_jobs=2)
    with pytest.raises(ValueError, match="zero for every row"):
        PHIDAPlus().fit(X, sample_weight=np.zeros(4000), n_jobs=2)
    model = PHIDAPlus().fit(X)
    with pytest.raises(ValueError, match="n_jobs"):
        model.fit(X, n_jobs=0)
    assert model.n_samples_seen_ == 4000
    X[-1, 0] = np.nan
    with pytest.raises(ValueError, match=r"X\[3999, 0\] is NaN"):
        PHIDAPlus().fit(X, n_jobs=2)
