"""Records are written completely or not at all."""

import hashlib

import numpy as np
import pytest

from phida_bench import records
from phida_bench.records import Record, Trial

TRIAL = Trial("nonstationary", "iris", "PHIDA", 4)
RECORD = Record(
    TRIAL, "ok", "", {"lam": 3}, (np.array([0, 1]), np.array([0, -1, 300])), 5, 2, (0.1, 0.2), (0.0, 0.1), 1000,
    {"phida": "1"}, {"processor": "some"}, "digest",
)  # fmt: skip


def test_record_is_read_as_written(tmp_path):
    records.write(RECORD, tmp_path)
    back = records.read(TRIAL, tmp_path)
    assert [stage.tolist() for stage in back.labels] == [[0, 1], [0, -1, 300]]
    for name in ("trial", "status", "reason", "parameters", "n_nodes", "n_clusters", "learn_seconds", "label_seconds",
                 "peak_memory", "versions", "machine", "digest"):  # fmt: skip
        assert getattr(back, name) == getattr(RECORD, name), name
    assert list(records.trials(tmp_path)) == [TRIAL]


def test_facts_are_read_without_labels(tmp_path):
    records.write(RECORD, tmp_path)
    assert records.read(TRIAL, tmp_path, with_labels=False).labels == ()


@pytest.mark.parametrize("length", [0, 10, 200])
def test_damaged_record_counts_as_missing(tmp_path, length):
    records.write(RECORD, tmp_path)
    path = TRIAL.path(tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    assert records.read(TRIAL, tmp_path) is None


def test_failed_write_leaves_no_file(tmp_path, monkeypatch):
    records.write(RECORD, tmp_path)
    before = TRIAL.path(tmp_path).read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        records.write(RECORD, tmp_path)
    assert TRIAL.path(tmp_path).read_bytes() == before
    assert [path.name for path in TRIAL.path(tmp_path).parent.iterdir()] == ["004.npz"]


def test_other_files_are_ignored(tmp_path):
    for name in ("tuned/stationary/iris/GNG.npz", "stationary/iris/PHIDA/notes.npz"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    assert list(records.trials(tmp_path)) == []


def test_same_records_pack_into_the_same_bytes(tmp_path):
    folder = tmp_path / "results"
    for seed in range(3):
        records.write(Record(Trial("stationary", "iris", "PHIDA", seed), "ok", labels=(np.arange(5),)), folder)
    records.add_command("phida-bench run", folder)
    digests = {records.pack(folder, tmp_path / name) for name in ("a.tar.xz", "b.tar.xz")}
    assert digests == {hashlib.sha256((tmp_path / "a.tar.xz").read_bytes()).hexdigest()}
    records.unpack(tmp_path / "a.tar.xz", tmp_path / "again")
    assert list(records.trials(tmp_path / "again")) == list(records.trials(folder))
    assert records.commands(tmp_path / "again") == ["phida-bench run"]
    again = records.read(Trial("stationary", "iris", "PHIDA", 2), tmp_path / "again")
    assert again.labels[0].tolist() == [0, 1, 2, 3, 4]


def test_invalid_archive_is_refused(tmp_path):
    path = tmp_path / "records.tar.xz"
    path.write_bytes(b"not an archive")
    with pytest.raises(ValueError, match=r"records\.tar\.xz is not an archive of records"):
        records.unpack(path, tmp_path)
