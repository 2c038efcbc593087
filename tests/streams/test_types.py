"""Values of any type in CSV, NDJSON and tables; no result depends on the other rows of a batch."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from states import assert_same_state
from streams_data import invoke, write_table

from phida import load
from phida._pipeline import Pipeline


def phida(*words):
    found = invoke(*words)
    assert found.exit_code == 0, found.output
    return found


def ndjson(path, *objects):
    Path(path).write_text("".join(json.dumps(one) + "\n" for one in objects))


def streamed(path, output, batch, *words):
    phida("stream", path, "--output", output, "--output-format", Path(output).suffix[1:], "--batch", batch, *words)
    return Path(output)


@pytest.mark.parametrize("size", [1, 7, 400])  # line by line, and in one batch
@pytest.mark.parametrize("key", ['"row"', '"cluster"', '"\\u0072ow"'])
def test_later_keys_equal_to_output_columns_are_renamed(here, key, size):
    plain = [f'{{"a": {i % 5}, "b": 1.50}}' for i in range(300)]
    lines = plain.copy()
    lines[250] = f'{{"a": 1, {key}: "mine", "row_": 7, "cluster_": 8, "b": 2}}'
    Path("r.ndjson").write_text("\n".join(lines) + "\n")
    written = streamed("r.ndjson", "o.ndjson", size).read_text().splitlines()
    found = json.loads(
        written[250],
        object_pairs_hook=lambda pairs: pytest.fail("twice") if len(pairs) != len(dict(pairs)) else dict(pairs),
    )
    name = json.loads(key)
    assert found["row"] == 250 and isinstance(found["cluster"], int)
    assert found[f"{name}__"] == "mine" and (found["row_"], found["cluster_"]) == (7, 8)
    lines.pop(250), written.pop(250)
    assert [text.partition(", ")[2].rpartition(", ")[0] for text in written] == [text[1:-1] for text in lines]


def test_renamed_key_is_separate_from_columns_of_the_first_object(here):
    ndjson("r.ndjson", {"row_": 1, "a": 2}, {"row": 5, "row_": 3, "a": 4}, {"row": 6, "a": 7, "row_": 1})
    written = [json.loads(line) for line in streamed("r.ndjson", "o.ndjson", 1).read_text().splitlines()]
    assert written[1] == {"row": 1, "row__": 5, "row_": 3, "a": 4, "cluster": written[1]["cluster"]}


MIXED = ["x", 1, 2.5, True, None, {"y": [1, "ä"]}, [1], 2**70, "\ud800", 'say "1,2"', "1\n2"]
AS_TEXT = ["x", "1", "2.5", "true", None, '{"y": [1, "ä"]}', "[1]", str(2**70), "\\ud800", 'say "1,2"', "1\n2"]


@pytest.mark.parametrize("output", ["csv", "parquet", "arrow"])
def test_other_ndjson_columns_are_text_in_any_batch(here, output):
    ndjson("r.ndjson", *({"a": i, "b": i / 2, "m": value} for i, value in enumerate(MIXED)))
    files = [streamed("r.ndjson", f"{size}.{output}", size, "--exclude", "m") for size in (1, 4, 100)]
    for file in files:
        if output == "csv":
            with file.open(newline="") as lines:
                found = [row["m"] or None for row in csv.DictReader(lines)]
        else:
            table = parquet.read_table(file) if output == "parquet" else pa.ipc.open_file(file).read_all()
            assert table.schema.field("m").type == pa.string()
            found = table["m"].to_pylist()
        assert found == AS_TEXT
    if output == "csv":
        rows = [[line.rpartition(",")[0] for line in file.read_text().split("\n")] for file in files]
        assert rows[0] == rows[1] == rows[2]


def test_only_values_that_need_quotes_are_quoted_in_any_batch(here):
    texts = ["x", "a, b", 'say "so"', "", None, "two\r\nlines"]
    parquet.write_table(pa.table({"a": np.arange(6.0), "t": texts}), "r.parquet")
    for batch in (1, 2, 100):
        text = streamed("r.parquet", f"{batch}.csv", batch, "--columns", "a").read_bytes().decode()
        found = [line.rpartition(",")[0] for line in text.replace("\r\n", " ").splitlines()[1:]]
        assert found == ["0,0,x", '1,1,"a, b"', '2,2,"say ""so"""', "3,3,", "4,4,", '5,5,"two lines"']


ODD = {
    "bytes": pa.array([b"ab", b"\xff\x00,", None]),
    "large": pa.array([b"ab", b"\xff\x00,", None], pa.large_binary()),
    "fixed": pa.array([b"ab", b"\xff,", None], pa.binary(2)),
    "list": pa.array([["a", None], [], None]),
    "struct": pa.array([{"x": b"\xff"}, {"x": None}, None]),
}
if hasattr(pa, "string_view"):  # newer than the oldest allowed pyarrow
    ODD["view"] = pa.array(["ab", "x,y", None], pa.string_view())
    ODD["binary view"] = pa.array([b"ab", b"\xff\x00,", None], pa.binary_view())


