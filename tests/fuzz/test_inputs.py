"""Random files that are cut during reading, very wide, or use the keys of the output."""

import io
import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streams_data import write_rows

from phida._streams import columns
from phida._streams.batch import DataError
from phida._streams.opening import Source, opened
from phida._streams.output import output_to

many = settings(max_examples=int(os.environ.get("PHIDA_FUZZ_EXAMPLES", "150")), deadline=None)

FORMATS = ("csv", "ndjson", "npy", "npz", "arrow", "parquet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def write(path, rows):
    return write_rows(path, rows, [f"c{i}" for i in range(rows.shape[1])], chunk=500)


ROWS = np.random.default_rng(0).normal(size=(20_000, 3))


@pytest.fixture(scope="module")
def contents(folder):
    return {format: write(folder / f"whole.{format}", ROWS).read_bytes() for format in FORMATS}


@many
@given(st.sampled_from(FORMATS), st.floats(0, 1), st.integers(300, 3000), st.integers(1, 4))
def test_file_cut_during_reading_gives_the_rows_before_the_cut(folder, contents, format, share, size, before):
    """If rows are known to be missing, an error names the file."""
    path = folder / f"cut.{format}"
    path.write_bytes(contents[format])
    found = []
    try:
        with opened(Source(str(path))) as reader:
            for batch in reader.batches(size):
                found.append(batch)
                if len(found) == before:
                    os.truncate(path, int(share * len(contents[format])))
    except DataError as error:
        assert str(path) in str(error) and "()" not in str(error)
        assert format not in ("csv", "ndjson")
    rows = np.concatenate([batch.rows for batch in found])
    if format in ("csv", "ndjson"):
        assert sum(len(batch.bad) for batch in found) <= 1
        rows = rows[:-1]  # the last line may end within a number
    assert np.array_equal(rows, ROWS[: len(rows)])


@many
@given(st.sampled_from(FORMATS), st.integers(1, 20), st.integers(1, 20))
def test_tables_wider_than_the_limit_are_refused(folder, format, width, most):
    path = write(folder / f"wide.{format}", np.ones((2, width)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "MOST_COLUMNS", most)
        try:
            with opened(Source(str(path))) as reader:
                assert sum(map(len, reader.batches(10))) == 2 and width <= most
        except DataError as error:
            assert width > most and f"{width} columns; at most {most}" in str(error)


keys = st.sampled_from(["row", "cluster", "row_", "cluster_", "novelty", "r\u00f6w"])
objects = st.dictionaries(keys, st.integers() | st.text(max_size=3) | st.just("row"), max_size=4)


@many
@given(objects, st.lists(objects, max_size=6), st.sampled_from([1, 30]), st.integers(1, 300), st.booleans())
def test_every_key_is_written_exactly_once(folder, first, later, repeated, size, escaped):
    path = folder / "keys.ndjson"
    rows = [{"a": 1, **first}, *({"a": 2, **one} for one in later * repeated)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text.replace('"row": ', '"\\u0072ow": ') if escaped else text)
    out = io.BytesIO()
    selection = columns.Selection(columns=("a",))
    with opened(Source(str(path), selection=selection)) as reader:
        output = output_to(out, "ndjson", reader)
        for batch in reader.batches(size):
            output.write(batch, np.full(len(batch), 7))
    written = [json.loads(line, object_pairs_hook=once) for line in out.getvalue().splitlines()]
    row, cluster = (free(name, rows[0]) for name in ("row", "cluster"))
    assert [one.pop(row) for one in written] == list(range(len(rows)))
    assert {one.pop(cluster) for one in written} == {7}
    for one, original in zip(written, rows, strict=True):
        assert list(one.values()) == list(original.values())
        assert all(one.get(key) == value for key, value in original.items() if key not in (row, cluster))


def once(pairs):
    found = dict(pairs)
    assert len(found) == len(pairs)
    return found


def free(name, taken):
    return name if name not in taken else free(name + "_", taken)


@many
@given(
    st.sampled_from([b"", b"\xef\xbb\xbf"]),
    st.sampled_from([b"", b" ", b"\n\n", b"\r\n\t"]),
    st.sampled_from([b"{", b'{"a": 1}\n', b'{"a": 1, "b": 2}\n', b"a,b\n1,2\n", b"1,2\n", b"[1]", b'"{"\n1\n']),
    st.binary(max_size=40),
)
def test_standard_input_starting_with_a_brace_is_ndjson(folder, mark, blanks, content, more):
    path = folder / "pipe"
    path.write_bytes(mark + blanks + content + more)
    with path.open() as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", file)
        try:
            with opened(Source("-")) as reader:
                assert (reader.format == "ndjson") == content.startswith(b"{")
                found = list(reader.batches(3))
        except DataError:
            return
    assert all(np.isfinite(batch.rows).all() for batch in found)
