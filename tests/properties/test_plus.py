"""What holds for PHIDA+ beyond what holds for every estimator: counts of pairs, levels, flow."""

import copy
from collections import Counter

import numpy as np
import pytest
import strategies
from data import blobs, drifting
from hypothesis import given, settings
from hypothesis import strategies as st
from states import assert_same_state, bits, differences, state_of

from phida import PHIDAPlus, _core

STREAMS = {"blobs": blobs(600), "drifting": drifting(600), "clouds": blobs(600, 4, centers=12, spread=9.0)}
LEVELS = ("groups", "parts")

each_stream = pytest.mark.parametrize("X", STREAMS.values(), ids=STREAMS)


def wins(state):
    """Per node, what it won: its pairs, and what it won with runner-ups that are gone."""
    won = state["pair_unpaired"].copy()
    np.add.at(won, state["pair_winner"], state["pair_count"])
    return won


@each_stream
def test_counts_are_the_samples_that_a_node_won(X):
    """Also after runner-ups were deleted."""
    model, won = PHIDAPlus(compute_labels=False), Counter()
    for row in X:
        ids = state_of(model)["id"] if model.__sklearn_is_fitted__() else []
        model.partial_fit(row[None])
        step = model._model.learner.last_step()
        if step["event"] == "update":
            won[int(ids[step["winner"]])] += 1
    state = state_of(model)
    assert wins(state).tolist() == [won[i] for i in state["id"].tolist()]
    assert state["pair_unpaired"].sum() > 0 or X is not STREAMS["drifting"], "no runner-up went: change the stream"
    assert wins(state).sum() + state["n_created"] <= len(X)


def test_counts_fade():
    half_life = 40.0
    model = PHIDAPlus(half_life=half_life, compute_labels=False)
    for chunk in np.split(STREAMS["blobs"], 20):
        count = model.partial_fit(chunk).flow_.count
        assert count.sum() <= half_life / np.log(2) + model.interval_ + 1
        assert (count > 0).all()
    assert count.sum() > half_life / 4
    # What was not seen for many half-lives is gone.
    model.partial_fit(STREAMS["blobs"] + 500.0).refresh()
    nodes, flow = model.nodes_, model.flow_
    old = nodes.representatives[:, 0] < 250
    assert flow.count[old[flow.winner]].sum() < 0.01 * flow.count.sum()


def test_a_pair_keeps_its_mean_offset_as_it_fades():
    state = state_of(PHIDAPlus(half_life=1e6).partial_fit(STREAMS["blobs"]))
    faded = state_of(PHIDAPlus(half_life=50.0).partial_fit(STREAMS["blobs"]))
    for s in (state, faded):
        mean = s["pair_offset"] / (s["pair_count"] / 2**24)
        square = s["pair_offset_square"] / (s["pair_count"] / 2**24)
        # Counts are rounded down to whole units, hence the slack; mean square is never below the squared mean.
        assert (square >= mean**2 * (1 - 1e-3)).all()


def connected(nodes, edges):
    """Whether edges join all of the nodes."""
    reached, border = {nodes[0]}, [nodes[0]]
    while border:
        node = border.pop()
        for a, b in edges:
            for here, there in ((a, b), (b, a)):
                if here == node and there not in reached:
                    reached.add(there)
                    border.append(there)
    return reached == set(nodes)


@each_stream
@pytest.mark.parametrize("level", LEVELS)
def test_clusters_are_connected_by_flow(X, level):
    model = PHIDAPlus(level=level).fit(X)
    flow, cluster = model.flow_, model.nodes_.cluster
    edges = list(zip(flow.source.tolist(), flow.target.tolist(), strict=True))
    assert (flow.amount > 0).all() and sorted(flow.nodes) == np.flatnonzero(cluster >= 0).tolist()
    for c in range(model.n_clusters_):
        inside = np.flatnonzero(cluster == c).tolist()
        assert connected(inside, [(a, b) for a, b in edges if cluster[a] == cluster[b] == c])


