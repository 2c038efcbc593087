"""Dimension reductions of embeddings, learned once."""

import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida import PHIDAPlus, StateFileError, embeddings
from phida.embeddings import Reducer

rng = np.random.default_rng(0)
Y = rng.integers(5, size=600)
X = 3 * rng.normal(size=(5, 48))[Y] + rng.normal(size=(600, 48))
LINEAR = pytest.mark.parametrize("method", ["pca", "random"])


@parametrize_with_checks([Reducer("random", 2), Reducer("pca", 1)])
def test_reducer_passes_scikit_learn_checks(estimator, check):
    check(estimator)


def test_pca_equals_pca_of_normalised_rows():
    expected = PCA(7, svd_solver="full").fit(normalize(X))
    found = Reducer(n_components=7).fit(X)
    signs = np.sign((found.components_ * expected.components_).sum(axis=1))
    np.testing.assert_allclose(found.transform(X), normalize(signs * expected.transform(normalize(X))), atol=1e-11)
    axes = found.components_
    assert (axes[np.arange(7), np.abs(axes).argmax(axis=1)] > 0).all()


def test_pca_in_blocks_equals_pca_of_all_rows(monkeypatch):
    expected = Reducer(n_components=7).fit(X)
    monkeypatch.setattr(embeddings, "_TOGETHER", 100 * X.shape[1])
    found = Reducer(n_components=7).fit(X)
    np.testing.assert_allclose(found.mean_, expected.mean_, atol=1e-14)
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-11)


def test_fit_of_float32_makes_no_copy_of_all_rows(monkeypatch):
    rows = np.tile(X.astype(np.float32), (50, 1))
    monkeypatch.setattr(embeddings, "_TOGETHER", 1000 * X.shape[1])
    tracemalloc.start()
    try:
        Reducer(n_components=7).fit(rows)
        assert tracemalloc.get_traced_memory()[1] < rows.nbytes
    finally:
        tracemalloc.stop()


def test_random_projection_keeps_cosines_approximately():
    reduced = Reducer("random", 2000).fit(X[:1]).transform(X)
    np.testing.assert_allclose(reduced @ reduced.T, normalize(X) @ normalize(X).T, atol=0.2)


@LINEAR
def test_only_the_first_batch_is_learned(method):
    reducer = Reducer(method, 6).partial_fit(X[:100])
    before = reducer.transform(X)
    np.testing.assert_array_equal(reducer.partial_fit(-5 * X[100:] + 3).transform(X), before)
    np.testing.assert_array_equal(clone(reducer).fit(X[:100]).transform(X), before)
    parts = np.concatenate([reducer.transform(part) for part in np.array_split(X, 7)])
    np.testing.assert_allclose(parts, before, atol=1e-15)


@LINEAR
def test_reduced_rows_keep_their_clusters(method):
    model = make_pipeline(Reducer(method, 16), PHIDAPlus())
    assert adjusted_rand_score(Y, model.fit(X).predict(X)) > 0.95


@LINEAR
def test_float32_rows_are_reduced_without_a_whole_copy(method):
    reducer = Reducer(method, 2).fit(X)
    rows = np.tile(X.astype(np.float32), (200, 1))
    tracemalloc.start()
    try:
        reduced = reducer.transform(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak - reduced.nbytes < 2 * rows.nbytes  # float64 takes 2, its rows of length 1 another 2
    np.testing.assert_allclose(reduced[-600:], reducer.transform(X), atol=1e-6)


def test_sparse_rows_are_reduced_by_the_truncated_svd():
    rows = np.where(X > 1, X, 0)
    rows[3] = 0
    reducer = Reducer("pca", 8).fit(sparse.csr_array(rows))
    found = reducer.transform(sparse.csr_matrix(rows))
    assert isinstance(found, np.ndarray) and not found[3].any()
    np.testing.assert_allclose(found, reducer.transform(rows), atol=1e-12)
    kept = normalize(rows) @ reducer.components_.T
    best = np.linalg.svd(normalize(rows), compute_uv=False)[:8]
    assert (kept**2).sum() > 0.99 * (best**2).sum()
    with pytest.raises(TypeError, match=r'Sparse data .* method="random" needs dense rows; use method="pca"'):
        Reducer("random", 8).fit(sparse.csr_array(rows))


@LINEAR
def test_saved_reduction_gives_the_same_bits(tmp_path, method):
    reducer = Reducer(method, 6, random_state=3).fit(X)
    reducer.save(tmp_path / "r.safetensors")
    loaded = Reducer.load(tmp_path / "r.safetensors")
    assert loaded.get_params() == reducer.get_params()
    np.testing.assert_array_equal(loaded.transform(X), reducer.transform(X))
    with pytest.raises(ValueError, match="47 features"):
        loaded.transform(X[:, 1:])


def test_other_files_are_refused(tmp_path):
    PHIDAPlus().fit(X).save(tmp_path / "model.safetensors")
    (tmp_path / "damaged.safetensors").write_bytes(b"not a file of tensors")
    for name in ("model", "damaged"):
        with pytest.raises(StateFileError, match=rf"{name}\.safetensors does not hold a reduction"):
            Reducer.load(tmp_path / f"{name}.safetensors")


def test_too_few_first_rows_are_refused():
    with pytest.raises(ValueError, match=r"n_components=32 needs at least 32 rows.*Pass more rows to the first call"):
        Reducer(n_components=32).partial_fit(X[:20])


@pytest.mark.filterwarnings("ignore")  # from umap-learn
def test_umap_separates_groups():
    pytest.importorskip("umap", reason="umap-learn is not installed")
    reducer = Reducer("umap", 4).partial_fit(X[:300])
    before = reducer.transform(X[300:])
    assert before.shape == (300, 4) and before.dtype == np.float64
    assert adjusted_rand_score(Y[300:], PHIDAPlus().fit(before).labels_) > 0.8
    with pytest.raises(ValueError, match=r"joblib\.dump"):
        reducer.save("unused.safetensors")


def test_missing_umap_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match=r'pip install "phida\[embeddings\]"'):
        Reducer("umap", 4).fit(X)
