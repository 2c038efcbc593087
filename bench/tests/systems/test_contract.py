"""scikit-learn's own checks of the batch estimators, and bad input."""

import numpy as np
import pandas as pd
import pytest
from data import blobs
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from phida import PHIDA
from phida_bench.systems import SRPCMHDP, AuToMATo, TopoBARTMAP, TorqueClustering

ESTIMATORS = [
    TorqueClustering(),
    TopoBARTMAP(),
    AuToMATo(n_bootstrap=20, random_state=0),
    SRPCMHDP(n_high_density_points=3, alpha=1.0, random_state=0),
]
everyone = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)


@pytest.fixture(autouse=True)
def with_gudhi(request):
    if any(isinstance(value, AuToMATo) for value in request.node.callspec.params.values()):
        pytest.importorskip("gudhi", reason="gudhi is not installed; it is in the extra phida-bench[tda]")


@parametrize_with_checks(ESTIMATORS)
def test_estimator(estimator, check):
    check(estimator)


@everyone
@pytest.mark.parametrize(
    "X",
    [[[1.0, np.nan]], [[1.0, np.inf]], [["a", "b"]], [["1", "2"]], [[1e150]], np.empty((0, 2)), [1.0, 2.0]],
    ids=repr,
)
def test_bad_input_is_refused(estimator, X):
    with pytest.raises(ValueError) as expected:
        PHIDA().fit(X)
    with pytest.raises(ValueError) as found:
        clone(estimator).fit(X)
    assert str(found.value).replace(type(estimator).__name__, "PHIDA") == str(expected.value)


@everyone
def test_second_fit_gives_the_same_labels_and_counts(estimator):
    X = blobs(120)
    model = clone(estimator).fit(X)
    labels = model.labels_
    np.testing.assert_array_equal(model.fit_predict(X), labels)
    assert labels.dtype == np.int64
    assert sorted(set(labels)) == list(range(model.n_clusters_))


@everyone
def test_tables_keep_their_names(estimator):
    frame = pd.DataFrame(blobs(60), columns=["a", "b", "c"])
    model = clone(estimator).fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.labels_, clone(estimator).fit_predict(frame.to_numpy()))


@everyone
def test_one_row_is_one_cluster(estimator):
    model = clone(estimator).fit([[1.0, 2.0]])
    assert model.labels_.tolist() == [0]


@pytest.mark.parametrize(
    "estimator",
    [
        TorqueClustering(max_memory=0),
        AuToMATo(alpha=1.0),
        AuToMATo(n_bootstrap=0),
        TopoBARTMAP(rho_a=1.1),
        TopoBARTMAP(tau_a=0),
        TopoBARTMAP(phi_a=-1),
        TopoBARTMAP(eta=-2.0),
        TopoBARTMAP(step=0.0),
        SRPCMHDP(n_high_density_points=0),
        SRPCMHDP(alpha=0.0),
        SRPCMHDP(lam=-1.0),
        SRPCMHDP(n_neighbors=0),
        SRPCMHDP(fuzzifier=1.0),
    ],
    ids=str,
)
def test_parameters_are_validated(estimator):
    with pytest.raises(ValueError, match=f"parameter of {type(estimator).__name__} must be"):
        estimator.fit(blobs(20))
