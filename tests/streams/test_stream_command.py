"""``phida stream``: labels in order, checkpoints, signals, and resuming."""

import json
import random
import re
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from states import assert_same_state
from streams_data import HEADER, NAMES, X, as_csv, clusters_in, invoke, phida, said, write_rows
from waiting import PATIENCE

from phida import PHIDA, PHIDAPlus, load, state_file
from phida.lineage import Event

CHOSEN = ("--exclude", "id,kind")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + as_csv(X))
    return path


def expected(batch):
    """Return the estimator's labels: rows are labelled after their batch was learned."""
    model, labels = PHIDAPlus(), []
    for begin in range(0, len(X), batch):
        part = X[begin : begin + batch]
        labels += model.partial_fit(part).predict(part).tolist()
    return model, np.array(labels)


@pytest.mark.parametrize("batch", [1, 7, 100, 1000])
def test_labels_are_in_order_and_equal_the_estimators(data, batch):
    found = phida("stream", data, *CHOSEN, "--batch", batch)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "row,id,a,b,c,kind,cluster"
    assert [line.rsplit(",", 1)[0] for line in lines[1:]] == [
        f"{i},{line}" for i, line in enumerate(as_csv(X).splitlines())
    ]
    assert clusters_in(found.stdout).tolist() == expected(batch)[1].tolist()


def test_pipe_is_labelled_row_by_row(data):
    command = [sys.executable, "-m", "phida", "stream", "-", *CHOSEN]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(HEADER.encode())
        for i, line in enumerate(as_csv(X[:5]).splitlines(keepends=True)):
            process.stdin.write(line.encode())
            process.stdin.flush()
            if i == 0:
                assert process.stdout.readline() == b"row,id,a,b,c,kind,cluster\n"
            assert process.stdout.readline().startswith(f"{i},{i},".encode())
        process.stdin.close()
        assert process.wait(timeout=PATIENCE) == 0


