"""All formats give the same rows, in batches with correct ends."""

import io
import json
import os
import threading
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from streams_data import HEADER, NAMES, X, as_csv

from phida._streams import arrow_rows, text_rows
from phida._streams import lines as lines_module
from phida._streams.arrays import as_floats
from phida._streams.batch import DataError
from phida._streams.columns import Selection
from phida._streams.lines import Lines
from phida._streams.opening import Source, format_of, opened

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

CHOSEN = Selection(exclude=("id",), label="kind")


def table(rows=X):
    columns = {"id": np.arange(len(rows)), **{n: rows[:, i] for i, n in enumerate(NAMES)}}
    return pa.table({**columns, "kind": ["xyz"[i % 3] for i in range(len(rows))]})


@pytest.fixture(params=["csv", "tsv", "ndjson", "parquet", "arrow", "arrow stream", "npy", "npy by columns", "npz"])
def source(request, tmp_path):
    """A file of each format with the same rows."""
    kind = request.param
    path = tmp_path / f"rows.{kind.split()[0]}"
    if kind in ("csv", "tsv"):
        text = HEADER + as_csv(X)
        path.write_text(text if kind == "csv" else text.replace(",", "\t"))
    elif kind == "ndjson":
        rows = table().to_pylist()
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "parquet":
        parquet.write_table(table(), path, row_group_size=70)
    elif kind.startswith("arrow"):
        new = pa.ipc.new_stream if kind.endswith("stream") else pa.ipc.new_file
        with new(path, table().schema) as out:
            out.write_table(table(), max_chunksize=70)
    elif kind.startswith("npy"):
        np.save(path, np.asfortranarray(X) if kind.endswith("columns") else X)
    else:
        np.savez(path, X=X, y=np.zeros(3))
    return Source(str(path), selection=Selection() if path.suffix in (".npy", ".npz") else CHOSEN)


def read(source, size=64):
    with opened(source) as reader:
        return reader, list(reader.batches(size))


def test_every_format_gives_the_same_rows(source):
    reader, batches = read(source)
    assert np.array_equal(np.concatenate([batch.rows for batch in batches]), X)
    assert np.concatenate([batch.numbers for batch in batches]).tolist() == list(range(len(X)))
    assert [batch.end for batch in batches] == [*range(64, len(X), 64), len(X)]
    assert reader.names in (NAMES, None)
    if reader.names:
        assert "".join(kind for batch in batches for kind in batch.truth) == "xyz" * 200
        assert [int(i) for batch in batches for i in batch.columns()["id"]] == list(range(len(X)))


def test_reading_resumes_at_any_row(source):
    _, whole = read(source)
    for number in (1, 63, 64, 100, len(X) - 1, len(X)):
        # Batches of one row give the end of each row.
        reader, single = read(source, 1)
        at = single[number - 1]
        rest = read(
            Source(source.path, selection=source.selection, row=at.end, offset=at.place.offset, header=reader.all_names)
        )
        rows = [batch.rows for batch in rest[1]]
        assert np.array_equal(np.concatenate([*rows, np.empty((0, 3))]), X[number:])
        assert [batch.end for batch in rest[1]] == [b.end for b in whole if b.end > number]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
@pytest.mark.parametrize("start", [0, 3, 50, 599, 600])
def test_length_of_record_batches_changes_no_batch(tmp_path, size, start, monkeypatch):
    monkeypatch.setattr(arrow_rows, "_TOGETHER", 600)
    path = tmp_path / "rows.arrow"
    with pa.ipc.new_file(path, table().schema) as out:
        begin = 0
        for length in (1, 0, 2, 4, 93, 5, 300, 1, 1, 193):
            out.write_table(table().slice(begin, length))
            begin += length
    _, batches = read(Source(str(path), selection=CHOSEN, row=start, offset=start), size)
    ends = [end for end in [*range(size, len(X), size), len(X)] if end > start]
    assert [batch.end for batch in batches] == ends
    for batch, first in zip(batches, [start, *ends], strict=False):
        assert np.array_equal(batch.rows, X[first : batch.end]) and batch.rows.flags.c_contiguous
        assert batch.numbers.tolist() == batch.columns()["id"].to_pylist() == list(range(first, batch.end))


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_()]
)
def test_every_numeric_type_is_read(kind):
    values = [True, None, False] if kind == pa.bool_() else [np.float16(1), None, np.float16(2)]
    if kind in (pa.int64(), pa.uint64()):
        values[2] = 2**62 + 1025  # more digits than a float has
    column = pa.array(values, kind)
    for found in (column, pa.chunked_array([column.slice(0, 1), column.slice(1)])):
        assert np.array_equal(as_floats(found), [float(values[0]), np.nan, float(values[2])], equal_nan=True)
    assert as_floats(column.slice(2)).tolist() == [float(values[2])]


