"""Followed files that are rotated, truncated or replaced, and such files at resume."""

import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from states import assert_same_state
from streams_data import X, invoke, phida, said, write_rows
from waiting import PATIENCE

from phida import PHIDAPlus
from phida._streams.batch import DataError
from phida._streams.opening import Source, opened

HEADER = "a,b,c\n"


def lines(rows):
    return "".join(",".join(map(repr, row)) + "\n" for row in rows.tolist())


class Followed:
    """``phida stream --follow`` in a process, and its output rows."""

    def __init__(self, path, folder, *more):
        words = ("stream", path, "--follow", "--checkpoint", folder / "state", "--every", 1, *more)
        command = [sys.executable, "-m", "phida", *map(str, words)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.communicate()

    def rows(self, count):
        """Wait for a total number of output rows."""
        while len(self.seen) < count:
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            if not line.startswith("row,"):
                self.seen.append([float(field) for field in line.split(",")[1:4]])
        return np.array(self.seen)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        messages = self.process.communicate(timeout=PATIENCE)[1]
        assert self.process.returncode == 130, messages
        return messages


def rename(path):
    """As logrotate does by default: the writer continues with the old file until it opens the new one."""
    path.rename(path.with_suffix(".1"))


def copy_and_truncate(path):
    shutil.copy(path, path.with_suffix(".1"))
    os.truncate(path, 0)


@pytest.mark.parametrize("header", [HEADER, ""], ids=["with a header", "without a header"])
@pytest.mark.parametrize("rotate", [rename, copy_and_truncate])
def test_rotation_reads_every_row_once(tmp_path, rotate, header):
    path = tmp_path / "grows.csv"
    path.write_text(HEADER + lines(X[:100]))
    with Followed(path, tmp_path) as followed:
        followed.rows(100)
        rotate(path)
        path.write_text(header + lines(X[100:130]))
        followed.rows(130)
        with path.open("a") as file:
            file.write(lines(X[130:150]))
        assert (followed.rows(150) == X[:150]).all()
        messages = followed.end()
    what = "replaced by a new file" if rotate is rename else "truncated"
    assert f"grows.csv was {what} after byte" in messages and "reading it from its first row" in messages
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X[:150]))
    # The checkpoint belongs to the new file.
    with path.open("a") as file:
        file.write(lines(X[150:160]))
    with Followed(path, tmp_path, "--resume") as followed:
        assert (followed.rows(10) == X[150:160]).all()
        followed.end()


def test_rows_appended_to_the_old_file_after_rotation_are_read(tmp_path):
    path = tmp_path / "grows.csv"
    path.write_text(HEADER + lines(X[:20]))
    with Followed(path, tmp_path) as followed, path.open("a") as old:
        followed.rows(20)
        rename(path)
        old.write(lines(X[20:30]))
        old.flush()
        followed.rows(30)
        path.touch()  # the new file exists, but the writer has not opened it yet
        time.sleep(0.3)
        old.write(lines(X[30:40]).rstrip("\n"))  # the last line is incomplete
        old.flush()
        followed.rows(39)
        path.write_text(HEADER + lines(X[40:50]))
        assert (followed.rows(50) == X[:50]).all()
        followed.end()


def test_file_rewritten_longer_is_a_new_file(tmp_path):
    """Its size alone does not show the change."""
    path = tmp_path / "r.csv"
    path.write_text("a\n1\n2\n")
    said = []
    with opened(Source(str(path), follow=True), notify=said.append) as reader:
        batches = reader.batches(1)
        assert [next(batches).rows[0, 0] for _ in range(2)] == [1, 2]
        path.write_text("a\n7\n8\n9\n10\n")
        assert [next(batches).rows[0, 0] for _ in range(4)] == [7, 8, 9, 10]
    assert len(said) == 1 and "was truncated after byte 6" in said[0]


