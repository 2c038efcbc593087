"""A batch in partitions is learned whole or not at all, whatever its partitions are."""

import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from states import assert_same_state

from phida import PHIDA, PHIDAPlus
from phida.distributed import fit_partitions, partial_fit_partitions, rounds

NAMES = list("abcd")


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, 4))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, 4))


def framed(rows, names=NAMES):
    return pd.DataFrame(rows, columns=list(names))


def with_nan(rows):
    return np.where(np.arange(rows.size).reshape(rows.shape) == rows.size - 1, np.nan, rows)


BAD = {
    "NaN": [framed(blobs(300)), framed(with_nan(blobs(300)))],
    "missing": [framed(blobs(300)), framed(blobs(300)[:, :3], "abc")],
    "names": [framed(blobs(300)), framed(blobs(300), "abdc")],
}


@pytest.mark.parametrize("reason", BAD)
def test_a_batch_that_is_refused_changes_nothing(reason):
    told = []
    model = PHIDA().partial_fit(framed(blobs(200))).on_event(told.append)
    expected = PHIDA().partial_fit(framed(blobs(200)))
    with pytest.raises(ValueError, match=reason):
        partial_fit_partitions(model, BAD[reason])
    assert_same_state(model, expected)
    assert len(model.labels_) == 200 and not told
    unfitted = PHIDA()
    with pytest.raises(ValueError, match=reason):
        partial_fit_partitions(unfitted, BAD[reason])
    assert vars(unfitted) == vars(PHIDA())


def test_callbacks_are_told_of_the_whole_batch_at_its_end():
    told = []
    model = PHIDA(compute_labels=False).on_event(lambda event: told.append((event.number, model.n_samples_seen_)))
    partial_fit_partitions(model, np.array_split(blobs(2000), 3))
    assert told == [(event.number, 2000) for event in model.lineage_]
    before = len(told)
    partial_fit_partitions(model, np.array_split(blobs(2000, seed=1) + 30.0, 3))
    model.refresh()
    assert told[before:] == [(event.number, 4000) for event in model.lineage_][before:]
    assert len(told) > before


def test_a_callback_that_fails_does_not_leave_the_batch_half_learned():
    parts, told = np.array_split(blobs(2000), 3), []
    expected = partial_fit_partitions(PHIDA(), parts)

    def fail_once(event):
        told.append(event.number)
        if len(told) == 1:
            raise OSError("no line")

    model = PHIDA().on_event(fail_once)
    with pytest.raises(OSError, match="no line"):
        partial_fit_partitions(model, parts)
    assert_same_state(model, expected)
    model.refresh()
    assert told == [event.number for event in model.lineage_]


def test_a_subclass_keeps_what_it_notes_and_parameters_stay():
    class Counting(PHIDAPlus):
        n_rounds = 0

        def apply_updates(self, updates):
            self.n_rounds += 1
            return super().apply_updates(updates)

    model = partial_fit_partitions(Counting(half_life=500.0), np.array_split(blobs(2000), 3))
    assert model.n_rounds > 3
    assert model.get_params() == PHIDAPlus(half_life=500.0).get_params()


def test_a_model_that_learns_meanwhile_loses_nothing():
    model = PHIDA(compute_labels=False).partial_fit(blobs(100))

    class Meddling(list):
        def __getitem__(self, index):
            model.partial_fit(blobs(10))
            return super().__getitem__(index)

    with pytest.raises(RuntimeError, match="changed while a batch was being learned"):
        partial_fit_partitions(model, [Meddling(blobs(50).tolist())])
    assert model.n_samples_seen_ == 110


@pytest.mark.parametrize(
    "made",
    [
        framed,
        lambda rows: pl.DataFrame(rows, schema=NAMES, orient="row"),
        lambda rows: pa.Table.from_pandas(framed(rows)),
        lambda rows: rows.tolist(),
        lambda rows: tuple(map(tuple, rows)),
    ],
    ids=["pandas", "polars", "pyarrow", "list", "tuple"],
)
def test_partitions_of_any_kind_are_those_of_matrices(made):
    parts = np.array_split(blobs(1000), [300, 300, 450])
    assert_same_state(fit_partitions([made(rows) for rows in parts]), fit_partitions(parts))


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_give_the_same_bits(n_jobs):
    parts = np.array_split(blobs(3000), [300, 300, 450, 2000])
    for made in (lambda rows: rows, framed):
        threaded = fit_partitions([made(rows) for rows in parts], n_jobs=n_jobs, half_life=900.0)
        assert_same_state(threaded, fit_partitions(parts, half_life=900.0))


def test_partitions_are_looked_at_at_the_same_time():
    both = threading.Barrier(2, timeout=600)

    class Meeting(PHIDAPlus):
        def local_update(self, X, **which):
            both.wait()  # for ever, if there was one thread
            return super().local_update(X, **which)

    model = Meeting(compute_labels=False).partial_fit(blobs(200))
    assert partial_fit_partitions(model, np.array_split(blobs(2000), 2), n_jobs=2).n_samples_seen_ == 2200


def test_what_cannot_be_fitted_is_refused():
    for partitions in ([], [np.empty((0, 4))]):
        with pytest.raises(ValueError, match="no rows to learn from"):
            fit_partitions(partitions)
    with pytest.raises(ValueError, match="compute_labels does not apply"):
        fit_partitions([blobs(10)], compute_labels=True)


def test_partitions_that_are_used_up_do_not_shorten_rounds():
    even, uneven = len(list(rounds(10**8, [10**6]))), len(list(rounds(10**8, [1000] * 7 + [993_000])))
    assert uneven <= even + 1


@pytest.mark.parametrize("n_seen", [0, 10**7])
@pytest.mark.parametrize("half_life", [1000.0, 10_000.0])
def test_where_rows_fade_rounds_are_no_longer_than_half_a_half_life(n_seen, half_life):
    lengths = [sum(end - begin for begin, end in slices) for slices in rounds(n_seen, [50_000, 50_000], half_life)]
    assert max(lengths) <= half_life / 2
    assert 0 <= len(lengths) - 100_000 / (half_life / 2) < 12
