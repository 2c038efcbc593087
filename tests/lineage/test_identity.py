"""Cluster ids and events on real learning."""

import copy
import pickle
import threading

import numpy as np
import pytest
import strategies
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from kinds import each_kind

from phida import PHIDA, PHIDAPlus

KINDS = {"born", "split", "merged", "died", "revived"}


def groups(n, seed, centers=6, noise=1.0):
    """Return rows of some groups, and probes of the same groups."""
    rng = np.random.default_rng(seed)
    center = 6.0 * rng.normal(size=(centers, 2))
    draw = lambda m: center[rng.integers(0, centers, size=m)] + noise * rng.normal(size=(m, 2))  # noqa: E731
    return draw(n), draw(100)


CORNERS = np.array([[0.0, 0.0], [15.0, 0.0], [0.0, 15.0], [15.0, 15.0]])


def corner_rows(seed):
    """Return a function that draws n rows around some of the corners."""
    rng = np.random.default_rng(seed)
    return lambda n, corners, shares=None: CORNERS[rng.choice(corners, size=n, p=shares)] + rng.normal(size=(n, 2))


def changes(seed):
    """Count how often labels and ids of probes change from batch to batch."""
    rows, probes = groups(4000, seed)
    model = PHIDAPlus(compute_labels=False)
    labels = ids = None
    label_changes = id_changes = 0
    for first in range(0, len(rows), 100):
        model.partial_fit(rows[first : first + 100])
        new_labels, new_ids = model.predict(probes), model.predict_id(probes)
        if first >= 1000:
            label_changes += np.mean(labels != new_labels)
            id_changes += np.mean(ids != new_ids)
        labels, ids = new_labels, new_ids
    return label_changes, id_changes


def test_labels_and_ids_of_probes_rarely_change():
    of_labels, of_ids = np.sum([changes(seed) for seed in range(6)], axis=0) / (6 * 30)
    assert of_ids <= of_labels < 0.005


def test_ids_equal_labels_for_separated_groups():
    rng = np.random.default_rng(0)
    group = rng.integers(5, size=3000)
    rows = 20.0 * np.eye(5, 3)[group] - 20.0 * (group == 4)[:, None] + rng.normal(size=(3000, 3))
    model = PHIDAPlus().fit(rows)
    assert len(set(model.cluster_ids_)) == model.n_clusters_ == 5
    np.testing.assert_array_equal(model.predict_id(rows), model.cluster_ids_[model.predict(rows)])


def test_stationary_stream_has_no_events():
    rows, _ = groups(40_000, 3)
    model = PHIDAPlus(compute_labels=False).partial_fit(rows)
    assert [event for event in model.lineage_ if event.confirmed > 5000] == []


def test_fit_maps_once_and_begins_the_lineage_there():
    rows, _ = groups(10_000, 3)
    model = PHIDAPlus(compute_labels=False).fit(rows)
    events = list(model.lineage_)
    assert [event.kind for event in events] == ["born"] * model.n_clusters_
    assert {event.confirmed for event in events} == {10_000}
    assert model.history_.sample.tolist() == [10_000]
    assert sorted(model.cluster_ids_) == list(range(model.n_clusters_))


@pytest.mark.parametrize("n", [1, 40, 500, 6000])
@pytest.mark.parametrize("half_life", [None, 400.0])
def test_fit_gives_the_nodes_and_labels_of_a_stream(n, half_life):
    rows, probes = groups(n, 4)
    fitted = PHIDAPlus(max_nodes=256, half_life=half_life).fit(rows)
    stream = PHIDAPlus(max_nodes=256, half_life=half_life).partial_fit(rows).refresh()
    np.testing.assert_array_equal(fitted.nodes_.representatives, stream.nodes_.representatives)
    np.testing.assert_array_equal(fitted.labels_, stream.predict(rows))
    np.testing.assert_array_equal(fitted.predict(probes), stream.predict(probes))


def test_stream_after_fit_keeps_the_ids():
    rows, probes = groups(6000, 5)
    model = PHIDAPlus().fit(rows[:3000])
    ids = model.predict_id(probes)
    assert np.mean(model.partial_fit(rows[3000:]).predict_id(probes) == ids) > 0.95


def test_events_follow_groups_that_appear_and_stop():
    """Three groups; a fourth appears, and the third stops."""
    rows = corner_rows(1)
    stream = np.concatenate([rows(6000, [0, 1, 2]), rows(4000, [0, 1, 2, 3]), rows(3000, [0, 1, 3])])
    model = PHIDAPlus(half_life=300, compute_labels=False).partial_fit(stream)
    told = [event for event in model.lineage_ if event.confirmed > 3000]
    assert [event.kind for event in told] == ["born", "died"]
    born, died = told
    assert 6000 < born.sample <= born.confirmed < 6600
    assert 9900 < died.sample <= died.confirmed < 10_800


def test_group_without_rows_becomes_quiet():
    rows = corner_rows(2)
    model = PHIDAPlus(compute_labels=False).partial_fit(rows(6000, [0, 1, 2]))
    assert model.quiet_ids_.tolist() == [] and model.candidates_ == ()
    third = model.predict_id(CORNERS[2:3])
    model.partial_fit(rows(1000, [0, 1]))
    assert model.quiet_ids_.tolist() == third.tolist()
    model.partial_fit(rows(800, [0, 1, 3]))
    assert [event.kind for event in model.lineage_ if event.confirmed > 6000] == ["born"]
    assert third not in model.predict_id(CORNERS[3:])


