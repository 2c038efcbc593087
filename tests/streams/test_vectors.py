"""Vector columns, as vector stores and embedding tools write them."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from streams_data import X, write_table
from streams_data import invoke as phida

from phida import load
from phida._streams import vectors
from phida._streams.batch import DataError
from phida._streams.columns import Selection
from phida._streams.opening import Source, opened

WIDTH = X.shape[1]
KINDS = {
    "fixed": pa.list_(pa.float32(), WIDTH),
    "list": pa.list_(pa.float64()),
    "large list": pa.large_list(pa.float32()),
}


def table(kind):
    rows = pa.array(X.astype(np.float32).tolist(), KINDS[kind])
    return pa.table({"text": [f"sentence {i}" for i in range(len(X))], "v": rows})


def read(path, **selection):
    with opened(Source(str(path), selection=Selection(**selection))) as reader:
        batches = list(reader.batches(40))
        return reader, batches, np.concatenate([batch.rows for batch in batches])


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", KINDS)
def test_vector_becomes_one_column_per_value(tmp_path, monkeypatch, kind, suffix):
    monkeypatch.setattr(vectors, "_TOGETHER", 11 * WIDTH)
    path = write_table(tmp_path / f"x.{suffix}", table(kind), 37)
    for selection in ({"columns": ("v",)}, {"exclude": ("text",)}, {"columns": tuple(f"v_{i}" for i in range(WIDTH))}):
        reader, batches, rows = read(path, **selection)
        assert reader.features == tuple(f"v_{i}" for i in range(WIDTH))
        assert [len(batch) for batch in batches[:-1]] == [40] * (len(batches) - 1)
        np.testing.assert_array_equal(rows, X.astype(np.float32))
    _, _, some = read(path, columns=("v_1", "v_0"))
    np.testing.assert_array_equal(some, X[:, [1, 0]].astype(np.float32))


def test_missing_vectors_and_values_are_bad_rows(tmp_path):
    rows = X[:6].astype(np.float32).tolist()
    rows[1], rows[4][1] = None, None
    for kind in KINDS.values():
        path = write_table(tmp_path / "x.arrow", pa.table({"v": pa.array([None, *rows], kind)}).slice(1), 37)
        _, (batch,), found = read(path)
        assert [bad.number for bad in batch.bad] == [1, 4]
        np.testing.assert_array_equal(found, X[[0, 2, 3, 5]].astype(np.float32))


def test_vectors_of_different_lengths_are_refused_unless_excluded(tmp_path):
    lists = pa.array([[1.0, 2.0], None, [1.0, 2.0, 3.0]])
    path = write_table(tmp_path / "x.parquet", pa.table({"v": lists, "a": [1.0, 2.0, 3.0]}))
    with pytest.raises(DataError, match=r"row 2: column 'v' has 3 values, not 2 as before.*--exclude v"):
        read(path)
    reader, _, rows = read(path, exclude=("v",))
    assert reader.all_names == ("v", "a") and rows.ravel().tolist() == [1.0, 2.0, 3.0]


def test_fit_and_predict_commands_read_vectors(tmp_path):
    path, model, out = (
        write_table(tmp_path / "x.parquet", table("fixed")),
        tmp_path / "m.safetensors",
        tmp_path / "o.parquet",
    )
    phida("fit", path, "--columns", "v", "--out", model)
    phida("predict", model, path, "--output", out)
    found, learned = parquet.read_table(out), load(model)
    assert learned.feature_names_in_.tolist() == [f"v_{i}" for i in range(WIDTH)]
    np.testing.assert_array_equal(found["cluster"], learned._with_names(None).predict(X.astype(np.float32)))
    assert found["text"].to_pylist() == table("fixed")["text"].to_pylist()