def test_ndjson_in_gives_ndjson_out():
    rows = [{"a": 1.5, "b": 2, "t": "x"}, {"a": 1, "b": 3, "t": "y"}, {"b": 9, "a": 9, "t": "é"}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    found = phida("stream", "-", "--format", "ndjson", "--exclude", "t", stdin=text)
    assert [json.loads(line) for line in found.stdout.splitlines()] == [
        {"row": i, **row, "cluster": 0} for i, row in enumerate(rows)
    ]
    found = phida("stream", "-", "--format", "ndjson", "--exclude", "t", "--output-format", "csv", stdin=text)
    assert found.stdout.splitlines() == ["row,a,b,t,cluster", "0,1.5,2,x,0", "1,1,3,y,0", "2,9,9,é,0"]
    found = phida("stream", "-", "--output-format", "ndjson", stdin="a,b\n1,2\n")
    assert json.loads(found.stdout) == {"row": 0, "a": 1, "b": 2, "cluster": 0}


@pytest.mark.parametrize("columns", ["a,b", "b,a", "b"])
@pytest.mark.parametrize("blank", ["", " "])
def test_large_and_small_ndjson_batches_give_the_same_output(tmp_path, columns, blank):
    """They are read and written in different ways."""
    path, out = tmp_path / "r.ndjson", tmp_path / "o.ndjson"
    rows = [{"t": f"é{i}, {{", "a": row[0], "b": row[1], "n": {"m": i}} for i, row in enumerate(X.tolist())]
    for row in rows[:300]:
        del row["n"]
    texts = [json.dumps(row, ensure_ascii=False)[1:-1] for row in rows]
    path.write_text("".join(f"{{{blank}{text}{blank}}}\n" for text in texts), encoding="utf-8")
    assert invoke("stream", path, "--columns", columns, "--batch", 150, "--output", out).exit_code == 0
    model = PHIDAPlus(compute_labels=False)
    chosen = X[:, ["ab".index(name) for name in columns.split(",")]]
    labels = [model.partial_fit(part).predict(part) for part in np.split(chosen, len(X) // 150)]
    expected = zip(texts, np.concatenate(labels).tolist(), strict=True)
    assert out.read_text(encoding="utf-8") == "".join(
        f'{{"row": {i}, {text}, "cluster": {label}}}\n' for i, (text, label) in enumerate(expected)
    )


def stream_words(data, folder, *more):
    words = ("stream", data, *CHOSEN, "--batch", 10, "--output", folder / "out.csv")
    return (*words, "--checkpoint", folder / "state", "--every", 40, *more)


def test_resumed_run_equals_uninterrupted_run(data, tmp_path):
    """First run: half of the file. Second run: the complete file."""
    half = tmp_path / "grows.csv"
    half.write_text(HEADER + as_csv(X[:303]))
    assert invoke(*stream_words(half, tmp_path)).exit_code == 0
    half.write_bytes(data.read_bytes())
    resumed = invoke(*stream_words(half, tmp_path, "--resume"))
    assert resumed.exit_code == 0 and "resuming at row 303" in resumed.stderr
    model, labels = expected(10)
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), model)
    out = (tmp_path / "out.csv").read_text()
    assert [int(line.split(",")[0]) for line in out.splitlines()[1:]] == list(range(len(X)))
    # The three rows before the stop were labelled after a batch of three.
    same = np.r_[0:300, 303:310, 310:600]
    assert (clusters_in(out)[same] == labels[same]).all()


@pytest.mark.parametrize("batch", [10, 100])  # without and with threads
def test_run_killed_at_random_equals_uninterrupted_run(tmp_path, batch):
    """kill -9, repeatedly; every row is labelled once, and the model is the same to the bit."""
    rows = np.random.default_rng(0).normal(size=(6000, 2)) + np.repeat([[0, 0], [6, 6]], 3000, axis=0)
    data = tmp_path / "rows.csv"
    data.write_text("a,b\n" + "".join(f"{a!r},{b!r}\n" for a, b in rows.tolist()))
    words = ("stream", data, "--batch", batch, "--output", tmp_path / "out.csv", "--quiet")
    words = (*words, "--checkpoint", tmp_path / "state", "--every", 100, "--resume", "--events", tmp_path / "events")
    command = [sys.executable, "-m", "phida", *map(str, words)]
    delays, kills = random.Random(0), 0
    state = tmp_path / "state" / "model.safetensors"
    for _ in range(4):
        with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
            before = state.stat().st_mtime_ns if state.exists() else 0
            while process.poll() is None and (state.stat().st_mtime_ns if state.exists() else 0) == before:
                time.sleep(0.002)
            time.sleep(delays.uniform(0, 0.08))
            process.kill()
            process.wait()
            assert process.stderr.read() == b""
        if process.returncode == 0:
            break
        kills += 1
    found = phida(*words)
    assert found.returncode == 0 and kills >= 1  # a slow machine may miss the other moments
    model, labels = PHIDAPlus(), []
    for begin in range(0, len(rows), batch):
        labels += model.partial_fit(rows[begin : begin + batch]).predict(rows[begin : begin + batch]).tolist()
    assert_same_state(PHIDAPlus.load(state), model)
    out = (tmp_path / "out.csv").read_text()
    assert [int(line.split(",")[0]) for line in out.splitlines()[1:]] == list(range(len(rows)))
    assert clusters_in(out).tolist() == labels
    assert list(events_in(tmp_path / "events")) == list(model.lineage_)


def events_in(path):
    for line in path.read_text().splitlines():
        found = json.loads(line)
        yield Event(**found | {"before": tuple(found["before"]), "after": tuple(found["after"])})


def test_stream_writes_ids_and_events(data, tmp_path):
    words = ("stream", data, *CHOSEN, "--batch", 50, "--ids", "--events", tmp_path / "events")
    found = phida(*words)
    model, ids = PHIDAPlus(), []
    for begin in range(0, len(X), 50):
        part = X[begin : begin + 50]
        ids += model.partial_fit(part).predict_id(part).tolist()
    assert found.returncode == 0 and clusters_in(found.stdout).tolist() == ids
    assert list(events_in(tmp_path / "events")) == list(model.lineage_)


def test_output_settings_cannot_change_at_resume(data, tmp_path):
    words = stream_words(data, tmp_path, "--events", tmp_path / "events")
    assert invoke(*words).exit_code == 0
    for changed, sentence in (
        (stream_words(data, tmp_path), "--events is not the file"),
        ((*words, "--ids"), "without --ids"),
    ):
        found = invoke(*changed, "--resume")
        assert found.exit_code == 3 and sentence in found.stderr
    other = tmp_path / "other"
    other.write_bytes(b"x" * 100_000)
    found = invoke(*stream_words(data, tmp_path, "--events", other), "--resume")
    assert found.exit_code == 3 and "--events is not the file" in found.stderr and other.stat().st_size == 100_000


def test_existing_output_is_not_overwritten(data, tmp_path):
    PHIDAPlus().fit(X).save(tmp_path / "m")
    for targets, sentence in (
        (("--output", tmp_path / "x", "--events", tmp_path / "x"), "is the name of two outputs"),
        (("--model", tmp_path / "m", "--events", tmp_path / "m"), "is the model"),
        (("--events", "-"), "not a file name"),
    ):
        found = invoke("stream", data, *CHOSEN, *targets)
        assert found.exit_code == 2 and sentence in said(found)
    assert PHIDAPlus.load(tmp_path / "m").n_samples_seen_ == len(X)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_writes_a_last_checkpoint(tmp_path, data, number):
    """The signal arrives during a wait for a pipe; then the producer sends the rest, with or without the header."""
    words = ("stream", "-", *CHOSEN, "--checkpoint", tmp_path / "state", "--every", "1h")
    command = [sys.executable, "-m", "phida", *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write((HEADER + as_csv(X[:50])).encode())
        process.stdin.flush()
        first = b"".join(process.stdout.readline() for _ in range(51)).decode()
        process.send_signal(number)
        notes = process.stderr.read().decode()
        assert process.wait(timeout=PATIENCE) == 130
    assert "next row 50" in notes and "Traceback" not in notes
    header = HEADER if number == signal.SIGINT else ""
    second = phida(*words, "--resume", stdin=header + as_csv(X[50:], 50))
    assert second.returncode == 0 and "resuming at row 50" in second.stderr
    both = np.concatenate([clusters_in(first), clusters_in(second.stdout)])
    model, labels = expected(1)
    assert both.tolist() == labels.tolist()
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), model)


