"""TableDC and G-CEALS as estimators, with networks that are trained quickly."""

import doctest
import importlib

import numpy as np
import pytest

pytest.importorskip("jax", reason='needs JAX: pip install "./bench[deep]"')

from data import blobs
from sklearn.cluster import Birch
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida_bench.systems import GCEALS, DoesNotFit, TableDC
from phida_bench.systems.g_ceals import BalancedBatches
from phida_bench.systems.tabledc import first_centres

X = blobs(90, d=4, centers=3, spread=8.0)


def tabledc(**parameters):
    return TableDC(
        **{"n_clusters": 3, "hidden_size": 16, "latent_size": 4, "epochs": 5, "random_state": 0} | parameters
    )


def g_ceals(**parameters):
    small = {"n_clusters": 3, "hidden_sizes": (16, 16), "latent_size": 4, "pretrain_epochs": 30, "epochs": 5}
    return GCEALS(**small | {"random_state": 0} | parameters)


# The contract does not depend on training, and each of its many shapes would be compiled.
@parametrize_with_checks([tabledc(pretrain_epochs=0, epochs=1), g_ceals(pretrain_epochs=0, epochs=1)])
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ["tabledc", "g_ceals"])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(f"phida_bench.systems.{name}"))
    assert result.attempted > 3
    assert result.failed == 0


@pytest.mark.parametrize("make", [tabledc, g_ceals])
def test_same_seed_gives_same_labels_and_another_seed_other_weights(make):
    first = make(n_clusters=9, random_state=1).fit_predict(X)
    np.testing.assert_array_equal(make(n_clusters=9, random_state=1).fit_predict(X), first)
    assert (make(n_clusters=9, random_state=2).fit_predict(X) != first).any()


def large_tabledc(**parameters):
    """Return TableDC with a network wide enough for known results; the other tests need only small ones."""
    return tabledc(**{"hidden_size": 128, "latent_size": 10, "epochs": 20} | parameters)


@pytest.mark.parametrize("make", [large_tabledc, g_ceals])
def test_distant_groups_are_found(make):
    groups = np.repeat([[0.0] * 4, [9.0] * 4, [0.0, 0.0, 9.0, 9.0]], 40, axis=0)
    truth = np.repeat(range(3), 40)
    labels = make().fit_predict(groups + np.random.default_rng(0).normal(size=groups.shape))
    assert adjusted_rand_score(truth, labels) > 0.95


@pytest.mark.parametrize("make", [tabledc, g_ceals])
def test_number_of_clusters_is_the_parameter(make):
    assert make(n_clusters=5).fit(X).n_clusters_ == 5
    with pytest.raises(ValueError, match="n_samples=4 should be >= n_clusters=5"):
        make(n_clusters=5).fit(X[:4])


@pytest.mark.parametrize("make", [tabledc, g_ceals])
def test_one_epoch_labels_by_the_first_centres(make):
    labels = make(epochs=1, pretrain_epochs=0).fit_predict(X)
    assert set(labels) == {0, 1, 2}


@pytest.mark.parametrize("make", [tabledc, g_ceals])
def test_one_cluster(make):
    assert set(make(n_clusters=1).fit_predict(X)) == {0}


def test_diverging_training_raises_an_error():
    for astray in (tabledc(), tabledc(pretrain_epochs=0, learning_rate=1e30)):
        with pytest.raises(ValueError, match=r"Training diverged.*Rescale the features"):
            astray.fit(1e30 * X if astray.pretrain_epochs else X)


def test_centres_are_means_of_birch():
    points = X.astype(np.float32)
    centres = first_centres(points, 3, np.random.RandomState(0), None)
    labels = Birch(n_clusters=3).fit_predict(points)
    np.testing.assert_allclose(centres, [points[labels == k].mean(axis=0) for k in range(3)], rtol=1e-6)


def test_centres_that_birch_does_not_find_are_rows():
    points = 1e-3 * X.astype(np.float32)
    centres = first_centres(points, 4, np.random.RandomState(0), None)
    np.testing.assert_allclose(centres[0], points.mean(axis=0), rtol=1e-3)
    assert all((points == centre).all(axis=1).any() for centre in centres[1:])


def test_birch_beyond_the_memory_limit_is_refused():
    with pytest.raises(DoesNotFit, match="TableDC would need"):
        tabledc(max_memory=100).fit(X)


def test_balanced_batches():
    labels = np.repeat([0, 1, 2], [50, 7, 20]).astype(np.int32)
    batch = BalancedBatches(labels, 256, np.random.RandomState(0)).draw()
    assert np.bincount(labels[batch]).tolist() == [7, 7, 7]
    assert len(np.unique(batch)) == 21
    assert len(BalancedBatches(labels, 10, np.random.RandomState(0)).draw()) == 9


def test_balanced_batches_of_a_cluster_with_one_row():
    labels = np.array([0, 0, 0, 1, 2, 2], dtype=np.int32)
    assert len(BalancedBatches(labels, 2, np.random.RandomState(0)).draw()) == 3


def test_training_ends_when_a_cluster_vanishes():
    assert g_ceals(epochs=50, stop_factor=0.0).fit(X).n_iter_ == 50
    assert g_ceals(epochs=50, stop_factor=0.999).fit(X).n_iter_ == 2


def test_diverging_training_keeps_the_last_labels_of_g_ceals():
    model = g_ceals(epochs=20, learning_rate=1e30, pretrain_epochs=0).fit(X)
    assert model.n_iter_ < 20
    np.testing.assert_array_equal(model.labels_, g_ceals(epochs=1, pretrain_epochs=0).fit_predict(X))


@pytest.mark.parametrize("sizes", [("a",), (0,), (8.5,)])
def test_widths_of_layers_are_checked(sizes):
    with pytest.raises(ValueError, match="hidden_sizes must be positive integers"):
        g_ceals(hidden_sizes=sizes).fit(X)
    assert len(set(g_ceals(hidden_sizes=[8]).fit_predict(X))) == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_all_rows_equal():
    for model in (tabledc(), g_ceals()):
        assert len(model.fit(np.ones((20, 2))).labels_) == 20


def test_k_means_warns_of_too_few_distinct_rows():
    with pytest.warns(ConvergenceWarning):
        g_ceals().fit(np.ones((20, 2)))


def test_g_ceals_ignores_scale_and_offset_of_features():
    """G-CEALS standardises features, and powers of two do not round."""
    scaled = X * 2.0 ** np.arange(4)
    np.testing.assert_array_equal(g_ceals().fit_predict(scaled), g_ceals().fit_predict(X))


def test_g_ceals_can_use_unscaled_features():
    rows = StandardScaler().fit_transform(X)
    np.testing.assert_array_equal(g_ceals(standardise=False).fit_predict(rows), g_ceals().fit_predict(X))


def test_iris():
    """The scores are rounded: processors differ in the last bits of float32."""
    data = load_iris()
    scores = [
        adjusted_rand_score(data.target, make(epochs=20).fit_predict(data.data)) for make in (large_tabledc, g_ceals)
    ]
    np.testing.assert_allclose(scores, [0.37, 0.56], atol=0.1)
