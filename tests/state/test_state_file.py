"""Model files: saving, loading, other versions and damage."""

import copy
import errno
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from data import drifting
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from states import assert_same_state, state_of
from waiting import PATIENCE

from phida import PHIDA, PHIDAPlus, StateFileError, load, state_file
from phida._pipeline import Pipeline
from phida._safetensors import metadata_of, packed

X = drifting(400)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.safetensors"
    PHIDA().partial_fit(X[:200]).save(path)
    return path.read_bytes()


MODELS = [PHIDA(), PHIDAPlus(), PHIDAPlus(max_nodes=12, half_life=80.0, scale=None)]


@pytest.mark.parametrize("unfitted", MODELS, ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 57, 200, 333])
def test_saved_and_loaded_model_continues_to_the_same_bits(tmp_path, n, unfitted):
    path = tmp_path / "m.safetensors"
    model = clone(unfitted).partial_fit(X[:n])
    model.save(path)
    loaded = type(model).load(path)
    assert_same_state(loaded, model)
    assert_same_state(loaded.partial_fit(X[n:]), clone(unfitted).partial_fit(X))
    assert loaded.predict(X).tolist() == model.partial_fit(X[n:]).predict(X).tolist()


def test_file_names_its_estimator(tmp_path):
    PHIDA().fit(X).save(tmp_path / "published")
    PHIDAPlus().fit(X).save(tmp_path / "plus")
    with pytest.raises(StateFileError, match=r"it is a model of phida\.PHIDA, not of phida\.PHIDAPlus"):
        PHIDAPlus.load(tmp_path / "published")
    with pytest.raises(StateFileError, match=r"it is a model of phida\.PHIDAPlus, not of phida\.PHIDA"):
        PHIDA.load(tmp_path / "plus")


def test_parameters_names_and_position_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["α", "b", "c d"])
    model = PHIDAPlus(max_nodes=50, scale="standard", compute_labels=False).fit(frame)
    model.save(tmp_path / "m", position={"row": 17})
    loaded = PHIDAPlus.load(tmp_path / "m")
    assert loaded.get_params() == model.get_params()
    assert loaded.feature_names_in_.tolist() == ["α", "b", "c d"]
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()
    assert state_file.read(tmp_path / "m")[1]["stream_position"] == {"row": 17}
    with pytest.raises(ValueError, match="feature names"):
        loaded.partial_fit(frame.rename(columns={"b": "x"}))


@pytest.mark.parametrize("read", [PHIDA.load, PHIDAPlus.load, load, Pipeline.load])
def test_file_of_an_earlier_format_is_refused_with_advice(tmp_path, made, monkeypatch, read):
    monkeypatch.setattr(state_file, "VERSION", 4)
    rewritten(tmp_path / "m", *made)
    monkeypatch.undo()
    sentence = 'has format version 4, written by phida "0"; this phida reads version 5. Fit a new model.'
    with pytest.raises(StateFileError, match=sentence):
        read(tmp_path / "m")


def test_file_that_the_safetensors_package_wrote_loads(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    model = PHIDAPlus(max_nodes=12).partial_fit(X[:200])
    model.save(tmp_path / "m")
    header, arrays = metadata_of(model.to_bytes()), safetensors.load_file(tmp_path / "m")
    assert all(array.dtype.kind in "fiu" for array in arrays.values())
    assert_same_state(PHIDAPlus.from_bytes(safetensors.save(arrays, header)), model)


def test_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        PHIDA().save(tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_failing_save_keeps_the_old_file_and_leaves_no_other(tmp_path, monkeypatch, content):
    path = tmp_path / "m.safetensors"
    path.write_bytes(content)

    def full(handle):
        raise OSError(errno.ENOSPC, "disk full")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"disk full: .*m\.safetensors"):
        PHIDA().fit(X).save(path)
    assert path.read_bytes() == content and list(tmp_path.iterdir()) == [path]


def test_save_killed_at_any_moment_leaves_a_complete_file(tmp_path):
    """A process that saves in a loop is killed; the file that it leaves must load."""
    path = tmp_path / "m.safetensors"
    code = (
        "import sys, numpy as np; from phida import PHIDA\n"
        "X = np.random.default_rng(0).normal(size=(3000, 40)); m = PHIDA()\n"
        "while True: m.partial_fit(X[:50]); m.save(sys.argv[1]); print(flush=True)"
    )
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE)
        for _ in range(3):
            process.stdout.readline()
        process.kill()
        process.wait()
        process.stdout.close()
        assert PHIDA.load(path).n_samples_seen_ % 50 == 0