def test_unconfirmed_cluster_is_a_candidate():
    """A rare new group is a candidate first, and born after it has won enough rows."""
    seen = set()
    for seed in range(4):
        rows = corner_rows(seed)
        model = PHIDAPlus(compute_labels=False).partial_fit(rows(5000, 4, [0.4, 0.3, 0.3, 0.0]))
        known = len(model.lineage_)
        while len(model.lineage_) == known and model.n_samples_seen_ < 12_000:
            seen |= set(model.candidates_)
            model.partial_fit(rows(50, 4, [0.4, 0.3, 0.28, 0.02]))
        born = model.lineage_[known]
        assert born.kind == "born" and 5000 < born.sample < 5500 and born.confirmed < 9000
        assert model.predict_id(CORNERS[3:]).tolist() == list(born.after)
    assert all(0 <= one.evidence < 50 and one.kind == "born" and one.ids == () for one in seen)
    assert max(one.evidence for one in seen) > 10


def lives(lineage):
    """Replay the events; return the ids alive after each, checking that ids end and begin once."""
    alive, ever = set(), set()
    for event in lineage:
        before, after = set(event.before), set(event.after)
        assert event.kind in KINDS and event.support > 0
        match event.kind:
            case "born":
                assert not before and not after & ever
                alive |= after
            case "split":
                assert before <= alive and not (after - before) & ever
                alive |= after
            case "merged":
                assert after <= before <= alive
                alive -= before - after
            case "died":
                assert before <= alive and not after
                alive -= before
            case "revived":
                assert before <= alive and after <= ever - alive
                alive |= after
        ever |= after
    return alive


@given(strategies.rows(n=(1, 200)), st.none() | st.integers(10, 200), st.sampled_from([16, 2048]))
def test_replayed_events_give_the_current_ids(rows, half_life, max_nodes):
    model = PHIDAPlus(half_life=half_life, max_nodes=max_nodes).fit(rows)
    assert lives(model.lineage_) >= set(model.predict_id(rows).tolist()) | set(model.cluster_ids_.tolist())


@each_kind
def test_reading_writes_no_events(make):
    model = make().partial_fit(drifting(400))
    before = list(model.lineage_)
    for _ in range(3):
        model.predict_id(drifting(400))
        assert model.cluster_ids_.shape == (model.n_clusters_,)
    assert list(model.lineage_) == before


@each_kind
def test_callbacks_get_every_event_once_in_order(make):
    heard = []
    rows = drifting(800)
    model = make(compute_labels=False).on_event(heard.append)
    for first in range(0, 800, 300):
        model.partial_fit(rows[first : first + 300])
    model.refresh().refresh()
    assert heard == list(model.lineage_) and len(heard) >= 2
    assert [event.number for event in heard] == list(range(len(heard)))
    model.fit(rows)
    assert heard[-len(model.lineage_) :] == list(model.lineage_)


@each_kind
def test_callbacks_added_later_get_only_new_events(make):
    heard = []
    rows = drifting(800)
    model = make().partial_fit(rows[:400])
    known = len(model.lineage_)
    model.on_event(heard.append).partial_fit(rows[400:])
    assert heard == list(model.lineage_)[known:]


@each_kind
def test_failing_callback_loses_no_event(make):
    rows = drifting(400)

    def fail(event):
        raise RuntimeError("no room")

    heard = []
    model = make(compute_labels=False).on_event(heard.append).on_event(fail)
    with pytest.raises(RuntimeError, match="no room"):
        model.partial_fit(rows)
    assert model.n_samples_seen_ == 400
    events = list(model.lineage_)
    assert len(events) > 1 and heard == events[:1]
    for _ in events[1:]:
        with pytest.raises(RuntimeError, match="no room"):
            model.partial_fit(rows[:1])
    assert heard[: len(events)] == events
    with pytest.raises(TypeError, match="must be a function with one argument"):
        make().on_event(3)


@each_kind
def test_concurrent_learning_reports_every_event_once(make):
    heard = []
    model = make(compute_labels=False).on_event(heard.append)
    parts = [drifting(400, seed=seed) for seed in range(4)]
    threads = [
        threading.Thread(target=lambda part=part: [model.partial_fit(row[None]) for row in part]) for part in parts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == list(model.lineage_)


@each_kind
def test_copies_and_pickles_have_no_callbacks(make):
    heard = []
    model = make().on_event(heard.append).fit(blobs(200))
    count = len(heard)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert list(other.lineage_) == list(model.lineage_)
        other.fit(drifting(400))
    assert len(heard) == count > 0


@each_kind
def test_lineage_and_history_are_kept_in_files(tmp_path, make):
    model = make().partial_fit(drifting(500))
    model.save(tmp_path / "m")
    loaded = type(model).load(tmp_path / "m")
    assert list(loaded.lineage_) == list(model.lineage_)
    assert loaded.history_.to_pandas().equals(model.history_.to_pandas())
    np.testing.assert_array_equal(loaded.cluster_ids_, model.cluster_ids_)
    np.testing.assert_array_equal(loaded.score_samples(blobs(50)), model.score_samples(blobs(50)))


@each_kind
def test_lineage_and_history_convert_to_tables(make):
    model = make().fit(drifting(500))
    lineage, history = model.lineage_, model.history_
    frame = lineage.to_pandas()
    assert frame.columns.tolist() == ["number", "kind", "sample", "confirmed", "before", "after", "support"]
    assert len(frame) == len(lineage) and frame["after"][0] == lineage[0].after
    assert lineage[:2] == (lineage[0], lineage[1]) and lineage.n_dropped == 0
    assert all(str(event.sample) in str(event).replace(",", "") for event in lineage)
    assert (np.diff(history.sample) >= 0).all() and history.sample[-1] == 500
    assert history.n_nodes[-1] == model.n_nodes_
    if isinstance(model, PHIDA):
        assert history.to_pandas()["interval"].iloc[-1] == model.interval_