def test_bad_rows_fail_are_skipped_or_logged(tmp_path):
    text = "a,b\n1,2\nx,2\n3,4\n5,nan\n"
    found = phida("stream", "-", stdin=text)
    assert found.returncode == 3
    assert "'x' in column 'a' is not a number. Fix it, or skip such rows with --on-bad-row skip" in found.stderr
    assert found.stdout.splitlines()[1:] == ["0,1,2,0"]
    found = phida("stream", "-", "--on-bad-row", "skip", stdin=text)
    assert found.stdout.splitlines()[1:] == ["0,1,2,0", "2,3,4,0"] and "bad rows 2" in found.stderr
    log = tmp_path / "bad.tsv"
    phida("stream", "-", "--on-bad-row", "log", "--bad-row-log", log, stdin=text)
    assert [line.split("\t")[0] for line in log.read_text().splitlines()] == ["1", "3"]


def test_bad_row_of_a_file_ends_the_run_after_the_rows_before_it(tmp_path):
    """Threads have read further rows by then; fixing the row and resuming gives what an uninterrupted run gives."""
    data, good = tmp_path / "rows.csv", "a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in X.tolist())
    lines = good.splitlines(keepends=True)
    data.write_text("".join([*lines[:351], "1,x,2\n", *lines[352:]]))
    words = ("--batch", 100, "--output", tmp_path / "out.csv", "--checkpoint", tmp_path / "state", "--every", "1h")
    found = phida("stream", data, *words)
    assert found.returncode == 3 and "row 350" in found.stderr and "'x' in column 'b'" in found.stderr
    assert len(clusters_in((tmp_path / "out.csv").read_text())) == 350
    data.write_text(good)
    assert phida("stream", data, *words, "--resume").returncode == 0
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X))
    assert len(clusters_in((tmp_path / "out.csv").read_text())) == len(X)


def test_closed_output_pipe_ends_the_stream_quietly(data):
    command = f"{sys.executable} -m phida stream {data} --exclude id,kind --batch 1 | head -2"
    found = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE)
    assert len(found.stdout.splitlines()) == 2 and "Traceback" not in found.stderr and "Broken" not in found.stderr