@each_stream
def test_the_level_changes_no_bit_of_what_is_learned(X):
    model = PHIDAPlus(compute_labels=False).partial_fit(X)
    before = state_of(model)
    by_level = {level: model.predict(X, level=level) for level in LEVELS}
    assert (model.n_groups_, model.n_parts_) == tuple(by_level[level].max() + 1 for level in LEVELS)
    for level in (*LEVELS, "groups"):
        model.set_params(level=level)
        assert model.n_clusters_ == len(model.cluster_centers_) == len(set(by_level[level]))
        np.testing.assert_array_equal(model.predict(X), by_level[level])
        np.testing.assert_array_equal(model.transform(X).argmin(axis=1), by_level[level])
        assert differences(before, state_of(model)) == []


def learned_only(state):
    """Without what follows clusters: ids, lineage, history."""
    follows = ("lineage", "living", "candidate", "event", "history", "cluster_id", "node_", "n_ids", "n_candidates", "rule")
    return {name: value for name, value in state.items() if not name.startswith(follows)}


@each_stream
def test_learning_is_the_same_at_either_level(X):
    groups, parts = (PHIDAPlus(level=level).partial_fit(X) for level in LEVELS)
    assert differences(learned_only(state_of(groups)), learned_only(state_of(parts))) == []
    changed = PHIDAPlus(level="parts").partial_fit(X[:300]).set_params(level="groups").partial_fit(X[300:])
    assert differences(learned_only(state_of(groups)), learned_only(state_of(changed))) == []
    assert len(changed.cluster_ids_) == changed.n_groups_


def test_ids_follow_the_level_that_learning_has():
    model = PHIDAPlus(level="parts").fit(STREAMS["drifting"])
    model.set_params(level="groups").partial_fit(STREAMS["drifting"]).refresh()
    assert len(model.cluster_ids_) == model.n_groups_
    assert {i for event in model.lineage_ for i in event.after} >= set(model.cluster_ids_.tolist())


def test_levels_that_there_are_not():
    model = PHIDAPlus().fit(STREAMS["blobs"])
    before = copy.deepcopy(model)
    with pytest.raises(ValueError, match="level must be 'groups' or 'parts', not 'clusters'"):
        model.predict(STREAMS["blobs"], level="clusters")
    assert_same_state(model, before)


def turned(rows, seed):
    """Rows in other coordinates, in other units."""
    rng = np.random.default_rng(seed)
    rotation, _ = np.linalg.qr(rng.normal(size=(rows.shape[1],) * 2))
    return np.ascontiguousarray(10.0 ** rng.uniform(-6, 6) * (rows @ rotation))


def read_out(state, rows):
    pairs = ("pair_winner", "pair_runner_up", "pair_count", "pair_offset", "pair_offset_square", "pair_unpaired")
    return _core.flow_clusters(rows, state["support"], *(state[name] for name in pairs))


@settings(max_examples=30)
@given(strategies.seeds, st.sampled_from(["blobs", "clouds"]))
def test_rotation_and_scale_of_the_nodes_change_no_group(seed, stream):
    """As long as gamma is 0; the transformation knows axes."""
    model = PHIDAPlus(compute_labels=False).fit(STREAMS[stream])
    state = state_of(model)
    rows = state["representative"]
    other = turned(rows, seed)
    if max(_core.adaptive_transform(r)["gamma"] for r in (rows, other)) > 0:
        return
    expected, found = read_out(state, rows), read_out(state, other)
    np.testing.assert_array_equal(expected["groups"], model.nodes_.cluster)
    for level in LEVELS:
        np.testing.assert_array_equal(found[level], expected[level])


@pytest.mark.parametrize("seed", range(6))
def test_one_cloud_is_one_group_in_any_coordinates(seed):
    rows = turned(np.random.default_rng(0).normal(size=(3000, 4)), seed)
    model = PHIDAPlus().fit(rows)
    assert model.assignment_view_.gamma == 0
    assert model.n_groups_ == 1 and set(model.labels_) == {0}


@each_stream
@pytest.mark.parametrize("limits", [{}, {"max_nodes": 20, "half_life": 100.0}], ids=["whole", "limits"])
def test_every_instruction_set_gives_the_same_bits(X, limits, use_simd_level):
    found = []
    for simd_level in _core.simd_levels():
        use_simd_level(simd_level)
        model = PHIDAPlus(**limits).fit(X)
        answers = [bits(model.predict(X, level=level)) for level in LEVELS]
        found.append((state_of(model), answers, bits(model.transform(X))))
    for state, answers, distances in found[1:]:
        assert differences(found[0][0], state) == []
        assert (answers, distances) == found[0][1:]