def test_first_line_of_numbers_is_not_a_header(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1,2\n3,4\n")
    reader, batches = read(Source(str(path)))
    assert reader.names == ("0", "1") and batches[0].rows.tolist() == [[1, 2], [3, 4]]


def test_digits_of_other_scripts_are_names(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\u0661,\u0662\n3,4\n")
    reader, batches = read(Source(str(path)))
    assert reader.names == ("\u0661", "\u0662") and batches[0].rows.tolist() == [[3, 4]]


def test_spaces_around_numbers_are_ignored(tmp_path):
    """Both for batches of plain rows and for batches with one unusual row."""
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n 1\t,\u00a02\n")
    assert read(Source(str(path)))[1][0].rows.tolist() == [[1, 2]]
    path.write_text('a,b\n 1\t,\u00a02\n"3",4\n')
    assert read(Source(str(path)))[1][0].rows.tolist() == [[1, 2], [3, 4]]


def test_quotes_line_breaks_blank_lines_and_byte_order_marks_are_read(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b'\xef\xbb\xbf"a, or b",note,c\r\n\r\n1,"two\nlines, and ""more""",3\r\n\n"4",x,5')
    reader, batches = read(Source(str(path), selection=Selection(exclude=("note",))), 1)
    assert reader.names == ("a, or b", "c")
    assert [batch.rows.tolist() for batch in batches] == [[[1, 3]], [[4, 5]]]
    assert batches[0].columns()["note"] == ['two\nlines, and "more"']
    resumed = Source(
        str(path),
        selection=Selection(exclude=("note",)),
        row=1,
        offset=batches[0].place.offset,
        header=reader.all_names,
    )
    assert read(resumed)[1][0].rows.tolist() == [[4, 5]]


def test_quote_inside_a_field_is_a_plain_character(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('a,n\n1,5" pipe\n2,ok\n3,3" pipe\n"4","a ""b"", c"\n')
    _, batches = read(Source(str(path), selection=Selection(exclude=("n",))), 1)
    assert [batch.rows.tolist() for batch in batches] == [[[1]], [[2]], [[3]], [[4]]]
    assert [batch.columns()["n"][0] for batch in batches] == ['5" pipe', "ok", '3" pipe', 'a "b", c']


def test_named_pipe_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    threading.Thread(target=lambda: path.write_text("a\n1\n2\n"), daemon=True).start()
    _, (batch,) = read(Source(str(path), format="csv"))
    assert batch.rows.tolist() == [[1], [2]]


def test_byte_order_mark_and_lists_in_ndjson(tmp_path):
    path = tmp_path / "rows.ndjson"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1, "t": [1, 2]}\n')
    _, (batch,) = read(Source(str(path), selection=Selection(label="t")))
    assert list(batch.texts) == ['{"a": 1, "t": [1, 2]}'] and batch.truth == ["[1, 2]"]


fields = st.text("0123456789.-+eE_ nafi\u00a0\u0661?", max_size=6) | st.floats().map(repr) | st.integers().map(str)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(fields, min_size=2, max_size=2) | st.lists(fields, max_size=3), min_size=1, max_size=8),
    keep_missing=st.booleans(),
    ended=st.sampled_from(["\n", "\r\n", "\r"]),
)
@example(rows=[["0", "-0"], ["-0.0", "0E0"]], keep_missing=False, ended="\n")
def test_lines_read_one_by_one_or_together_give_the_same_result(tmp_path, rows, keep_missing, ended):
    path = tmp_path / "rows.csv"
    path.write_bytes(("a,b\n1,2\n" + "".join(",".join(row) + ended for row in rows)).encode())
    json_rows = [dict(zip("ab", row)) for row in rows]
    (tmp_path / "rows.ndjson").write_text(
        '{"a": 1, "b": 2}\n' + "".join(f'{{{", ".join(f"{chr(34)}{k}{chr(34)}: {v}" for k, v in row.items())}}}\n'
                                      for row in json_rows)
    )  # fmt: skip
    for name in ("rows.csv", "rows.ndjson"):
        source = Source(str(tmp_path / name), selection=Selection(keep_missing=keep_missing))
        found = []
        for many in (1, 1 << 30):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(text_rows, "MANY", many)
                patch.setattr(lines_module, "_MANY", many)
                _, batches = read(source, 4)
                found.append(
                    [
                        (b.end, b.place.offset, b.numbers.tolist(), b.rows.tobytes(), list(b.texts), b.bad)
                        for b in batches
                    ]
                )
        assert found[0] == found[1]