def test_batch_ends_with_its_file(tmp_path):
    """One offset and one identity then give the end of the batch."""
    path = tmp_path / "r.csv"
    path.write_text("a\n1\n2\n3")
    with opened(Source(str(path), follow=True)) as reader:
        batches = reader.batches(2)
        first = next(batches)
        inode = path.stat().st_ino
        path.rename(tmp_path / "old.csv")
        path.write_text("a\n4\n5\n6\n")
        found = [first, *(next(batches) for _ in range(3))]
        assert [batch.rows[:, 0].tolist() for batch in found] == [[1, 2], [3], [4], [5, 6]]
        assert [batch.place.offset for batch in found] == [6, 7, 4, 8]
        assert [batch.place.file.inode == inode for batch in found] == [True, True, False, False]


@pytest.mark.parametrize("new", ["b,a\n4,3\n", "x\n1\n"])
def test_new_file_with_other_columns_is_refused(tmp_path, new):
    path = tmp_path / "r.csv"
    path.write_text("a,b\n1,2\n")
    with opened(Source(str(path), follow=True)) as reader:
        batches = reader.batches(1)
        next(batches)
        path.rename(tmp_path / "old.csv")
        path.write_text(new)
        with pytest.raises(DataError, match="but the stream started with a, b"):
            next(batches)


def run(*words):
    """Return the exit code and the messages of a command."""
    found = invoke(*words)
    return found.exit_code, found.output


def stopped(tmp_path):
    """A stream stopped in the middle of a file that has grown since."""
    path = tmp_path / "rows.csv"
    path.write_text(HEADER + lines(X[:50]))
    words = ("stream", path, "--batch", 1, "--output", tmp_path / "out.csv", "--checkpoint", tmp_path / "state")
    assert run(*words)[0] == 0
    with path.open("a") as file:
        file.write(lines(X[50:60]))
    return path, words


def written(tmp_path):
    return np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3))


def replaced(path):
    rename(path)
    path.write_text(HEADER + lines(X[60:200]))


def truncated(path):
    copy_and_truncate(path)
    path.write_text(HEADER + lines(X[60:200]))


@pytest.mark.parametrize(("change", "what"), [(replaced, "is another file"), (truncated, "was truncated or rewritten")])
@pytest.mark.parametrize("follow", [(), ("--follow",)])
def test_replaced_file_is_refused_at_resume(tmp_path, change, what, follow):
    """With --follow, the old file is finished under its new name, and the new one is read from its first row."""
    path, words = stopped(tmp_path)
    change(path)
    code, said = run(*words, *follow, "--resume")
    assert code == 3 and f"rows.csv {what}" in said and "--new-file" in said
    assert len(written(tmp_path)) == 50
    old = ("stream", path.with_suffix(".1"), "--format", "csv", *words[2:], "--resume")
    assert run(*old)[0] == 0
    assert run(*words, "--resume", "--new-file")[0] == 0
    assert (written(tmp_path) == X[:200]).all()
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X[:200]))


def test_same_bytes_are_the_same_file(tmp_path):
    """For example after a move to another disk, or from a backup."""
    path, words = stopped(tmp_path)
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    code, said = run(*words, "--resume", "--new-file")
    assert code == 3 and "is the file that the stream was reading" in said
    assert run(*words, "--resume")[0] == 0
    assert (written(tmp_path) == X[:60]).all()


def test_standard_input_from_a_file_is_a_pipe(tmp_path):
    path = tmp_path / "rows.csv"
    words = [sys.executable, "-m", "phida", "stream", "-", "--checkpoint", str(tmp_path / "state")]
    for part, more in ((X[:20], ()), (X[20:30], ("--resume",))):
        path.write_text(HEADER + lines(part))
        with path.open() as file:
            found = subprocess.run([*words, *more], stdin=file, capture_output=True, text=True, timeout=PATIENCE)
        assert found.returncode == 0, found.stderr
    assert "resuming at row 20" in found.stderr
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X[:30]))


