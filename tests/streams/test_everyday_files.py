"""Everyday files: other delimiters, decimal commas, encodings, ids, dates, gaps."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from streams_data import X, write_rows, write_table
from streams_data import invoke as phida

from phida import PHIDAPlus, StateFileError, load, state_file
from phida._cli import console
from phida._cli.app import COMMANDS
from phida._missing import Imputer
from phida._pipeline import Pipeline
from phida._streams.batch import DataError
from phida._streams.columns import Selection, likely_ids
from phida._streams.conversion import Conversion, conversion_of
from phida._streams.dialect import Dialect, detected_delimiter
from phida._streams.opening import Source, opened

parquet = pytest.importorskip("pyarrow.parquet")
SHOPS = [("Bäckerei", 820, 14.5), ("Gärtnerei", 240, 61.0), ("Schloßhotel", 5400, 180.5)]


@pytest.fixture
def german(here):
    """Return an export with semicolons, decimal commas, Latin-1, an id, dates and twelve gaps."""
    rng, lines = np.random.default_rng(7), ["Kundennr;Name;Eintritt;Umsatz;Fläche;Stammkunde"]
    for i in range(240):
        name, *usual = SHOPS[rng.integers(3)]
        sales, area = (f"{value * rng.lognormal(0, 0.1):.2f}".replace(".", ",") for value in usual)
        day = f"{1 + i % 28:02d}.{1 + i % 12:02d}.{2018 + i % 7}"
        lines.append(
            f"{10417 + i};{name} {'ÄÖÜäöü'[i % 6]}.;{day};{sales};{area if i % 20 else ''};{('ja', 'nein')[i % 2]}"
        )
    path = here / "kunden.csv"
    path.write_bytes("\r\n".join([*lines, ""]).encode("latin-1"))
    return path


def read(path, selection=None, **dialect):
    with opened(Source(str(path), selection=selection or Selection(), dialect=Dialect(**dialect))) as reader:
        return reader, list(reader.batches(1000))


def test_german_export_is_fitted_with_two_commands(here, german):
    """The first command prints the options of the second."""
    words = ("stream", german, "--output", "labelled.csv")
    found = phida(*words)
    assert found.exit_code == 3 and "Traceback" not in found.output
    for said in (
        "line 1 is not UTF-8",
        "5 columns are not numeric and 1 looks like an id.",
        "decimal commas",
        "'Name' ('Schloßhotel Ä.'): text",
        "look like an id",
        "missing",
    ):
        assert said in found.output
    options = re.search(r"Add: (.*)", found.output)[1].split()
    found = phida(*words, *options)
    assert found.exit_code == 0, found.output
    assert "detected delimiter ';'" in found.output and "12 missing values filled with the median" in found.output
    lines = (here / "labelled.csv").read_text().splitlines()
    original = german.read_bytes().decode("latin-1").splitlines()
    assert [line.partition(";")[2].rpartition(";")[0] for line in lines] == original
    clusters = {line.rpartition(";")[2] for line in lines[1:]}
    assert len(lines) == 241 and len(clusters) > 1


def test_predict_prepares_rows_as_fit_did(here, german):
    options = ("--encoding", "latin-1", "--decimal", ",")
    learning = ("--exclude", "Name,Kundennr", "--convert", "Eintritt,Stammkunde", "--impute", "mean")
    found = phida("fit", german, *options, *learning, "--out", "m.safetensors")
    assert found.exit_code == 0 and " clusters" in found.output and "as deep as chance would make it" in found.output
    found = phida("predict", "m.safetensors", german, *options, "--output", "out.parquet")
    assert found.exit_code == 0, found.output
    table = parquet.read_table(here / "out.parquet")
    assert table.num_rows == 240 and table.column_names[0] == "row" and table.column_names[-1] == "cluster"
    prepared = Pipeline.load("m.safetensors").preparation
    assert prepared.conversions == {"Eintritt": "%d.%m.%Y", "Stammkunde": "boolean"} and prepared.imputer.rule == "mean"
    load("m.safetensors").save("again.safetensors")  # saving from Python keeps the preparation of the command line
    assert Pipeline.load("again.safetensors").preparation.imputer.to_plain() == prepared.imputer.to_plain()


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("1,5;2,5\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n", ","),
        ('"x, y";b\n1;2\n', ";"),
        ("", ","),
        ("Fläche, m;Preis\n1,0;2,0\n3,5;4,5\n", ";"),
    ],
)
def test_delimiter_is_detected(text, delimiter):
    assert detected_delimiter(text.encode(), "utf-8") == delimiter


def test_number_formats_of_each_dialect_are_read(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("a;b\n1.234,5;2\n-12,25;3\n")
    rows = read(path, decimal=",", thousands=".")[1][0].rows.tolist()
    assert rows == [[1234.5, 2], [-12.25, 3]]
    german = Dialect(decimal=",", thousands=".")
    for text in ("1.23,5", "12345.678", "1.234.5", ".123", "1,5.000"):
        assert not german.is_number(text)
    assert german.number(" 1.234.567 ") == 1234567


@pytest.mark.parametrize("rows", [3, 400])
def test_decimal_commas_are_read_in_any_batch(tmp_path, rows):
    path = tmp_path / "r.csv"
    path.write_text("a;b\n" + "1,25;-3\n" * rows)
    assert (read(path, decimal=",")[1][0].rows == [1.25, -3]).all()


def test_wrong_encoding_is_reported_with_its_line(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"a,n\n1,x\n\n\n2,y\n3,\xfc\n")
    _, (batch,) = read(path, Selection(exclude=("n",)))
    assert batch.rows.tolist() == [[1], [2]]
    assert "line 6 is not UTF-8 (byte 0xfc" in batch.bad[0].reason and "--encoding cp1252" in batch.bad[0].reason
    assert list(read(path, Selection(exclude=("n",)), encoding="latin-1")[1][0].texts)[2] == "3,ü"
    path.write_bytes("a,b\n1,2\n".encode("utf-16"))
    with pytest.raises(DataError, match="UTF-16 or UTF-32"):
        read(path)


def test_line_numbers_continue_after_resume(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes(b"a,n\n1,x\n\n2,y\n3,\xfc\n")
    selection = Selection(exclude=("n",))
    with opened(Source(str(path), selection=selection)) as reader:
        first = next(reader.batches(1))
    with opened(Source(str(path), selection=selection, row=1, offset=first.place.offset, header=("a", "n"))) as reader:
        assert "line 5 is not UTF-8" in next(iter(reader.batches(10))).bad[0].reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "ab"}, "one character"),
        ({"decimal": ",", "thousands": ","}, "must differ"),
        ({"encoding": "klingon"}, "unknown encoding 'klingon'"),
        ({"encoding": "utf-16"}, "more than one byte per line break"),
    ],
)
def test_contradictory_dialects_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Dialect(**options)


def test_all_non_numeric_columns_are_named_at_once(here):
    path = here / "r.csv"
    path.write_text('t,"u, v",d,ok,x\n' + "".join(f"a,b,2024-01-{i + 1:02d},yes,{25 - i}.5\n" for i in range(25)))
    found = phida("fit", path)
    assert found.exit_code == 3 and "4 columns are not numeric and 1 can be used." in found.output
    assert """Add: --exclude 't,"u, v"' --convert d,ok""" in found.output
    found = phida("fit", path, "--exclude", 't,"u, v"', "--convert", "d,ok")
    assert found.exit_code == 0 and "25 rows learned" in found.output


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet"])
def test_message_counts_every_column(here, suffix):
    table = pa.table({"id": range(25), "t": ["a"] * 25, "u": ["b"] * 25, "x": [0.5] * 25, "y": [1.5] * 25})
    path = write_table(here / f"r.{suffix}", table)
    # In Parquet, types do not mark a column as an id; the rows do, which gives a warning.
    ids, rest = ("", 3) if suffix == "parquet" else (", 1 looks like an id", 2)
    assert f"2 columns are not numeric{ids} and {rest} can be used." in phida("fit", path).output
    said = phida("fit", path, "--exclude", "t").output
    assert f"1 column is not numeric{ids}, {rest} can be used and 1 is left out as requested." in said
    said = phida("fit", path, "--exclude", "id,t", "--label", "u").output
    assert "2 of 5 columns are learned; left out: id, t (--exclude); u (--label)\n" in said
    said = phida("fit", path, "--columns", "x,y", "--label", "u").output
    assert "2 of 5 columns are learned; left out: u (--label); id, t (not selected)\n" in said


def test_dates_and_booleans_become_numbers():
    assert Conversion("iso").number("1970-01-02T12:00") == 1.5
    assert Conversion("%d.%m.%Y").number("03.01.1970") == 2.0
    assert conversion_of(["31/01/2024", "01/02/2024"]) == Conversion("%d/%m/%Y")
    assert conversion_of(["ja", "", "Nein"]) == Conversion("boolean")
    assert conversion_of(["ja", "2024-01-01"]) is None and conversion_of([""]) is None


def test_id_columns_give_a_warning(here):
    rows = np.column_stack([np.arange(600), X])
    np.savetxt("r.csv", rows, delimiter=",", header="customer_id,a,b,c", comments="")
    reason = "looks like an id or a time (it increases, or no value repeats)"
    warning = f"column 'customer_id' {reason}. To leave it out, add --exclude customer_id"
    assert warning in phida("fit", "r.csv").output
    assert warning in phida("stream", "r.csv", "--output", "o.csv").output
    assert "looks like an id" not in phida("fit", "r.csv", "--columns", "customer_id,a").output
    shuffled = np.random.default_rng(0).permutation(50).astype(float)
    names = ("up", "seconds", "unique", "counts", "measured")
    columns = np.column_stack([np.arange(50.0), np.arange(50.0) / 8, shuffled, shuffled % 7, shuffled + 0.5])
    assert likely_ids(names, columns) == ["up", "seconds", "unique"] and likely_ids(names, columns[:5]) == []


def test_fit_without_a_model_file_prints_its_result(here):
    np.savetxt("r.csv", np.random.default_rng(0).normal(size=(300, 2)), delimiter=",", header="a,b", comments="")
    found = phida("fit", "r.csv")
    assert found.exit_code == 0 and "--out FILE saves it" in found.output and [*here.iterdir()] == [here / "r.csv"]
    assert "All rows form one cluster: between no two groups the density falls" in found.output


def gaps(rows=500):
    rng = np.random.default_rng(0)
    found = rng.normal(size=(rows, 3))
    found[rng.random(found.shape) < 0.1] = np.nan
    return found


@pytest.mark.parametrize("rule", ["median", "mean"])
def test_filled_values_do_not_depend_on_batches(rule):
    rows = gaps()
    rows[0] = [1.0, 2.0, 3.0]  # the first row has values that can fill gaps
    whole = Imputer(rule, 3)
    filled, kept = whole.learned(rows)
    assert kept.all() and np.array_equal(filled[~np.isnan(rows)], rows[~np.isnan(rows)])
    for size in (1, 7, 64, 100):
        one = Imputer(rule, 3)
        parts = [one.learned(rows[i : i + size])[0] for i in range(0, len(rows), size)]
        assert np.array_equal(np.concatenate(parts), filled)
        assert one.to_plain() == whole.to_plain()
        half = Imputer.from_plain(Imputer.to_plain(one), 3)
        assert np.array_equal(half.applied(rows)[0], one.applied(rows)[0])


@pytest.mark.parametrize(("rule", "exact"), [("median", np.nanmedian), ("mean", np.nanmean)])
def test_gaps_are_filled_with_median_or_mean(rule, exact):
    rows = gaps()
    imputer = Imputer(rule, 3)
    imputer.learned(rows)
    assert np.allclose(imputer.values(), exact(rows, axis=0))
    many = np.random.default_rng(1).normal(size=(20_000, 1))
    sampled = Imputer(rule, 1)
    sampled.learned(many)
    assert abs(sampled.values()[0] - exact(many)) < 0.15


def test_early_gaps_get_the_first_value_and_gaps_can_be_dropped():
    imputer = Imputer("median", 1)
    filled, kept = imputer.learned(np.array([[np.nan], [4.0], [np.nan]]))
    assert filled.tolist() == [[4.0], [4.0], [4.0]] and kept.all()
    filled, kept = Imputer("mean", 1).learned(np.array([[np.nan]]))
    assert len(filled) == 0 and not kept.any()
    filled, kept = Imputer("drop", 2).learned(np.array([[1.0, np.nan], [1.0, 2.0]]))
    assert filled.tolist() == [[1.0, 2.0]] and kept.tolist() == [False, True]


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet", "npy"])
def test_gaps_are_filled_in_every_format(here, suffix):
    rows, path = gaps(), here / f"r.{suffix}"
    write_table(path, pa.table({name: pa.array(rows[:, i], from_pandas=True) for i, name in enumerate("abc")}))
    assert phida("fit", path).exit_code == 3
    found = phida("fit", path, "--impute", "drop", "--out", "m")
    complete = rows[~np.isnan(rows).any(axis=1)]
    assert f"{len(complete)} rows learned" in found.output and f"{500 - len(complete)} rows" in found.output
    assert phida("stream", path, "--impute", "median", "--output", "o.csv", "--output-format", "csv").exit_code == 0
    assert len((here / "o.csv").read_text().splitlines()) == 501
    assert (
        "started with --impute drop" in phida("stream", path, "--model", "m", "--impute", "mean", "-o", "p.csv").output
    )


def test_damaged_preparation_is_refused(german):
    phida(
        "fit", german, "--encoding", "latin-1", "--decimal", ",", "--columns", "Umsatz", "--impute", "median", "-o", "m"
    )
    state, facts = state_file.read("m")
    for damaged in ({"impute": {"rule": "median"}}, {"impute": 7}, {"convert": [1]}, {"more": 1}, 3):
        state_file.write(
            "d", state, {**{k: v for k, v in facts.items() if k != "format_version"}, "preparation": damaged}
        )
        with pytest.raises(StateFileError, match="damaged"):
            Pipeline.load("d")


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_labelled_rows_are_written_as_a_table(here, suffix):
    np.savetxt("r.csv", X, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
    assert phida("stream", "r.csv", "--output", f"o.{suffix}").exit_code == 0
    table = parquet.read_table(f"o.{suffix}") if suffix == "parquet" else pa.ipc.open_file(f"o.{suffix}").read_all()
    assert np.array_equal(np.column_stack([table[name] for name in "abc"]), X)
    assert table["row"].to_pylist() == list(range(600))
    model = PHIDAPlus(compute_labels=False)
    labels = [model.partial_fit(X[:1000]).predict(X).tolist()]
    assert table["cluster"].to_pylist() == labels[0]
    assert phida("stream", "r.csv", "--output", f"p.{suffix}", "--checkpoint", "s").exit_code == 2


def labelled(path, *words, suffix="ndjson"):
    """Return the output of a stream of a file."""
    found = phida("stream", path, "-o", f"out.{suffix}", "--output-format", suffix, *words)
    assert found.exit_code == 0, found.output
    return Path(f"out.{suffix}")


@pytest.mark.parametrize("rows", [3, 400], ids=["few", "many"])
def test_empty_object_is_written_as_json(here, rows):
    lines = [f'{{"a": {i % 7}, "b": {i % 5}}}' for i in range(rows)]
    Path("x.ndjson").write_text("\n".join([*lines, "{ }", lines[0]]))
    written = [json.loads(line) for line in labelled("x.ndjson", "--impute", "median").read_text().splitlines()]
    assert [row["row"] for row in written] == list(range(rows + 2)) and set(written[rows]) == {"row", "cluster"}


def test_byte_order_mark_in_a_later_line_is_a_bad_row(here):
    lines = [b'{"a": 1, "b": 2}', b'\xef\xbb\xbf{"a": 1, "b": 2}', b'{"a": 2, "b": 2}']
    Path("x.ndjson").write_bytes(b"\n".join(lines))
    written = [json.loads(line) for line in labelled("x.ndjson", "--on-bad-row", "skip").read_text().splitlines()]
    assert [row["row"] for row in written] == [0, 2]


def test_table_is_written_as_valid_ndjson(here):
    numbers = pa.array([1.0, np.nan, np.inf, 2.0])
    texts = pa.array(["true", "null", "0012", "12"])
    table = pa.table({"a": [1.0, 2.0, 1.0, 2.0], "b": [1.0, 2.0, 1.0, 2.0], "c": numbers, "d": texts})
    parquet.write_table(table, "x.parquet")
    written = [json.loads(line, parse_constant=pytest.fail) for line in
               labelled("x.parquet", "--columns", "a,b").read_text().splitlines()]  # fmt: skip
    assert [row["c"] for row in written] == [1.0, None, None, 2.0]
    assert [row["d"] for row in written] == ["true", "null", "0012", 12]


def test_arrow_dictionaries_and_decimals_are_written(here):
    values = [1.0, 2.0, 1.0]
    kinds = [pa.array(["x", "y", "x"]).dictionary_encode(), pa.array(["z", "z", "y"]).dictionary_encode()]
    schema = pa.schema({"a": pa.float64(), "k": kinds[0].type, "p": pa.decimal128(5, 2)})
    price = pa.array([None, 3, 4], pa.decimal128(5, 2))
    with pa.ipc.new_stream("x.arrow", schema) as out:
        for kind in kinds:
            out.write_batch(pa.record_batch([pa.array(values), kind, price], schema=schema))
    tables = labelled("x.arrow", "--columns", "a", "--batch", "3", suffix="arrow")
    assert pa.ipc.open_file(tables).read_all()["k"].to_pylist() == ["x", "y", "x", "z", "z", "y"]
    lines = csv.reader(labelled("x.arrow", "--columns", "a", "--batch", "3", suffix="csv").read_text().splitlines())
    assert [line[3] for line in lines] == ["p", *["", "3.00", "4.00"] * 2]


def test_nanosecond_times_become_days(here):
    times = pa.array([1, 86_400_000_000_001, 3], pa.timestamp("ns"))
    parquet.write_table(pa.table({"t": times, "a": [1.0, 2.0, 3.0]}), "x.parquet")
    _, (batch,) = read("x.parquet", Selection(convert={"t": None}))
    assert batch.rows[:, 0].tolist() == [0.0, 1.0, 0.0]


def test_help_of_each_command_is_its_docstring():
    from importlib import import_module

    for name, (module, described) in COMMANDS.items():
        assert getattr(import_module(f"phida._cli.{module}"), name).__doc__.splitlines()[0] == described


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("--help", ("numpy", "sklearn", "phida._streams")),
        ("fit r.csv", ("sklearn", "scipy", "pandas", "pyarrow", "rich")),
        ("update m r.csv", ("sklearn", "scipy", "pandas", "pyarrow", "rich")),
        ("predict m r.csv", ("sklearn", "scipy", "pandas", "pyarrow", "rich", "importlib.metadata")),
        ("inspect m", ("sklearn", "scipy", "pandas", "pyarrow", "rich", "importlib.metadata")),
    ],
)
def test_commands_import_only_what_they_need(here, words, missing):
    (here / "r.csv").write_text("a,b\n1,2\n3,4\n")
    assert phida("fit", "r.csv", "--out", "m").exit_code == 0
    code = f"import sys; sys.argv = ['phida', *{words.split()!r}]\nfrom phida._cli import main\ntry:\n    main()\n"
    code += f"finally:\n    assert not {set(missing)!r} & set(sys.modules), sys.modules.keys()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet", "arrow"])
def test_streams_do_not_import_pandas(here, suffix):
    """pyarrow's conversions to and from NumPy would import it, which takes 0.2 s."""
    write_rows(here / f"s.{suffix}", X)
    words = ["stream", f"s.{suffix}", "--output", f"o.{suffix}", "--output-format", suffix]
    code = f"import sys; sys.argv = ['phida', *{words!r}]\nfrom phida._cli import main\ntry:\n    main()\n"
    code += "finally:\n    assert 'pyarrow' in sys.modules and 'pandas' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_interrupted_import_ends_without_a_traceback(here):
    code = "import builtins, sys; real = builtins.__import__\n"
    code += "def stopped(name, *rest):\n    if name == 'numpy': raise KeyboardInterrupt\n    return real(name, *rest)\n"
    code += "builtins.__import__ = stopped; sys.argv = ['phida', 'fit', 'r.csv']\nfrom phida._cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130 and "Traceback" not in done.stderr


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_line_shows_share_and_time_left_and_is_erased(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(console, "_progress", console._ProgressLine())
    with console.counting("rows", quiet=False, size=lambda: 400) as advance:
        advance(2000, 100)
        console.say("a message")
        drawn = terminal.getvalue()
    assert re.fullmatch(r"\r2,000 rows  25% 0:00:00 left\r +\ra message\n", drawn)


def test_progress_line_without_a_size_shows_seconds(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(console, "_progress", console._ProgressLine())
    with console.counting("rows", quiet=False) as advance:
        advance(2000, 100)
    assert re.fullmatch(r"\r2,000 rows 0:00:00\r +\r", terminal.getvalue())