BAD = [
    ("csv", "1,2,3", "row 1 has the wrong number of fields: 3 instead of 2"),
    ("csv", "1", "row 1 has the wrong number of fields: 1 instead of 2"),
    ("csv", "1,x", "'x' in column 'b' is not a number"),
    (
        "csv",
        "1,",
        "row 1: column 'b' has no value (''). To fill missing values or drop such rows, learn the model with --impute",
    ),
    ("csv", "1,n/a", "column 'b' has no value ('n/a')"),
    ("csv", '1,"2,5"', "'2,5' in column 'b' is not a number. If commas are decimal points, pass --decimal ,"),
    ("csv", "1,1_000", "'1_000' in column 'b'"),
    ("csv", "1,1_0", "'1_0' in column 'b'"),
    ("csv", "1,\u0661\u0662", "'\u0661\u0662' in column 'b' is not a number"),  # Arabic
    ("csv", "1,\uff11\uff12", "'\uff11\uff12' in column 'b' is not a number"),  # full-width
    ("csv", "1,1\u0660e1", "in column 'b' is not a number"),
    ("csv", "1,nan", "column 'b' has no value ('nan')"),
    ("csv", "1,-inf", "column 'b' is -inf"),
    ("csv", "1,1e200", "column 'b' is 1e+200"),
    ("csv", '1,"2', "row 1 is not valid CSV"),
    ("csv", b"1,\xff", "not UTF-8"),
    ("ndjson", '{"a": 1}', "row 1: column 'b' is missing"),
    ("ndjson", '{"a": 1, "b": "2"}', "'2' in column 'b' is not a number"),
    ("ndjson", '{"a": 1, "b": true}', "'True' in column 'b' is not a number"),
    ("ndjson", '{"a": 1, "b": null}', "column 'b' has no value ('')"),
    ("ndjson", '{"a": 1, "b": NaN}', "column 'b' has no value ('nan')"),
    ("ndjson", '{"a": 1, "b": 1' + "0" * 400 + "}", "too large"),
    ("ndjson", "[1, 2]", "not a JSON object"),
    ("ndjson", '{"a": 1, "b"', "not JSON"),
    ("ndjson", "[" * 100_000, "not JSON"),
]


@pytest.mark.parametrize(("format", "line", "reason"), BAD, ids=[f"{f}-{i}" for i, (f, *_) in enumerate(BAD)])
def test_bad_row_is_skipped_with_its_reason(tmp_path, format, line, reason):
    good = {"csv": (b"1,2\n", b"3,4\n"), "ndjson": (b'{"a": 1, "b": 2}\n', b'{"b": 4, "a": 3, "more": 0}\n')}[format]
    path = tmp_path / f"rows.{format}"
    text = line if isinstance(line, bytes) else line.encode()
    unended = text.count(b'"') % 2 == 1 and format == "csv"
    content = good[0] + (good[1] + text if unended else text + b"\n" + good[1])
    path.write_bytes((b"a,b\n" if format == "csv" else b"") + content)
    _, (batch,) = read(Source(str(path)))
    assert batch.rows.tolist() == [[1, 2], [3, 4]] and batch.numbers.tolist() == ([0, 1] if unended else [0, 2])
    (bad,) = batch.bad
    assert reason.replace("row 1", f"row {bad.number}") in bad.reason
    assert bad.number == (2 if unended else 1)


def test_rows_with_missing_values_are_bad_rows(tmp_path):
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"a": [1.0, None, 3.0], "b": [1, 2, 3]}), path)
    _, (batch,) = read(Source(str(path)))
    assert batch.rows.tolist() == [[1, 1], [3, 3]]
    assert "column 'a' has no value" in batch.bad[0].reason and batch.bad[0].number == 1


