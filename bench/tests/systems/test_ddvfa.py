"""Distributed Dual Vigilance Fuzzy ART against its oracle."""

import numpy as np
import pytest

from phida_bench.systems import DDVFA
from phida_bench.systems.ddvfa import LINKAGES
from systems.oracle_ddvfa import OracleDDVFA
from systems.streams import DATA, STREAMS, whole

DEFAULTS = {"rho_lb": 0.7, "rho_ub": 0.85, "gamma": 3.0, "gamma_ref": 1.0, "alpha": 1e-3, "beta": 1.0}
SETTINGS = {
    "defaults": DEFAULTS,
    "loose": DEFAULTS | {"rho_lb": 0.4, "rho_ub": 0.7},
    "exponents": DEFAULTS | {"rho_lb": 0.5, "gamma": 2.5, "gamma_ref": 0.7},
    "slow": DEFAULTS | {"rho_lb": 0.45, "rho_ub": 0.75, "beta": 0.5},
}


def limits_of(stages):
    rows = np.concatenate(stages)
    return np.array([rows.min(axis=0), rows.max(axis=0)])


def assert_same(model, oracle):
    state = model._system.__getstate__()
    boxes, counts, clusters = oracle.categories()
    np.testing.assert_array_equal(model.nodes_, boxes)
    assert (state["count"].tolist(), state["cluster"].tolist()) == (counts, clusters)
    assert (model.n_nodes_, model.n_clusters_) == (len(boxes), len(oracle.clusters))


CASES = [("single", name) for name in SETTINGS] + [(linkage, "loose") for linkage in LINKAGES[1:]]


@pytest.mark.parametrize(("linkage", "name"), CASES)
@pytest.mark.parametrize("stream", STREAMS)
def test_native_equals_oracle(stream, linkage, name):
    parameters, n_stages = SETTINGS[name], len(STREAMS[stream])
    stages = [rows[: 100 // n_stages] for rows in STREAMS[stream]]
    limits = limits_of(stages)
    model = DDVFA(linkage=linkage, feature_range=limits, **parameters)
    oracle = OracleDDVFA(linkage=linkage, limits=limits, **parameters)
    for rows in stages:
        model.partial_fit(rows)
        oracle.learn(rows)
        assert_same(model, oracle)
    some = np.concatenate(STREAMS[stream])[-40:]
    np.testing.assert_array_equal(model.predict(some), oracle.assign(some))
    twin = DDVFA(linkage=linkage, feature_range=limits, no_match="best", **parameters)
    for rows in stages:
        twin.partial_fit(rows)
    np.testing.assert_array_equal(twin.predict(some), oracle.assign(some, best=True))


def test_each_call_can_be_scaled_by_its_own_range():
    stages = STREAMS["iris by class"]
    model = DDVFA(scaling="per_call", **DEFAULTS)
    oracle = OracleDDVFA(linkage="single", limits=None, **DEFAULTS)
    for rows in stages:
        model.partial_fit(rows)
        oracle.learn(rows, limits_of([rows]))
        assert_same(model, oracle)
    rows = np.concatenate(stages)
    oracle.limits = limits_of(stages)
    np.testing.assert_array_equal(model.predict(rows), oracle.assign(rows))
    oracle.limits = 2 * oracle.limits
    model = DDVFA(scaling="per_call", feature_range=oracle.limits, **DEFAULTS)
    for rows in stages:
        model.partial_fit(rows)
    np.testing.assert_array_equal(model.predict(rows), oracle.assign(rows))


def test_without_a_range_the_first_call_gives_it():
    first, second, _ = STREAMS["iris by class"]
    model = DDVFA().partial_fit(first).partial_fit(second)
    known = DDVFA(feature_range=limits_of([first])).partial_fit(first).partial_fit(second)
    np.testing.assert_array_equal(model.nodes_, known.nodes_)
    assert model.nodes_.min() >= 0.0 and model.nodes_.max() <= 1.0


def test_known_result():
    (rows,) = whole("iris", seed=1)
    model = DDVFA(rho_lb=0.5, rho_ub=0.8).fit(rows)
    assert (model.n_nodes_, model.n_clusters_) == (27, 2)


def test_rows_beyond_the_cap_are_not_learned():
    X = DATA["digits"][0][:100]
    limits = limits_of([X])
    model = DDVFA(rho_lb=0.85, max_clusters=7, feature_range=limits).fit(X)
    oracle = OracleDDVFA(**DEFAULTS | {"rho_lb": 0.85}, linkage="single", limits=limits, max_clusters=7)
    oracle.learn(X)
    assert_same(model, oracle)
    assert model.n_clusters_ == 7
    assert -1 in model.labels_
    assert DDVFA(rho_lb=0.85, max_clusters=7, no_match="best").fit(X).labels_.min() == 0


def test_one_row_is_one_cluster():
    model = DDVFA().fit([[3.0, 4.0]])
    assert (model.n_nodes_, model.n_clusters_, model.labels_.tolist()) == (1, 1, [0])
    assert model.nodes_.tolist() == [[0.0, 0.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rho_lb": 0.9}, "rho_ub must be at least rho_lb, got 0.85 and 0.9"),
        ({"gamma": 1.0}, "gamma_ref must be smaller than gamma"),
        ({"feature_range": [[0.0, 1.0]]}, r"shape \(2, 2\), got \(1, 2\)"),
        ({"feature_range": [[0.0, 2.0], [1.0, 1.0]]}, "smallest values first"),
        ({"feature_range": [[0.0, np.nan], [1.0, 1.0]]}, "NaN"),
        ({"linkage": "ward"}, "'linkage' parameter of DDVFA"),
    ],
)
def test_parameters_are_validated(parameters, message):
    with pytest.raises(ValueError, match=message):
        DDVFA(**parameters).fit([[0.0, 0.0], [1.0, 1.0]])
