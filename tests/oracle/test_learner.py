"""Complete learners on short streams: both modes, every ablation switch."""

from unittest.mock import patch

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from states import view_as_it_is

from oracle.learner import OracleLearner
from oracle.transform import Transform
from phida import _core

MODES = ["equations", "released"]
ABLATIONS = [{}, {"ph": False}, {"refresh": False}, {"remove": False}, {"prune": False}, {"mapping": False}]


def assert_step(native, oracle):
    assert native["event"] == oracle.event
    assert native["refreshed"] == oracle.refreshed
    assert native.get("winner") == oracle.winner
    assert native.get("runner_up") == oracle.runner_up
    if oracle.similarity:
        assert native["runner_up_updated"] == oracle.runner_up_updated
        np.testing.assert_allclose(native["similarity"], oracle.similarity, rtol=1e-9)


def assert_state(native, oracle):
    state = native.__getstate__()
    for name in ("support", "active", "birth", "component"):
        assert state[name].tolist() == getattr(oracle, name).tolist(), name
    counts = {
        "n_seen": oracle.n_seen,
        "interval": oracle.interval,
        "since_refresh": oracle.since_refresh,
        "since_recalculation": oracle.since_recalc,
        "n_components": oracle.n_components,
        "n_clusters": oracle.n_clusters,
        "samples_kept": oracle.keep or 0,
        "metric_present": oracle.transform is not None,
    }
    assert {name: state[name] for name in counts} == counts
    size = np.max(np.abs(oracle.buffer))
    reals = {
        "vigilance": (oracle.vigilance, 1),
        "ratio": (oracle.ratio, 1),
        "representative": (oracle.representatives, size),
        "mean": (oracle.mean, size),
        "m2": (oracle.m2, size**2),
        "scale": (oracle.scale, size),
        "stream_mean": (oracle.global_mean, size),
        "stream_m2": (oracle.global_m2, size**2),
        "samples": (np.array(oracle.buffer), size),
    }
    for name, (value, unit) in reals.items():
        np.testing.assert_allclose(state[name], value, rtol=1e-9, atol=1e-10 * unit, err_msg=name)


def assert_same_learning(rows, mode, switches):
    native = _core.Learner(rows.shape[1], released=mode == "released", **switches)
    oracle = OracleLearner(mode, **switches)
    for row in rows:
        native.learn(row[None])
        assert_step(native.last_step(), oracle.learn_one(row))
        assert_state(native, oracle)
        if oracle.view and native.last_step()["refreshed"]:
            assert view_as_it_is(native).nodes()["cluster"].tolist() == oracle.cluster.tolist()
    if switches.get("mapping", True):
        native.end_learning()
        oracle.end_learning()
        assert_state(native, oracle)
        np.testing.assert_array_equal(native.reading().assign(rows), oracle.predict(rows))
    return native


streams = strategies.rows(
    st.sampled_from([strategies.normal, strategies.scaled, strategies.clustered, strategies.constant_columns]),
    n=(1, 70),
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("switches", ABLATIONS, ids=lambda s: next(iter(s), "whole"))
@settings(max_examples=12)
@given(rows=streams)
def test_short_streams_equal_oracle(mode, switches, rows):
    assert_same_learning(rows, mode, switches)


def scaled_groups():
    rng = np.random.default_rng(7)
    centers = 2 * rng.normal(size=(6, 5))
    noise = rng.normal(size=(300, 5)) * rng.choice([0.3, 1.5], size=(300, 1))
    return (centers[rng.integers(0, 6, size=300)] + noise) * [1e-3, 1.0, 1.0, 1.0, 300.0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("switches", ABLATIONS, ids=lambda s: next(iter(s), "whole"))
def test_longer_stream_of_unequal_scales_equals_oracle(mode, switches):
    """Long enough for removals and several components; gamma > 0 gives feature weights and old rows."""
    native = assert_same_learning(scaled_groups(), mode, switches)
    assert native.last_step()["gamma"] > 0
    state = native.__getstate__()
    if not switches:
        assert state["n_components"] > 1
        assert state["n_created"] > native.n_nodes, "no node was removed: change the stream"


def copied(rng, n, d):
    """Return copies of few exact rows."""
    few = strategies.grid(rng, max(n // 3, 1), d)
    return few[rng.integers(0, len(few), size=n)]


tied_streams = strategies.rows(st.sampled_from([strategies.tied, strategies.grid, copied]), n=(1, 60))


def unshifted(transform, rows):
    """Leave out the shift by the median, which cancels in every distance if gamma is 0."""
    return rows.copy() if transform.gamma == 0 else (rows - transform.center) / transform.denominator


@settings(max_examples=60)
@given(rows=tied_streams)
def test_tied_streams_equal_oracle(rows):
    """Representatives become thirds and fifths; the oracle must round as the core does, or ties differ."""
    with patch.object(Transform, "apply", unshifted):
        assert_same_learning(rows, "equations", {})


@settings(max_examples=60)
@given(rows=tied_streams)
def test_tied_streams_in_released_mode_equal_oracle(rows):
    """The released behaviour shifts its cached rows, and so does the oracle."""
    assert_same_learning(rows, "released", {})