@pytest.mark.parametrize(
    ("name", "content", "selection", "message"),
    [
        ("r.csv", b"", {}, "the input is empty"),
        (
            "r.csv",
            b"a,b\nx,1\n",
            {},
            "1 column is not numeric and 1 can be used. 'a' ('x'): text, which only phida fit --categories can use. "
            "Add: --exclude a",
        ),
        ("r.csv", b"a,a\n1,1\n", {}, "two columns have the name 'a'"),
        ("r.csv", b"a,b\n1,1\n", {"columns": ("c",)}, "column 'c' does not exist; the columns are a, b"),
        ("r.csv", b"a\n1\n", {"exclude": ("a",)}, "no columns are left"),
        ("r.ndjson", b'{"a": "x"}\n', {}, "1 column is not numeric. 'a' ('x'): text"),
        ("r.ndjson", b"7\n", {}, "not a JSON object"),
        ("r.npy", b"\x93NUMPY\x01\x00", {}, "not a valid NumPy file"),
        ("r.npz", b"PK\x03\x04", {}, "is not an npz file"),
        ("r.parquet", b"PAR1", {}, "is not a valid parquet file"),
        ("r.arrow", b"ARROW1", {}, "is not a valid arrow file"),
        ("r.txt", b"1", {}, "is not known from its suffix"),
    ],
)
def test_unreadable_files_are_explained(tmp_path, name, content, selection, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as error:
        read(Source(str(tmp_path / name), selection=Selection(**selection)))
    assert message in str(error.value)


@pytest.mark.parametrize("kind", ["npy", "npy by columns", "arrow", "arrow stream"])
def test_file_truncated_during_reading_is_an_error_with_its_name(tmp_path, kind):
    rows = np.random.default_rng(0).normal(size=(200_000, 3))
    path = tmp_path / f"rows.{kind.split()[0]}"
    data = pa.table({name: rows[:, i] for i, name in enumerate(NAMES)})
    if path.suffix == ".npy":
        np.save(path, np.asfortranarray(rows) if kind.endswith("columns") else rows)
    else:
        with (pa.ipc.new_stream if kind.endswith("stream") else pa.ipc.new_file)(path, data.schema) as out:
            out.write_table(data, max_chunksize=10_000)
    with opened(Source(str(path))) as reader:
        batches = reader.batches(1000)
        first = next(batches)
        os.truncate(path, path.stat().st_size // 10)
        found = [first]
        with pytest.raises(DataError, match=str(path)):
            found.extend(batches)
    read = np.concatenate([batch.rows for batch in found])
    assert np.array_equal(read, rows[: len(read)])  # rows before the error are those of the file


@pytest.mark.parametrize("fortran", [False, True])
@pytest.mark.parametrize("kind", ["npy", "npz"])
@pytest.mark.parametrize("shape", [(1000, 2), (1000, 10**12), (0, 10**12)])
def test_matrix_with_fewer_rows_than_its_header_is_refused(tmp_path, kind, fortran, shape):
    content = io.BytesIO()
    facts = {"descr": "<f8", "fortran_order": fortran, "shape": shape}
    np.lib.format.write_array_header_1_0(content, facts)
    content.write(bytes(100))
    path = tmp_path / f"rows.{kind}"
    if kind == "npy":
        path.write_bytes(content.getvalue())
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X.npy", content.getvalue())
    with pytest.raises(DataError, match=f"{path} (ends before row 1000|has 1,000,000,000,000 columns)"):
        read(Source(str(path)))


def test_any_byte_order_and_numeric_type_is_read(tmp_path):
    for kind in (">f8", "<f4", ">i2", "?", "u1", "<f2"):
        for order in "CF":
            np.save(tmp_path / "rows.npy", np.array([[1, 0], [0, 1], [1, 1]], kind, order=order))
            np.savez(tmp_path / "rows.npz", X=np.array([[1, 0], [0, 1], [1, 1]], kind, order=order))
            for name in ("rows.npy", "rows.npz"):
                _, batches = read(Source(str(tmp_path / name)), 2)
                assert [batch.rows.tolist() for batch in batches] == [[[1, 0], [0, 1]], [[1, 1]]]


def test_npy_objects_are_refused_without_unpickling(tmp_path):
    np.save(tmp_path / "r.npy", np.array([[1, None]], object))
    with pytest.raises(DataError, match="expected a matrix of numbers"):
        read(Source(str(tmp_path / "r.npy")))


def test_endless_line_is_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"x" * (1 << 24 | 1 << 20))
    with pytest.raises(DataError, match="longer than 16 MiB"):
        read(Source(str(path)))


def test_complete_lines_are_returned_immediately():
    out, into = os.pipe()
    lines = Lines(out)
    os.write(into, b"one\ntw")
    assert lines.take(1).lines() == [b"one"] and lines.offset == 4
    os.write(into, b"o\n\n")
    assert lines.take(1).lines() == [b"two"] and lines.offset == 8
    os.close(into)
    assert not lines.take(1)
    os.close(out)


@pytest.mark.parametrize(
    ("path", "format", "found"), [("-", None, "csv"), ("a.JSONL", None, "ndjson"), ("a", "npy", "npy")]
)
def test_suffix_selects_the_format(path, format, found):
    assert format_of(path, format) == found
