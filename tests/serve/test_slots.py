"""Colours of clusters: different for large clusters and neighbours, steady, and visible in both themes."""

import re
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phida._serve.slots import COLOURS, LARGEST, Slots, map_neighbours


@st.composite
def maps(draw, most=80):
    """Draw names of clusters, and nodes on a map, many of them at the same place."""
    count = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_nodes = draw(st.integers(count, 4 * most))
    cluster = np.concatenate([np.arange(count), rng.integers(-1, count, n_nodes - count)])
    at = rng.integers(0, draw(st.sampled_from([2, 20, 10_000])), (n_nodes, 2)).astype(float)
    names = [str(id) for id in rng.permutation(3 * most)[:count]]
    return names, map_neighbours(at, cluster, count)


def assert_rivals_differ(slots, neighbours):
    assert all(0 <= slot < COLOURS for slot in slots)
    assert len(set(slots[:LARGEST])) == len(slots[:LARGEST])
    for i, near in enumerate(neighbours):
        assert slots[i] not in {slots[j] for j in near}


@settings(deadline=None)
@given(st.lists(maps(), min_size=1, max_size=6))
def test_largest_clusters_and_neighbours_never_share_a_colour(moments):
    slots = Slots()
    for names, neighbours in moments:
        chosen = slots.choose(names, neighbours, kept=())
        assert_rivals_differ(chosen, neighbours)


def test_500_overlapping_clusters_differ_from_their_neighbours():
    rng = np.random.default_rng(0)
    cluster = rng.permutation(np.repeat(np.arange(500), 4))
    neighbours = map_neighbours(rng.normal(size=(2000, 2)), cluster, 500)
    assert min(map(len, neighbours)) >= 5
    assert_rivals_differ(Slots().choose([str(i) for i in range(500)], neighbours, kept=()), neighbours)


def test_cluster_keeps_its_colour_when_others_appear_or_sizes_change():
    slots, none = Slots(), [set() for _ in range(9)]
    before = dict(zip("abcdefg", slots.choose("abcdefg", none[:7], kept=())))
    after = dict(zip("xgfedcbay", slots.choose("xgfedcbay", none, kept=())))
    assert all(after[name] == before[name] for name in before)
    assert len(set(after.values())) == 9


def test_new_neighbour_changes_colour_if_it_is_smaller():
    slots = Slots()
    names = [str(i) for i in range(COLOURS + 1)]
    before = slots.choose(names, [set() for _ in names], kept=())
    same = before.index(before[-1])
    assert same < COLOURS
    neighbours = [{COLOURS} if i == same else {same} if i == COLOURS else set() for i in range(len(names))]
    after = slots.choose(names, neighbours, kept=())
    assert after[:-1] == before[:-1] and after[-1] != before[-1]


def test_colours_are_reassigned_if_no_free_colour_remains():
    """The neighbours of one cluster use all colours."""
    slots, names = Slots(), [str(i) for i in range(COLOURS + 1)]
    slots.choose(names[:COLOURS], [set() for _ in range(COLOURS)], kept=())
    hub = [{COLOURS} for _ in range(COLOURS)] + [set(range(COLOURS))]
    assert_rivals_differ(slots.choose(names, hub, kept=()), hub)


def test_colours_of_hidden_clusters_are_released():
    slots, one = Slots(), [set()]
    assert slots.choose(["5", "6"], [set(), set()], kept=()) == [0, 1]
    assert slots.choose(["6"], one, kept=["5"]) == [1]
    assert slots.choose(["7", "6"], [set(), set()], kept=["5"]) == [2, 1]
    assert slots.choose(["5"], one, kept=()) == [0]
    assert slots.choose(["8"], one, kept=()) == [0]


def test_small_clusters_share_colours():
    names = [str(i) for i in range(60)]
    chosen = Slots().choose(names, [set() for _ in names], kept=())
    assert not set(chosen[:LARGEST]) & set(chosen[LARGEST:])


def test_neighbours_on_the_map_have_the_closest_nodes():
    at = np.array([[0, 0], [9, 0], [1, 0], [3, 0], [4, 0], [5, 0], [6, 0], [7, 0]], dtype=float)
    near = map_neighbours(at, np.array([0, 0, 1, 2, 3, 4, 5, -1]), 7)
    assert near[0] == {1, 2, 3, 4, 5} and near[6] == set()
    assert all(i in near[j] for i in range(7) for j in near[i])


@pytest.mark.parametrize("at", [np.zeros((3, 2)), np.array([[1e139, 0.0], [0, 0], [5, 0]])])
def test_nodes_at_one_place_or_on_a_line_have_neighbours(at):
    assert map_neighbours(at, np.array([0, 1, 2]), 3) == [{1, 2}, {0, 2}, {0, 1}]
    assert map_neighbours(at, np.array([0, 0, -1]), 1) == [set()]


def palettes():
    """Return panel and colours of the light and the dark theme, as linear RGB."""
    style = (files("phida._serve") / "page" / "style.css").read_text()
    for theme in style.split("prefers-color-scheme: dark"):
        found = dict(re.findall(r"--(panel|slot-\d+): #([0-9a-f]{3,6});", theme))
        if found:
            full = [code if len(code) == 6 else "".join(2 * c for c in code) for code in found.values()]
            value = np.array([[int(code[i : i + 2], 16) / 255 for i in (0, 2, 4)] for code in full])
            linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
            yield linear[0], linear[1:]


def differences(linear):
    """Return distances of colours in OKLab."""
    cones = [[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.63]]
    lab = [[0.2105, 0.7936, -0.0041], [1.978, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]
    points = np.cbrt(linear @ np.transpose(cones)) @ np.transpose(lab)
    return np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(len(points), 1)]


#: Colours as seen without red or green receptors (Machado et al. 2009), in linear RGB.
BLIND = {
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.052]],
    "deutan": [[0.3673, 0.8606, -0.228], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
}


def test_each_theme_has_contrast_between_colours_and_panel():
    themes = list(palettes())
    assert [len(colours) for _, colours in themes] == [COLOURS, COLOURS]
    weights = [0.2126, 0.7152, 0.0722]
    for panel, colours in themes:
        light, ground = colours @ weights, panel @ weights
        ratio = (np.maximum(light, ground) + 0.05) / (np.minimum(light, ground) + 0.05)
        assert ratio.min() >= 3


def test_colours_are_distinguishable_and_the_first_also_to_the_colour_blind():
    for _, colours in palettes():
        assert differences(colours).min() > 0.09
        assert differences(colours[:LARGEST]).min() > 0.1
        for matrix in BLIND.values():
            assert differences(np.clip(colours[:LARGEST] @ np.transpose(matrix), 0, 1)).min() > 0.07