def refused(path, content, match):
    path.write_bytes(content)
    with pytest.raises(StateFileError, match=match):
        PHIDA.load(path)
    with pytest.raises(StateFileError, match=match):
        PHIDA.from_bytes(content)


def test_to_bytes_equals_the_file(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    model = PHIDA.from_bytes(content)
    assert_same_state(model, PHIDA.load(tmp_path / "m"))
    assert_same_state(PHIDA.from_bytes(model.to_bytes()), model)


def test_file_cut_anywhere_is_refused(tmp_path, content):
    for length in [*range(0, 64), *range(64, len(content), 97), len(content) - 1]:
        refused(tmp_path / "m", content[:length], "damaged, incomplete")


def test_file_with_one_changed_bit_is_refused(tmp_path, content):
    for at in [*range(0, 3000, 13), *range(3000, len(content), 211)]:
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        refused(tmp_path / "m", bytes(changed), "damaged|not a phida model|version|lacks")


def test_foreign_files_are_refused(tmp_path):
    refused(tmp_path / "m", packed({"weights": np.zeros(3)}, {}), "not a phida model")
    refused(tmp_path / "m", b"PK\x03\x04 a zip file, or a pickle", "is not a phida model")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        PHIDA.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError, match="is a folder; a model is a file"):
        PHIDA.load(tmp_path)


def test_file_that_cannot_be_written_is_named(tmp_path):
    model = PHIDA().partial_fit(X[:200])
    with pytest.raises(IsADirectoryError, match="is a folder; models are saved to files"):
        model.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere does not exist; create it first"):
        model.save(tmp_path / "nowhere" / "m.safetensors")


@pytest.fixture
def made():
    model = PHIDA().partial_fit(X[:200])
    facts = {"library_version": "0", "params": model.get_params(), "feature_names": None, "n_seen": 200}
    return state_of(model), facts | {"stream_position": None}


def rewritten(path, state, facts):
    """Write a file of any state and facts with a valid digest."""
    state_file.write(path, state, facts)
    return path.read_bytes()


def test_newer_format_asks_for_an_upgrade(tmp_path, made, monkeypatch):
    monkeypatch.setattr(state_file, "VERSION", 6)
    newer = rewritten(tmp_path / "made", *made)
    monkeypatch.undo()
    refused(tmp_path / "m", newer, 'format version 6, written by phida "0"; this phida reads version 5. Upgrade')


@pytest.mark.parametrize(
    "facts",
    [
        {"params": {"compute_labels": 7}}, {"params": {"k": 3}}, {"params": 3}, {"params": {}},
        {"feature_names": ["a"]},
        {"feature_names": [1, 2, 3]}, {"feature_names": 7}, {"n_seen": 3},
    ],
)  # fmt: skip
def test_contradictory_facts_are_refused(tmp_path, made, facts):
    state, valid = made
    refused(tmp_path / "m", rewritten(tmp_path / "made", state, valid | facts), "does not hold a valid model")


def test_file_without_its_facts_is_refused(tmp_path, made):
    state, valid = made
    for missing in valid:
        content = rewritten(tmp_path / "made", state, {name: v for name, v in valid.items() if name != missing})
        refused(tmp_path / "m", content, f"it lacks '{missing}'")
    header = {"format": "phida-state", "format_version": "5", "state": "{"}
    header["sha256"] = state_file._digest(header, {})
    refused(tmp_path / "m", packed({"x": np.zeros(1)}, header), "damaged|lacks")


def test_file_contains_no_pickle(content, tmp_path):
    (tmp_path / "m").write_bytes(content)
    assert b"pickle" not in content and b"numpy.core" not in content
    length = int.from_bytes(content[:8], "little")
    assert json.loads(content[8 : 8 + length])["__metadata__"]["format"] == "phida-state"


def test_same_model_gives_the_same_bytes(tmp_path):
    """In one process and in another; for the model, its copy and its file."""
    model = PHIDA().fit(X)
    content = model.to_bytes()
    assert all(model.to_bytes() == content for _ in range(20))
    assert copy.deepcopy(model).to_bytes() == content
    model.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == content
    code = f"from phida import PHIDA; print(PHIDA.load({str(tmp_path / 'm')!r}).to_bytes().hex())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert bytes.fromhex(found.stdout) == content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_saving_does_not_replace_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="a device or a pipe"):
        PHIDA().fit(drifting(30)).save(path)
    assert path.is_fifo() and list(tmp_path.iterdir()) == [path]