@pytest.mark.parametrize(
    ("words", "words_said"),
    [(("--new-file",), "--new-file needs --resume"), (("--resume", "--new-file"), "is for files")],
)
def test_new_file_option_needs_a_resumed_file(tmp_path, words, words_said):
    state = ("--checkpoint", tmp_path / "state")
    assert phida("stream", "-", *state, stdin=HEADER + lines(X[:5])).returncode == 0
    found = phida("stream", "-", *state, *words, stdin=lines(X[5:7]))
    assert found.returncode == 2 and words_said in said(found)


TYPED = ["parquet", "arrow", "npy", "npz", "by columns.npz"]


def save(path, rows, **names):
    if "by columns" in path.name:
        np.savez(path, X=np.asfortranarray(rows))
    else:
        write_rows(path, rows, **names, chunk=30)


@pytest.fixture(params=TYPED)
def typed(request, tmp_path):
    """A stream of a typed file, stopped after 50 rows; the file has grown since."""
    path = tmp_path / f"rows.{request.param}"
    save(path, X[:50])
    words = ("stream", path, "--batch", 7, "--output", tmp_path / "out.csv", "--checkpoint", tmp_path / "state")
    assert run(*words)[0] == 0
    save(path, X[:60])
    return path, words


def test_typed_file_may_grow(typed, tmp_path):
    """A fixed bad row is allowed too: only rows that were read must stay."""
    assert run(*typed[1], "--resume")[0] == 0
    assert (written(tmp_path) == X[:60]).all()
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X[:60]))


def test_replaced_typed_file_is_refused_at_resume(typed, tmp_path):
    path, words = typed
    old = path.with_name(f"old {path.name}")
    path.rename(old)
    changed = {at: X[:60].copy() for at in (0, 49)}
    for at, rows in changed.items():
        rows[at, 2] += 1e-9
    for rows in (*changed.values(), X[:60][::-1], X[:30], X[60:200]):
        save(path, rows)
        code, said = run(*words, "--resume")
        assert code == 3 and f"{path.name} is another file: it does not begin with the rows" in said
    path.write_bytes(b"rubbish")
    assert "is another file" in run(*words, "--resume")[1]
    assert len(written(tmp_path)) == 50
    code, said = run("stream", old, *words[2:], "--resume", "--new-file")
    assert code == 3 and "is the file that the stream was reading" in said
    assert run("stream", old, *words[2:], "--resume")[0] == 0
    save(path, X[60:200])
    assert run(*words, "--resume", "--new-file")[0] == 0
    save(path, X[60:220])  # a second file is recognised like the first
    assert run(*words, "--resume")[0] == 0
    save(path, X[:220])
    assert "it does not begin with the rows" in run(*words, "--resume")[1]
    assert (written(tmp_path) == X[:220]).all()
    numbers = np.loadtxt(tmp_path / "out.csv", delimiter=",", skiprows=1, usecols=0)
    assert numbers.tolist() == list(range(220))
    assert_same_state(PHIDAPlus.load(tmp_path / "state" / "model.safetensors"), PHIDAPlus().partial_fit(X[:220]))


def test_rows_under_other_names_are_another_file(tmp_path):
    path = tmp_path / "rows.parquet"
    save(path, X[:50])
    words = ("stream", path, "--output", tmp_path / "out.csv", "--checkpoint", tmp_path / "state")
    assert run(*words)[0] == 0
    save(path, X[:60], names=("b", "a", "c"))
    assert "it does not begin with the rows" in run(*words, "--resume")[1]


def test_typed_file_in_place_of_a_pipe_is_refused(tmp_path):
    words = ("--checkpoint", tmp_path / "state")
    assert phida("stream", "-", *words, stdin=HEADER + lines(X[:50])).returncode == 0
    save(tmp_path / "rows.parquet", X[:60])
    code, said = run("stream", tmp_path / "rows.parquet", *words, "--resume")
    assert code == 3 and "is not the input that the stream was started with" in said
