"""Dask gives the same bits as merging in memory."""

import numpy as np
import pandas as pd
import pytest
from data import five_groups
from states import assert_same_state

from phida import PHIDA, PHIDAPlus
from phida.distributed import learn_part, merge_parts, merge_tree

pytest.importorskip("dask", reason='belongs to the extra phida[dask]: pip install "phida[dask]"')

import dask
import dask.array
import dask.dataframe

import phida.dask

NAMES = list("abcd")


def merged(parts):
    """Return the merged model of partitions in memory."""
    models = (PHIDAPlus(compute_labels=False) for _ in parts)
    learned = [learn_part(m, rows) if len(rows) else m for m, rows in zip(models, parts, strict=True)]
    return merge_tree(learned, merge_parts)


@pytest.fixture
def rows():
    return five_groups(3000)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_dask_frame_gives_the_bits_of_merging(rows, scheduler):
    frame = pd.DataFrame(rows, columns=NAMES)
    parts = np.array_split(rows, [900, 900, 1000, 2200])  # one partition is empty
    collection = dask.dataframe.from_delayed(
        [dask.delayed(frame.iloc[a:b]) for a, b in [(0, 900), (900, 900), (900, 1000), (1000, 2200), (2200, 3000)]],
        meta=frame.iloc[:0],
    )
    with dask.config.set(scheduler=scheduler):
        model = phida.dask.fit(collection)
    assert_same_state(model, merged(parts).refresh())
    assert model.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize(("estimator", "parameters"), [(PHIDA, {}), (PHIDAPlus, {"half_life": 2000.0})])
def test_ordered_chunks_are_learned_in_order(rows, estimator, parameters):
    collection = dask.array.from_array(rows, chunks=(800, 3))
    with dask.config.set(scheduler="synchronous"):
        model = phida.dask.fit(collection, estimator=estimator, **parameters)
    assert_same_state(model, estimator(compute_labels=False, **parameters).fit(rows))


def test_dask_batches_are_merged(rows):
    with dask.config.set(scheduler="synchronous"):
        model, batch = (phida.dask.fit(dask.array.from_array(part, chunks=(500, 4))) for part in np.split(rows, 2))
    assert model.merge(batch).n_samples_seen_ == 3000


def test_other_types_than_collections_are_refused(rows):
    with pytest.raises(TypeError, match="expected a Dask frame or array, not ndarray"):
        phida.dask.fit(rows)
    with pytest.raises(ValueError, match="no row"):
        phida.dask.fit(dask.array.zeros((0, 4), chunks=(1, 4)))
    with pytest.raises(ValueError, match="compute_labels does not apply"):
        phida.dask.fit(dask.array.from_array(rows), compute_labels=True)
    with pytest.raises(TypeError, match=r"estimator must be a class, such as PHIDAPlus, not PHIDAPlus\(\)"):
        phida.dask.fit(dask.array.from_array(rows), estimator=PHIDAPlus())


def test_nan_in_a_partition_is_refused(rows):
    rows[-1, 0] = np.nan
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="NaN"):
        phida.dask.fit(dask.array.from_array(rows, chunks=(1000, 4)))
