"""The drift detector: what it tells, and that it is one of river's kind."""

import copy
import math
import pickle

import numpy as np
import pytest

pytest.importorskip("river")
from river import base

from phida.drift import ClusterDrift


def alarms(rows, **settings):
    detector = ClusterDrift(**settings)
    told = []
    for t, row in enumerate(rows):
        detector.update(dict(enumerate(row.tolist())))
        if detector.drift_detected:
            told.append(t)
    return told


def groups(n, centers, seed):
    rng = np.random.default_rng(seed)
    return np.array(centers)[rng.integers(len(centers), size=n)] + rng.normal(size=(n, 2))


HERE, THERE = [[0, 0], [10, 0], [0, 10]], [[0, 0], [10, 0], [20, 20]]


@pytest.mark.parametrize("seed", range(3))
def test_an_abrupt_change_is_told_soon_and_nothing_else(seed):
    told = alarms(np.vstack([groups(2000, HERE, seed), groups(1500, THERE, seed + 10)]))
    assert len(told) == 1 and 2000 <= told[0] < 2150


@pytest.mark.parametrize("seed", range(3))
def test_a_stream_that_stays_is_quiet(seed):
    assert alarms(groups(5000, HERE, seed)) == []
    assert alarms(np.random.default_rng(seed).uniform(size=(4000, 5))) == []


def test_a_slow_change_is_told():
    rng = np.random.default_rng(1)
    before, after = groups(4000, HERE, 2), groups(4000, THERE, 3)
    share = np.clip((np.arange(4000) - 2000) / 1000, 0, 1)
    mixed = np.where(rng.random(4000)[:, None] < share[:, None], after, before)
    told = alarms(mixed)
    assert told and 2000 <= told[0] < 3200


def test_the_flag_stands_for_one_row_and_the_signal_begins_anew():
    detector = ClusterDrift()
    rows = np.vstack([groups(1500, HERE, 0), groups(400, THERE, 1)])
    flags = []
    for row in rows:
        detector.update(dict(enumerate(row.tolist())))
        flags.append(detector.drift_detected)
        if detector.drift_detected:
            assert detector.signal.evidence > detector.threshold
    assert sum(flags) == 1 and not flags[-1]
    assert detector.signal.evidence == 0 and detector.signal.events >= 0


def test_it_is_a_drift_detector_of_river():
    detector = ClusterDrift(threshold=12.0, half_life=1000.0)
    assert isinstance(detector, base.DriftDetector) and not detector.drift_detected
    assert math.isnan(detector.signal.vigilance)
    fresh = detector.clone()
    assert (fresh.threshold, fresh.half_life) == (12.0, 1000.0)
    for row in groups(700, HERE, 4):
        detector.update(dict(enumerate(row.tolist())))
    for other in (copy.deepcopy(detector), pickle.loads(pickle.dumps(detector))):
        assert other.signal == detector.signal
    assert 0 < detector.signal.created < 700


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"threshold": math.nan}, {"grace_period": 100}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ClusterDrift(**wrong)


def test_a_row_that_is_refused_changes_nothing():
    detector = ClusterDrift()
    with pytest.raises(ValueError, match="a"):
        detector.update({"a": float("nan")})
    detector.update({"b": 1.0})
    with pytest.raises(ValueError, match="b"):
        detector.update({"c": 1.0})
    assert detector._model.learner.n_seen == 1
