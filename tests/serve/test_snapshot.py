"""Snapshots are plain, limited in size, and consistent."""

import json

import numpy as np
import pytest
from states import stream_model

from phida import PHIDAPlus
from phida._reading import Answers
from phida._serve.learning import Progress
from phida._serve.moment import Moment
from phida._serve.slots import LARGEST
from phida._serve.snapshot import BYTES, CLUSTERS, EDGES, EVENTS, LINKS, LISTED, MODES, NODES, Sketcher
from phida._serve.trail import Trail
from phida.lineage import Event, Lineage

PROGRESS = Progress("learning", "", 10, 0)
LONG = 5000 * "\N{PENGUIN}"


def moment(rows, names=None):
    return Moment.of(stream_model(PHIDAPlus(compute_labels=False).partial_fit(rows), names))


def sketched(at):
    return json.loads(Sketcher(Trail(), {"source": "x"}).sketch(at, PROGRESS, 1.0, 0.0).text)


@pytest.fixture(scope="module")
def wide():
    """Nearly 2,048 nodes in 64 features whose names are twelve times as long in JSON."""
    rng = np.random.default_rng(0)
    groups = 100 * rng.normal(size=(30, 64))
    rows = groups[rng.integers(30, size=6000)] + rng.normal(size=(6000, 64)) * rng.uniform(1, 50, 64)
    return moment(rows, [f"{j} {LONG}" for j in range(64)])


def test_large_model_has_a_limited_snapshot(wide):
    assert wide.model.n_nodes_ > 1500 and wide.model.n_clusters_ >= LISTED
    text = Sketcher(Trail(), {"source": LONG}).sketch(wide, PROGRESS, 1.0, 0.0).text
    assert len(text) < 200_000
    facts = json.loads(text)
    assert len(facts["nodes"]["id"]) <= NODES and len(facts["edges"][0]) <= EDGES
    assert len(facts["modes"]["node"]) <= MODES and len(facts["clusters"]) <= CLUSTERS
    assert len(facts["events"]) <= EVENTS


def test_largest_snapshot_is_within_the_limit(wide):
    """Every list is at its limit, and every number and name has its greatest length."""
    facts = json.loads(Sketcher(Trail(), {"source": LONG}).sketch(wide, PROGRESS, 1.0, 0.0).text)
    count, place = 10**15, NODES - 1

    def longest(name, value, most=None):
        if isinstance(value, dict):
            limit = {"nodes": NODES, "modes": MODES}.get(name, most)
            return {key: longest(key, part, limit) for key, part in value.items()}
        if isinstance(value, list):
            limit = {"names": NODES, "slots": NODES, "clusters": CLUSTERS, "events": EVENTS}.get(name, most)
            first = value[0] if value else count
            return [longest(name, first) for _ in range(limit or 12)]
        if name in ("active", "slots", "slot"):
            return 23
        if name == "place":
            return place
        if name == "names":
            return f"{count}.{place}"
        if isinstance(value, bool | str):
            return value
        return -1.2345e-100 if isinstance(value, float) and name != "support" else count

    edges, axes = [[place] * EDGES] * 2, facts["axes"]
    clusters = [longest("clusters", [facts["clusters"][0]])[0]] * CLUSTERS
    plain = [{**cluster, "telling": []} for cluster in clusters[LISTED:]]
    text = json.dumps(
        {**longest("", facts), "edges": edges, "axes": axes, "clusters": [*clusters[:LISTED], *plain]},
        separators=(",", ":"),
    )
    assert 300_000 < len(text) <= BYTES


def test_long_names_and_messages_are_shortened(wide):
    progress = Progress("failed", "x" * 100_000, 10, 0)
    facts = json.loads(Sketcher(Trail(), {"source": "y" * 100_000}).sketch(wide, progress, 1.0, 0.0).text)
    telling = facts["clusters"][0]["telling"]
    assert all(len(part["feature"]) == 60 and part["feature"].endswith("…") for part in telling)
    assert len(facts["note"]) == len(facts["source"]) == 500


