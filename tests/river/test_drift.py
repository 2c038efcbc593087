"""The drift detector: detected and named changes, and river's interface."""

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

pytest.importorskip("river")
from river import base

from phida.drift import ClusterDrift

HERE = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]


def groups(n, seed, centers=HERE, shares=None):
    rng = np.random.default_rng(seed)
    return np.array(centers)[rng.choice(len(centers), size=n, p=shares)] + rng.normal(size=(n, 2))


def update(detector, rows):
    """Return the rows at which a drift was detected, and the changes."""
    found = []
    for t, row in enumerate(rows):
        detector.update(dict(enumerate(row.tolist())))
        assert detector.drift_detected == (detector.change is not None)
        if detector.drift_detected:
            found.append((t, detector.change))
    return found


def after_a_while(seed, **settings):
    """Return a detector after 2,000 rows of the three groups."""
    detector = ClusterDrift(**settings)
    assert update(detector, groups(2000, seed)) == []
    return detector


def ids_at(detector, *places):
    """Return the ids of the clusters at these places."""
    centers = {name: list(center.values()) for name, center in detector.centers.items()}
    return tuple(sorted(min(centers, key=lambda name: math.dist(centers[name], place)) for place in places))


@pytest.mark.parametrize("seed", range(3))
def test_new_group_is_detected_soon_and_once(seed):
    detector = after_a_while(seed)
    [(delay, change)] = update(detector, groups(1500, seed + 10, [*HERE, [20, 20]]))
    assert change.kind == "new" and delay < 150
    assert len(change.ids) == 1 and set(change.ids) <= set(detector.centers)


@pytest.mark.parametrize("seed", range(3))
def test_rare_new_group_is_detected_once(seed):
    detector = after_a_while(seed)
    [(delay, change)] = update(detector, groups(6000, seed + 10, [*HERE, [20, 20]], [0.33, 0.33, 0.32, 0.02]))
    assert change.kind == "new" and delay * 0.02 < 100


@pytest.mark.parametrize("seed", range(3))
def test_vanished_group_is_named(seed):
    detector = after_a_while(seed)
    vanished = ids_at(detector, HERE[2])
    [(delay, change)] = update(detector, groups(1500, seed + 10, HERE[:2]))
    assert (change.kind, change.ids) == ("vanished", vanished) and delay < 100


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("place", [[2.0, 11.0], [4.0, 14.0], [-20.0, 30.0]], ids=["near", "beside", "far"])
def test_moved_group_is_named(seed, place):
    detector = after_a_while(seed)
    moved = ids_at(detector, HERE[2])
    found = update(detector, groups(300, seed + 10, [*HERE[:2], place]))
    assert len(found) == 1
    [(delay, change)] = found
    assert (change.kind, change.ids) == ("moved", moved) and delay < 150


@pytest.mark.parametrize("seed", range(3))
def test_slowly_moving_group_is_named(seed):
    detector = after_a_while(seed)
    moved = ids_at(detector, HERE[0])
    rows = groups(1500, seed + 10)
    inside = np.linalg.norm(rows, axis=1) < 5
    rows[inside, 0] -= (np.arange(1500) / 300)[inside]
    delay, change = update(detector, rows)[0]
    assert (change.kind, change.ids) == ("moved", moved) and delay < 600


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shares", [[0.15, 0.15, 0.7], [0.42, 0.42, 0.16]], ids=["twice", "half"])
def test_changed_share_is_named(seed, shares):
    detector = after_a_while(seed)
    changed = ids_at(detector, HERE[2]) if shares[2] < 0.5 else ids_at(detector, *HERE)
    [(delay, change)] = update(detector, groups(800, seed + 10, shares=shares))
    assert change.kind == "share" and set(change.ids) <= set(changed) and delay < 500


@pytest.mark.parametrize("seed", range(3))
def test_stationary_stream_has_no_drift(seed):
    rng = np.random.default_rng(seed)
    assert update(ClusterDrift(), groups(5000, seed, shares=[0.6, 0.35, 0.05])) == []
    assert update(ClusterDrift(), rng.uniform(size=(4000, 5))) == []
    assert update(ClusterDrift(), rng.normal(size=(4000, 2))) == []
    assert update(ClusterDrift(half_life=1000.0), groups(4000, seed)) == []


def test_gradual_change_is_detected():
    rng = np.random.default_rng(1)
    before, after = groups(2000, 3), groups(2000, 4, [*HERE[:2], [20, 20]])
    later = rng.random(2000) < np.arange(2000) / 1000
    delay, change = update(after_a_while(2), np.where(later[:, None], after, before))[0]
    assert change.kind in ("new", "moved") and delay < 1000


def test_returning_group_is_detected_twice():
    detector = after_a_while(0, half_life=300.0)
    [(_, vanished)] = update(detector, groups(1500, 1, HERE[:2]))
    assert vanished.kind == "vanished"
    delay, back = update(detector, groups(500, 2))[0]
    assert back.kind in ("new", "moved") and delay < 150


def test_change_of_a_constant_feature_is_detected():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=3000), np.full(3000, 7.0)])
    rows[2000:, 1] = 8.0
    row, change = update(ClusterDrift(), rows)[0]
    assert change.kind in ("new", "moved") and 2000 <= row < 2050


def test_flag_lasts_one_row_and_the_tests_restart():
    detector = after_a_while(0)
    for row in groups(400, 1, [*HERE, [20, 20]]):
        detector.update(dict(enumerate(row.tolist())))
        if detector.drift_detected:
            break
    with pytest.raises(dataclasses.FrozenInstanceError):
        detector.change.kind = "share"
    detector.update({0: 0.0, 1: 0.0})
    assert not detector.drift_detected and detector.change is None


def test_lower_delta_detects_later():
    rows = np.vstack([groups(2000, 0), groups(500, 1, shares=[0.1, 0.1, 0.8])])
    delays = [update(ClusterDrift(delta), rows)[0][0] for delta in (1e-2, 1e-4, 1e-8)]
    assert delays[0] < delays[1] < delays[2]


def test_detector_is_rivers_drift_detector():
    detector = ClusterDrift(delta=0.001, half_life=1000.0)
    assert isinstance(detector, base.DriftDetector) and not detector.drift_detected
    assert detector.centers == {} and detector.change is None
    fresh = detector.clone()
    assert (fresh.delta, fresh.half_life) == (0.001, 1000.0)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda detector: pickle.loads(pickle.dumps(detector))])
def test_copies_continue_alike(how):
    detector = after_a_while(4)
    twin = how(detector)
    rows = groups(300, 5, HERE[:2])
    assert update(twin, rows) == update(detector, rows) != []


@pytest.mark.parametrize("wrong", [{"delta": 0}, {"delta": math.nan}, {"grace_period": 100}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ClusterDrift(**wrong)


def test_refused_row_changes_nothing():
    detector = ClusterDrift()
    with pytest.raises(ValueError, match="a"):
        detector.update({"a": float("nan")})
    with pytest.raises(TypeError, match="a single number as"):
        detector.update(1.0)
    detector.update({"b": 1.0})
    with pytest.raises(ValueError, match="b"):
        detector.update({"c": 1.0})
    assert detector._clusterer._model.n_seen == 1
