"""Dask gives the bits of the loop over arrays."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from states import assert_same_state

from phida import PHIDA
from phida.distributed import fit_partitions, partial_fit_partitions

pytest.importorskip("dask", reason='belongs to the extra phida[dask]: pip install "phida[dask]"')

import dask
import dask.array
import dask.dataframe

import phida.dask

NAMES = list("abcd")


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, 4))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, 4))


@pytest.fixture
def rows():
    return blobs(3000)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_a_frame_is_learned_to_the_bit(rows, scheduler):
    frame = pd.DataFrame(rows, columns=NAMES)
    parts = np.array_split(rows, [900, 900, 1000, 2200])  # an empty one too
    collection = dask.dataframe.from_delayed(
        [dask.delayed(frame.iloc[a:b]) for a, b in [(0, 900), (900, 900), (900, 1000), (1000, 2200), (2200, 3000)]],
        meta=frame.iloc[:0],
    )
    with dask.config.set(scheduler=scheduler):
        model = phida.dask.fit(collection, random_state=4)
    assert_same_state(model, fit_partitions(parts, random_state=4))
    assert model.feature_names_in_.tolist() == NAMES


def test_an_array_is_learned_by_its_chunks_of_rows(rows):
    collection = dask.array.from_array(rows, chunks=(800, 3))
    with dask.config.set(scheduler="synchronous"):
        model = phida.dask.fit(collection, half_life=2000.0)
    parts = [rows[begin : begin + 800] for begin in range(0, 3000, 800)]
    assert_same_state(model, fit_partitions(parts, half_life=2000.0))


def test_batches_go_on_from_each_other(rows):
    model, expected = PHIDA(compute_labels=False), PHIDA(compute_labels=False)
    for seed in range(2):
        batch = blobs(1500, seed)
        with dask.config.set(scheduler="synchronous"):
            phida.dask.partial_fit(model, dask.array.from_array(batch, chunks=(500, 4)))
        partial_fit_partitions(expected, np.array_split(batch, 3))
    assert_same_state(model, expected)


def test_what_is_no_collection_is_refused(rows):
    with pytest.raises(TypeError, match="expected a Dask frame or array, not ndarray"):
        phida.dask.fit(rows)
    with pytest.raises(ValueError, match="no row"):
        phida.dask.fit(dask.array.zeros((0, 4), chunks=(1, 4)))


def test_a_batch_that_is_refused_changes_nothing(rows):
    rows[-1, 0] = np.nan
    fitted, unfitted = PHIDA().partial_fit(blobs(500)), PHIDA()
    for model in (fitted, unfitted):
        with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="NaN"):
            phida.dask.partial_fit(model, dask.array.from_array(rows, chunks=(1000, 4)))
    assert_same_state(fitted, PHIDA().partial_fit(blobs(500)))
    assert vars(unfitted) == vars(PHIDA())


def test_the_extra_is_named():
    code = "import sys; sys.modules['dask'] = None\ntry:\n  import phida.dask\nexcept ImportError as e: print(e)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "phida[dask]"' in found.stdout