def test_clusters_beyond_the_list_have_a_colour_and_no_features():
    rng = np.random.default_rng(5)
    centers = np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2) * 20.0
    rows = centers[rng.integers(144, size=12_000)] + rng.normal(size=(12_000, 2))
    at = moment(rows)
    facts = sketched(at)
    assert facts["n_clusters"] > 120
    assert len(facts["names"]) == len(facts["slots"]) == facts["n_clusters"] > len(facts["clusters"]) == CLUSTERS
    assert [bool(cluster["telling"]) for cluster in facts["clusters"]] == [i < LISTED for i in range(CLUSTERS)]
    assert facts["won"] == 12_000 > sum(cluster["rows"] for cluster in facts["clusters"])
    sizes = [cluster["rows"] for cluster in facts["clusters"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(facts["edges"][0]) <= LINKS
    places = {place for place in facts["nodes"]["place"] if place is not None}
    assert places == set(range(facts["n_clusters"]))
    assert len(set(facts["slots"][:LARGEST])) == LARGEST


def test_clusters_with_one_id_have_different_names(monkeypatch):
    at = moment(np.random.default_rng(6).permutation(np.repeat([[0.0], [50.0], [90.0]], [700, 500, 300], axis=0)))
    monkeypatch.setattr(Answers, "cluster_ids_", property(lambda model: np.full(model.n_clusters_, 4)))
    facts = sketched(at)
    assert facts["names"] == ["4", "4.2", "4.3"] and len(set(facts["slots"])) == 3
    trail = Trail()
    Sketcher(trail, {}).sketch(at, PROGRESS, 1.0, 0.0)
    (column,) = trail.since(0, 0)[2]
    assert json.loads(column.text)["bands"] == [[4, facts["slots"][0], 1.0, 1500]]


def test_events_are_ordered_by_row(monkeypatch):
    at = moment(np.zeros((5, 1)))
    events = [Event(number, "born", sample, 90, (), (number,) * 50, 1.0) for number, sample in enumerate([7, 3, 7, 1])]
    monkeypatch.setattr(type(at.model), "lineage_", property(lambda model: Lineage(events)))
    shown = sketched(at)["events"]
    assert [(event["sample"], event["number"]) for event in shown] == [(1, 3), (3, 1), (7, 0), (7, 2)]
    assert all(len(event["after"]) == 12 for event in shown)


def test_model_without_events_has_an_empty_list(monkeypatch):
    at = moment(np.zeros((5, 1)))
    monkeypatch.setattr(type(at.model), "lineage_", property(lambda model: Lineage([])))
    facts = sketched(at)
    assert facts["events"] == [] and facts["n_events"] == 0
    assert facts["names"] == ["0"] and facts["edges"] == [[], []]


def test_only_the_strongest_nodes_are_drawn(monkeypatch):
    monkeypatch.setattr("phida._serve.snapshot.NODES", 5)
    at = moment(np.random.default_rng(1).normal(size=(900, 3)) * [9, 5, 1])
    nodes = at.model.nodes_
    facts = sketched(at)
    assert len(facts["nodes"]["id"]) == 5 < len(nodes)
    drawn = np.isin(nodes.id, facts["nodes"]["id"])
    assert nodes.support[drawn].min() >= nodes.support[~drawn].max()
    assert all(max(pair) < 5 for pair in zip(*facts["edges"]))


def test_one_row_and_one_feature_give_a_snapshot():
    for rows in ([[1.0]], [[1.0, 2.0]], [[1.0], [1.0], [5.0]], [[1e139, -1e139]] * 3):
        facts = sketched(moment(np.array(rows)))
        assert facts["samples"] == len(rows)
        assert facts["nodes"]["id"]


def test_shares_sum_to_one_and_edges_join_drawn_nodes():
    facts = sketched(moment(np.random.default_rng(2).normal(size=(2000, 4)) * [8, 8, 1, 1]))
    assert abs(sum(cluster["share"] for cluster in facts["clusters"]) - 1) < 1e-3
    assert sum(cluster["rows"] for cluster in facts["clusters"]) == 2000
    assert len(facts["edges"][0]) == len(facts["edges"][1])
    for part in ("x", "y", "rows", "support", "active", "cluster"):
        assert len(facts["nodes"][part]) == len(facts["nodes"]["id"])


def test_snapshot_does_not_change_later():
    rng = np.random.default_rng(3)
    learned = stream_model(PHIDAPlus(compute_labels=False).partial_fit(rng.normal(size=(500, 3))))
    at = Moment.of(learned)
    before = sketched(at)
    learned.learn(rng.normal(size=(500, 3)) + 9)
    assert sketched(at) == before
    assert at.features == ("feature 0", "feature 1", "feature 2")