def test_existing_model_continues(data, tmp_path):
    PHIDAPlus().partial_fit(X).save(tmp_path / "m.safetensors")
    out = tmp_path / "o.csv"
    words = ("stream", data, *CHOSEN, "--model", tmp_path / "m.safetensors", "--output", out)
    found = invoke(*words, "--checkpoint", tmp_path / "s", "--json")
    assert json.loads(found.stdout)["rows"] == 600
    assert_same_state(PHIDAPlus.load(tmp_path / "s" / "model.safetensors"), PHIDAPlus().partial_fit(X).partial_fit(X))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--resume",), 2, "--resume needs --checkpoint DIR"),
        (("--checkpoint", "s", "--every", "often"), 2, "--every must be a number of rows"),
        (("--checkpoint", "s", "--every", "0"), 2, "--every must be positive"),
        (("--on-bad-row", "log"), 2, "--bad-row-log FILE go together"),
        (("--on-bad-row", "cry"), 2, "--on-bad-row takes fail, skip or log"),
        (("--output-format", "xml"), 2, "--output-format takes one of csv, ndjson, parquet, arrow"),
        (("--columns", "a,z"), 3, "column 'z' does not exist"),
        (("--format", "xls"), 2, "unknown format 'xls'"),
        (("--json",), 2, "--json needs --output FILE"),
        (("--delimiter", ";;"), 2, "--delimiter must be one character"),
        (("--columns", "a,a"), 3, "--columns has 'a' twice; name each column once"),
        (("--columns", "a,b", "--exclude", "b"), 3, "column 'b' is named by --columns, and by --exclude"),
        (("--output", "rows.csv"), 2, "rows.csv is the input; give the output another name"),
        (("--on-bad-row", "log", "--bad-row-log", "rows.csv"), 2, "rows.csv is the input"),
        (("--max-nodes", "7"), 2, "not in the range 8<=x"),
        (("--method", "phida", "--max-nodes", "9"), 2, "--max-nodes is an option of PHIDA+"),
        (("--method", "phida", "--scale", "auto"), 2, "--scale is an option of PHIDA+"),
        (("--format", "parquet", "--follow"), 3, "cannot be read from a pipe or followed"),
        (("--output", "."), 2, ". is a folder; give the name of a file"),
        (("--output", "no/such/folder/out.csv"), 1, "folder no/such/folder does not exist; create it first"),
    ],
)
def test_mistake_gives_one_sentence_and_an_exit_code(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    found = invoke("stream", "rows.csv", *words)
    assert found.exit_code == code
    assert message in said(found) and "Traceback" not in found.output


def test_method_cannot_change_at_resume(tmp_path, data):
    for method, other, kind in (("phida", "phida+", PHIDA), ("phida+", "phida", PHIDAPlus)):
        folder = tmp_path / method
        words = ["stream", str(data), *CHOSEN, "--checkpoint", str(folder), "--output", str(tmp_path / f"{method}.csv")]
        assert invoke(*words, "--method", method).exit_code == 0
        assert_same_state(load(folder / "model.safetensors"), kind().partial_fit(X))
        for again in ([], ["--method", method]):
            assert invoke(*words, *again, "--resume").exit_code == 0
        found = invoke(*words, "--method", other, "--resume")
        assert found.exit_code == 2 and f"was started with --method {method}, which cannot change" in said(found)


def test_limits_apply_and_cannot_change_at_resume(tmp_path, data):
    words = ["stream", str(data), *CHOSEN, "--checkpoint", str(tmp_path / "s"), "--output", str(tmp_path / "o.csv")]
    limits = ["--max-nodes", "12", "--half-life", "200", "--scale", "none"]
    assert invoke(*words, *limits).exit_code == 0
    model = PHIDAPlus.load(tmp_path / "s" / "model.safetensors")
    assert_same_state(model, PHIDAPlus(max_nodes=12, half_life=200, scale=None).partial_fit(X))
    assert invoke(*words, *limits, "--resume").exit_code == 0
    found = invoke(*words, "--max-nodes", "13", "--resume")
    assert found.exit_code == 2 and "was started with max_nodes 12" in said(found)


def test_existing_checkpoint_is_not_overwritten_nor_its_batch_changed(tmp_path, data):
    assert invoke(*stream_words(data, tmp_path)).exit_code == 0
    again = invoke(*stream_words(data, tmp_path))
    assert again.exit_code == 2 and "already holds a checkpoint" in again.stderr
    words = ("stream", data, *CHOSEN, "--checkpoint", tmp_path / "state", "--resume", "--batch", 5)
    assert "was started with --batch 10" in invoke(*words).stderr
    (tmp_path / "out.csv").unlink()
    gone = invoke(*stream_words(data, tmp_path, "--resume"))
    assert gone.exit_code == 3 and "the output is not the one that the stream was started with" in gone.stderr
    (tmp_path / "state" / "model.safetensors").write_bytes(b"rubbish")
    damaged = invoke(*stream_words(data, tmp_path, "--resume"))
    assert damaged.exit_code == 4 and "damaged" in damaged.stderr


def run(*words):
    """Return the exit code and the messages of a command."""
    found = invoke(*words)
    return found.exit_code, said(found)


def test_other_file_at_resume_is_refused(tmp_path, data):
    assert run(*stream_words(data, tmp_path))[0] == 0
    for text in (
        HEADER + as_csv(X[:10]),
        HEADER + as_csv(X[::-1]),
        HEADER.replace("a,b", "b,a") + as_csv(X),
        HEADER + "x" * 10**6,
        (HEADER + as_csv(X)).replace("\n0,", "\n9,", 1),  # only the first row differs
    ):
        data.write_text(text)
        code, message = run(*stream_words(data, tmp_path, "--resume"))
        assert code == 3 and "it does not begin with the" in message
    np.save(tmp_path / "rows.npy", X[:, :2])
    words = ("stream", tmp_path / "rows.npy", "--checkpoint", tmp_path / "other", "--output", tmp_path / "o.csv")
    assert run(*words)[0] == 0
    np.save(tmp_path / "rows.npy", X[:50, :2])
    assert "it does not begin with the rows that the stream has read" in run(*words, "--resume")[1]


def test_last_line_may_be_completed_later(tmp_path):
    data = tmp_path / "rows.csv"
    words = ("stream", data, "--checkpoint", tmp_path / "s", "--output", tmp_path / "o.csv")
    data.write_text("a\n1\n2")
    assert run(*words)[0] == 0
    data.write_text("a\n1\n2\n3\n")
    assert run(*words, "--resume")[0] == 0
    assert [line.split(",")[:2] for line in (tmp_path / "o.csv").read_text().splitlines()[1:]] == [
        ["0", "1"], ["1", "2"], ["2", "3"],
    ]  # fmt: skip


@pytest.mark.parametrize("mark", ["", "\ufeff", "\n "], ids=["plain", "byte order mark", "blanks"])
def test_objects_on_standard_input_are_ndjson(tmp_path, mark):
    lines = "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in X[:40].tolist())
    found = phida("stream", "-", stdin=mark + lines)
    assert found.returncode == 0, found.stderr
    assert [json.loads(line)["row"] for line in found.stdout.splitlines()] == list(range(40))
    fit = phida("fit", "-", "--out", tmp_path / "m", stdin=mark + lines)
    assert fit.returncode == 0 and load(tmp_path / "m").feature_names_in_.tolist() == list(NAMES)
    found = phida("predict", tmp_path / "m", "-", stdin=mark + lines)
    assert [json.loads(line)["row"] for line in found.stdout.splitlines()] == list(range(40))


def test_nested_objects_and_lists_are_refused_by_name():
    found = phida("stream", "-", stdin='{"a": 1, "at": {"x": 1}, "b, c": [1]}\n')
    assert found.returncode == 3 and found.stdout == ""
    message = said(found)
    assert """'at' ('{"x": 1}'), 'b, c' ('[1]'): objects or lists""" in message
    options = shlex.split(message.partition("or add: ")[2])
    assert phida("stream", "-", *options, stdin='{"a": 1, "at": {"x": 1}, "b, c": [1]}\n').returncode == 0


def written(path, rows, kind):
    """Write a file of rows; NaN is a bad row."""
    if path.suffix == ".csv":
        texts = [[f'"{value!r}"' if kind == "quotes" else repr(value) for value in row] for row in rows.tolist()]
        blank = "\r\n" if kind == "blank lines" else ""
        path.write_text("".join(blank + ",".join(row) + "\n" for row in [list(NAMES), *texts]))
    else:
        write_rows(path, rows, chunk=30)


@pytest.mark.parametrize(
    ("suffix", "kind"),
    [("csv", ""), ("csv", "quotes"), ("csv", "blank lines"), ("ndjson", ""), ("npy", ""), ("parquet", "")],
)
@pytest.mark.parametrize("bad", [0, 1, 450, 599])
def test_stream_with_a_bad_row_resumes_from_it(tmp_path, suffix, kind, bad):
    path, output, folder = tmp_path / f"r.{suffix}", tmp_path / "out.csv", tmp_path / "s"
    damaged = X.copy()
    damaged[bad, 1] = np.nan
    written(path, damaged, kind)
    words = ["stream", path, "--checkpoint", folder, "--output", output, "--output-format", "csv", "--batch", "400"]
    code, message = run(*words)
    assert code == 3 and f"row {bad}: column" in message
    assert output.read_text().count("\n") == 1 + bad
    if bad:
        assert state_file.read(folder / "model.safetensors")[1]["stream_position"]["row"] == bad
        written(path, X, kind)  # the row is fixed
        assert run(*words, "--resume")[0] == 0
        assert output.read_text().count("\n") == 1 + len(X)
        assert_same_state(load(folder / "model.safetensors"), PHIDAPlus().partial_fit(X))


def test_second_run_in_one_folder_is_refused(tmp_path, data):
    command = [sys.executable, "-m", "phida", "stream", "-", "--checkpoint", str(tmp_path / "s")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        first.stdin.write(b"a\n1\n")
        first.stdin.flush()
        first.stdout.readline()
        code, message = run("stream", data, *CHOSEN, "--checkpoint", tmp_path / "s", "--output", tmp_path / "o")
        assert code == 1 and "another run is using the checkpoints" in message
        first.stdin.close()
        assert first.wait(timeout=PATIENCE) == 0


def test_output_can_be_read_as_input(tmp_path, data):
    words = ("--exclude", "id,kind,row,cluster")
    assert run("stream", data, *CHOSEN, "--output", tmp_path / "1.csv")[0] == 0
    assert run("stream", tmp_path / "1.csv", *words, "--output", tmp_path / "2.csv")[0] == 0
    header, first = (tmp_path / "2.csv").read_text().splitlines()[:2]
    assert header == "row_,row,id,a,b,c,kind,cluster,cluster_" and first.startswith("0,0,0,")


def test_interrupted_fit_reports_it(tmp_path):
    command = [sys.executable, "-m", "phida", "fit", "-", "--out", str(tmp_path / "m")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # More than a pipe holds, so the command is reading once it is written.
        process.stdin.write("a\n" + "1\n" * 200_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        notes = process.stderr.read()
        assert process.wait(timeout=PATIENCE) == 130
        assert re.match(r"interrupted(; .* has the model of the first .*)?\n", notes)


def test_other_output_at_resume_is_refused(tmp_path, data):
    assert run(*stream_words(data, tmp_path))[0] == 0
    words = ("stream", data, *CHOSEN, "--checkpoint", tmp_path / "state", "--resume")
    assert "the output is not the one" in run(*words)[1]
    assert (
        "started with --output-format csv"
        in run(*words, "--output", tmp_path / "out.csv", "--output-format", "ndjson")[1]
    )
    (tmp_path / "out.csv").write_text("short")
    assert "the output is not the one" in run(*words, "--output", tmp_path / "out.csv")[1]


def test_pipe_at_resume_of_a_file_is_refused(tmp_path, data):
    words = ("--checkpoint", tmp_path / "s", *CHOSEN)
    assert phida("stream", "-", *words, stdin=HEADER + as_csv(X[:20])).returncode == 0
    code, message = run("stream", data, *words, "--resume")
    assert code == 3 and "that the stream was started with" in message


def test_headerless_rows_are_learned_also_after_resume(tmp_path):
    words = ("stream", "-", "--checkpoint", tmp_path / "s")
    assert phida(*words, stdin="5,6\n7,8\n").returncode == 0
    again = phida(*words, "--resume", stdin="0,1\n2,3\n")
    assert [line.split(",")[:3] for line in again.stdout.splitlines()[1:]] == [["2", "0", "1"], ["3", "2", "3"]]


def test_signal_during_a_write_loses_nothing(tmp_path):
    """Unbuffered output to a full pipe; then a signal; then everything is read."""
    rows = np.random.default_rng(0).normal(size=(20_000, 3))
    data = tmp_path / "rows.csv"
    data.write_text("a,b,c\n" + "".join(f"{a!r},{b!r},{c!r}\n" for a, b, c in rows.tolist()))
    command = [sys.executable, "-u", "-m", "phida", "stream", str(data), "--checkpoint", str(tmp_path / "s")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        first = process.stdout.read(1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out = (first + process.stdout.read()).decode()
        notes = process.stderr.read().decode()
        assert process.wait(timeout=PATIENCE) == 130
    lines = out.splitlines()[1:]
    assert [int(line.split(",")[0]) for line in lines] == list(range(len(lines))) and lines[-1].count(",") == 4
    assert f"next row {len(lines):,}" in notes


def test_stream_without_output_writes_checkpoints(tmp_path, data):
    command = f"{sys.executable} -m phida stream {data} --exclude id,kind --checkpoint {tmp_path / 's'} > /dev/null"
    assert subprocess.run(command, shell=True, timeout=PATIENCE).returncode == 0


def test_tab_separated_input_gives_comma_separated_output(tmp_path):
    (tmp_path / "r.tsv").write_text("a\tb\n1\t2\n")
    run("stream", tmp_path / "r.tsv", "--output", tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text() == "row,a,b,cluster\n0,1,2,0\n"