@pytest.mark.parametrize("output", ["csv", "ndjson"])
@pytest.mark.parametrize("kind", ODD)
def test_arrow_types_without_text_form_are_converted(here, kind, output):
    column = ODD[kind]
    with pa.ipc.new_file("r.arrow", pa.schema({"a": pa.float64(), "t": column.type})) as out:
        out.write_batch(pa.record_batch([pa.array([1.0, 2.0, 3.0]), column], ["a", "t"]))
    texts = {
        "fixed": ["ab", "\\xff,", None],
        "list": ['["a", null]', "[]", None],
        "struct": ['{"x": "\\\\xff"}', '{"x": null}', None],
        "view": ["ab", "x,y", None],
    }.get(kind, ["ab", "\\xff\0,", None])
    for batch in (1, 100):
        written = streamed("r.arrow", f"{batch}.{output}", batch, "--columns", "a")
        if output == "csv":
            with written.open(newline="") as lines:
                found = [row["t"] or None for row in csv.DictReader(lines)]
        else:
            found = [json.loads(line)["t"] for line in written.read_text().splitlines()]
        assert found == texts


def test_types_that_parquet_lacks_are_written_as_text(here):
    table = pa.table(
        {
            "a": np.arange(3.0),
            "i": pa.array([pa.MonthDayNano([1, 2, 3]), None, pa.MonthDayNano([0, 0, 0])]),
            "s": pa.array([{}, None, {}], pa.struct([])),
            "n": pa.array([1, None, 3], pa.int8()),
        }
    )
    with pa.ipc.new_file("r.arrow", table.schema) as out:
        out.write_table(table)
    for batch in (1, 100):
        found = parquet.read_table(streamed("r.arrow", f"{batch}.parquet", batch, "--columns", "a"))
        assert found.schema.field("n").type == pa.int8()
        assert found["i"].to_pylist() == [str(pa.MonthDayNano([1, 2, 3])), None, str(pa.MonthDayNano([0, 0, 0]))]
        assert found["s"].to_pylist() == ["{}", None, "{}"]


def of_booleans(suffix, n=60):
    """Return a file of the same rows in any format."""
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=n).round(3), "b": rng.random(n) < 0.5})
    return write_table(Path(f"r.{suffix}"), table)


def test_booleans_are_learned_alike_in_every_format(here):
    for suffix in ("csv", "ndjson", "parquet"):
        phida("fit", of_booleans(suffix), "--out", f"{suffix}.model")
        assert Pipeline.load(f"{suffix}.model").preparation.conversions == {"b": "boolean"}
        assert_same_state(load(f"{suffix}.model"), load("csv.model"))
    for model in ("csv", "ndjson", "parquet"):
        labels = [
            phida("predict", f"{model}.model", f"r.{suffix}", "--output-format", "csv").stdout.splitlines()[1:]
            for suffix in ("csv", "ndjson", "parquet")
        ]
        clusters = [[line.rpartition(",")[2] for line in lines] for lines in labels]
        assert clusters[0] == clusters[1] == clusters[2]


@pytest.mark.parametrize(
    ("suffix", "content"),
    [
        ("csv", "x,b\n1,true\n2,maybe\n3,1\n4,FALSE\n"),
        ("ndjson", '{"x": 1, "b": true}\n{"x": 2, "b": "maybe"}\n{"x": 3, "b": 1.0}\n{"x": 4, "b": false}\n'),
    ],
)
@pytest.mark.parametrize("batch", [1, 100])
def test_first_value_decides_whether_a_column_is_boolean(here, suffix, content, batch):
    Path(f"r.{suffix}").write_text(content)
    words = ("stream", f"r.{suffix}", "--output", "o.csv", "--batch", str(batch))
    refused = invoke(*words)
    assert refused.exit_code == 3 and "row 1: 'maybe' in column 'b' is not a boolean." in refused.output
    skipped = phida(*words, "--on-bad-row", "skip", "--checkpoint", "s")
    assert "bad rows 1" in skipped.output
    assert load("s/model.safetensors").n_samples_seen_ == 3


def test_model_of_typed_dates_reads_dates_as_text(here):
    days = pa.array(range(19_000, 19_060), pa.int32()).cast(pa.date32())
    parquet.write_table(pa.table({"x": np.arange(60.0) % 7, "d": days}), "r.parquet")
    phida("fit", "r.parquet", "--convert", "d", "--out", "m")
    Path("r.csv").write_text("x,d\n" + "".join(f"{i % 7},{day}\n" for i, day in enumerate(days.to_pylist())))
    expected = phida("predict", "m", "r.parquet").stdout
    found = phida("predict", "m", "r.csv").stdout
    assert [a.rpartition(",")[2] for a in found.split()] == [a.rpartition(",")[2] for a in expected.split()]
    phida("update", "m", "r.csv")
    assert Pipeline.load("m").preparation.conversions == {"d": "iso"}
    phida("update", "m", "r.parquet")
    assert Pipeline.load("m").preparation.conversions == {"d": "iso"}
