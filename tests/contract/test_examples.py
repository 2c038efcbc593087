"""Examples: rows that clusters keep."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import phida
from phida import PHIDAPlus

ROWS, GROUP = make_blobs(3000, centers=[[0, 0], [20, 0], [0, 20], [20, 20]], random_state=0)


@pytest.mark.parametrize("max_nodes", [40, 2048])
@pytest.mark.parametrize("keep", [1, 3, 7])
def test_examples_belong_to_their_cluster(max_nodes, keep):
    model = PHIDAPlus(max_nodes=max_nodes, keep_examples=keep).fit(ROWS)
    examples = model.examples_
    np.testing.assert_array_equal(examples.values, ROWS[examples.row])
    assert len(set(examples.row)) == len(examples.row)
    np.testing.assert_array_equal(model.predict(examples.values), examples.cluster)
    assert np.bincount(examples.cluster).tolist() == [keep] * 4


def test_examples_are_ordered_by_distance_to_the_centre():
    model = PHIDAPlus(scale=None).fit(ROWS)
    examples = model.examples_
    distance = np.linalg.norm(examples.values - model.cluster_centers_[examples.cluster], axis=1)
    assert all((np.diff(distance[examples.cluster == c]) >= 0).all() for c in range(4))
    assert distance.max() < 1.0


def test_model_without_examples_learns_the_same_in_a_smaller_file():
    with_rows, without = PHIDAPlus(max_nodes=200).fit(ROWS), PHIDAPlus(max_nodes=200, keep_examples=0).fit(ROWS)
    assert len(without.examples_.row) == 0
    np.testing.assert_array_equal(with_rows.labels_, without.labels_)
    np.testing.assert_array_equal(with_rows.nodes_.representatives, without.nodes_.representatives)
    assert len(without.to_bytes()) < len(with_rows.to_bytes())


def test_examples_continue_after_saving(tmp_path):
    path = tmp_path / "model.safetensors"
    PHIDAPlus(max_nodes=60).partial_fit(ROWS[:1500]).save(path)
    resumed = phida.load(path).partial_fit(ROWS[1500:])
    assert resumed.examples_.row.tolist() == PHIDAPlus(max_nodes=60).partial_fit(ROWS).examples_.row.tolist()


def test_faded_rows_are_not_examples():
    model = PHIDAPlus(half_life=100, max_nodes=100).fit(np.concatenate([ROWS + 500.0, ROWS]))
    assert (model.examples_.row >= len(ROWS)).all()


def test_merged_model_keeps_examples_of_both():
    model, other = PHIDAPlus().fit(ROWS[GROUP < 2]), PHIDAPlus().fit(ROWS[GROUP >= 2])
    examples = model.merge(other).examples_
    assert np.bincount(examples.cluster).tolist() == [3] * 4
    assert (examples.row == -1).sum() == 6
    kept = {tuple(row) for row in ROWS}
    assert all(tuple(row) in kept for row in examples.values)
    with pytest.raises(ValueError, match="keep_examples"):
        model.merge(PHIDAPlus(keep_examples=0).fit(ROWS))


def test_table_of_examples_has_feature_names():
    import pandas as pd

    frame = PHIDAPlus().fit(pd.DataFrame(ROWS, columns=["x", "y"])).examples_.to_pandas()
    assert frame.columns.tolist() == ["cluster", "row", "x", "y"]
    frame = PHIDAPlus().fit(ROWS).examples_.to_pandas()
    assert frame.columns.tolist() == ["cluster", "row", "feature 0", "feature 1"]


@pytest.mark.parametrize("keep", [-1, 101, 2.5, "3"])
def test_number_of_examples_is_checked(keep):
    with pytest.raises(ValueError, match="keep_examples"):
        PHIDAPlus(keep_examples=keep).fit(ROWS)


def test_frame_names_examples_by_the_ids_of_the_learned_rows():
    ids = [f"{i}.jpg" for i in range(len(ROWS))]
    model = PHIDAPlus().fit(ROWS[GROUP < 2])
    kept = np.flatnonzero(GROUP < 2)
    frame = model.examples_.to_pandas(ids=[ids[i] for i in kept])
    assert frame["id"].tolist() == [ids[i] for i in kept[model.examples_.row]]
    merged = model.merge(PHIDAPlus().fit(ROWS[GROUP >= 2])).examples_
    assert merged.to_pandas(ids=ids).id.isna().tolist() == (merged.row < 0).tolist()
    with pytest.raises(ValueError, match="ids has 5 values, but row"):
        merged.to_pandas(ids=ids[:5])
