"""Snapshots are plain, bounded, and of one moment."""

import json

import numpy as np

from phida import PHIDAPlus
from phida.serve.learning import Progress
from phida.serve.moment import Moment
from phida.serve.snapshot import CLUSTERS, EDGES, EVENTS, MODES, NODES, Sketcher
from phida.serve.trail import Trail
from phida.streams.model import StreamModel

PROGRESS = Progress("learning", "", 10, 0)


def moment(rows, names=None):
    return Moment.of(StreamModel(PHIDAPlus(compute_labels=False).partial_fit(rows), names))


def sketched(at):
    return json.loads(Sketcher(Trail(), {"source": "x"}).sketch(at, PROGRESS, 1.0, 0.0).text)


def test_a_large_model_makes_a_bounded_snapshot():
    rng = np.random.default_rng(0)
    wide = moment(
        rng.normal(size=(8000, 40)) * rng.uniform(1, 50, 40), [f"a long name of feature {j}" for j in range(40)]
    )
    assert wide.model.n_nodes_ > 1500
    text = Sketcher(Trail(), {}).sketch(wide, PROGRESS, 1.0, 0.0).text
    assert len(text) < 250_000
    facts = json.loads(text)
    assert len(facts["nodes"]["id"]) <= NODES and len(facts["edges"][0]) <= EDGES
    assert len(facts["modes"]["node"]) <= MODES and len(facts["clusters"]) <= CLUSTERS
    assert len(facts["events"]) <= EVENTS


def test_only_the_strongest_nodes_are_drawn(monkeypatch):
    monkeypatch.setattr("phida.serve.snapshot.NODES", 5)
    at = moment(np.random.default_rng(1).normal(size=(900, 3)) * [9, 5, 1])
    nodes = at.model.nodes_
    facts = sketched(at)
    assert len(facts["nodes"]["id"]) == 5 < len(nodes)
    drawn = np.isin(nodes.id, facts["nodes"]["id"])
    assert nodes.support[drawn].min() >= nodes.support[~drawn].max()
    assert all(max(pair) < 5 for pair in zip(*facts["edges"]))


def test_one_row_and_one_feature_are_enough():
    for rows in ([[1.0]], [[1.0, 2.0]], [[1.0], [1.0], [5.0]], [[1e139, -1e139]] * 3):
        facts = sketched(moment(np.array(rows)))
        assert facts["samples"] == len(rows)
        assert facts["nodes"]["id"]


def test_shares_make_a_whole_and_edges_join_drawn_nodes():
    facts = sketched(moment(np.random.default_rng(2).normal(size=(2000, 4)) * [8, 8, 1, 1]))
    assert abs(sum(cluster["share"] for cluster in facts["clusters"]) - 1) < 1e-3
    assert sum(cluster["rows"] for cluster in facts["clusters"]) == 2000
    assert len(facts["edges"][0]) == len(facts["edges"][1])
    for part in ("x", "y", "rows", "support", "active", "cluster"):
        assert len(facts["nodes"][part]) == len(facts["nodes"]["id"])


def test_a_moment_does_not_move():
    rng = np.random.default_rng(3)
    learned = StreamModel(PHIDAPlus(compute_labels=False).partial_fit(rng.normal(size=(500, 3))), None)
    at = Moment.of(learned)
    before = sketched(at)
    learned.learn(rng.normal(size=(500, 3)) + 9)
    assert sketched(at) == before
    assert at.features == ("feature 0", "feature 1", "feature 2")
