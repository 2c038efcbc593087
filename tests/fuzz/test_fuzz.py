"""Arbitrary input: no crash, no hang, no traceback, and nothing invalid accepted.

``make fuzz`` runs these tests with many more examples.
"""

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida import PHIDA, StateFileError
from phida._streams.batch import DataError
from phida._streams.columns import Selection
from phida._streams.opening import Source, opened
from phida._validation import LARGEST

many = settings(max_examples=int(os.environ.get("PHIDA_FUZZ_EXAMPLES", "150")), deadline=None)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def read(path, size):
    """Return rows and bad rows of a file, or the one permitted error."""
    try:
        with opened(Source(str(path), selection=Selection())) as reader:
            batches = list(reader.batches(size))
    except DataError:
        return None
    assert all((np.abs(batch.rows) <= LARGEST).all() for batch in batches)
    assert sum(len(batch) + len(batch.bad) for batch in batches) == (batches[-1].end if batches else 0)
    return [row for batch in batches for row in batch.rows.tolist()], sum(len(batch.bad) for batch in batches)


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return None if "_" in text or not abs(value) <= LARGEST else value


fields = st.text("0123456789.-+eE_ naif", max_size=6) | st.floats().map(repr) | st.integers().map(str)


@many
@given(st.lists(st.lists(fields, min_size=1, max_size=4), max_size=12), st.integers(1, 5))
def test_unquoted_csv_equals_a_plain_parser(folder, rows, size):
    text = "a,b\n" + "".join(",".join(row) + "\n" for row in rows)
    (folder / "r.csv").write_text(text)
    lines = [line.split(",") for line in text.split("\n")[1:] if line.strip()]
    wanted = [[number(field) for field in line] for line in lines]
    good = [row for row in wanted if len(row) == 2 and None not in row]
    found = read(folder / "r.csv", size)
    # The first row may show that a column is text.
    if found is not None:
        assert found == (good, len(wanted) - len(good))
    else:
        first = lines[0]
        assert len(first) == 2 and any(f.strip() and (not is_float(f) or "_" in f) for f in first)


def is_float(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@many
@given(st.binary(max_size=300) | st.text('0123456789,."\r\n\t ae-', max_size=300).map(str.encode), st.integers(1, 5))
def test_arbitrary_bytes_as_csv_never_crash(folder, content, size):
    for name in ("r.csv", "r.tsv"):
        (folder / name).write_bytes(content)
        assert read(folder / name, size) == read(folder / name, 1000)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@many
@given(st.lists(values, max_size=8), st.integers(1, 5))
def test_arbitrary_ndjson_values_never_crash(folder, objects, size):
    text = '{"a": 1, "b": 2.5}\n' + "".join(json.dumps(found) + "\n" for found in objects)
    (folder / "r.ndjson").write_text(text)
    good = [
        [float(found["a"]), float(found["b"])]
        for found in objects
        if isinstance(found, dict) and all(learnable(found.get(name)) for name in "ab")
    ]
    assert read(folder / "r.ndjson", size) == ([[1.0, 2.5], *good], len(objects) - len(good))


def learnable(value):
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return abs(float(value)) <= LARGEST
    except OverflowError:
        return False


@many
@given(st.binary(max_size=300), st.integers(1, 5))
def test_arbitrary_bytes_as_ndjson_never_crash(folder, content, size):
    (folder / "r.ndjson").write_bytes(content)
    assert read(folder / "r.ndjson", size) == read(folder / "r.ndjson", 1000)


@many
@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_refused_as_models_and_matrices(folder, content):
    (folder / "m").write_bytes(content)
    with pytest.raises(StateFileError):
        PHIDA.load(folder / "m")
    for name in ("r.npy", "r.npz"):
        (folder / name).write_bytes(b"\x93NUMPY\x01\x00" + content if name == "r.npy" else content)
        read(folder / name, 3)
