"""Proposition 2: a merge height is the increase in weighted dispersion, and the lowest eligible one."""

import numpy as np
import strategies
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from phida import _core


def dispersion(mass, centroid, group):
    """Return the weighted dispersion within the groups of components."""
    total = 0.0
    for g in np.unique(group):
        inside = group == g
        mean = np.average(centroid[inside], axis=0, weights=mass[inside])
        total += np.sum(mass[inside] * np.sum((centroid[inside] - mean) ** 2, axis=1))
    return total


@st.composite
def merging(draw):
    """Draw components of one node each, one of them heavy, so that C_min permits many merges."""
    nodes = draw(strategies.nodes(st.sampled_from([strategies.normal, strategies.clustered]), n=(4, 14)))
    n = len(nodes.rows)
    support = nodes.support.copy()
    support[draw(st.integers(0, n - 1))] = 1e5
    persistence = 1.0 + np.random.default_rng(draw(strategies.seeds)).random(n)
    return nodes.rows, support, np.arange(n, dtype=np.int32), persistence


@settings(max_examples=40)
@given(merging())
def test_merge_height_equals_the_increase_of_dispersion(case):
    found = _core.hierarchy(*case)
    mass, centroid = found["mass"], found["centroid"]
    assume(len(found["merge_height"]) > 0)
    offset, neighbour = found["graph"]["offset"], found["graph"]["neighbour"]
    adjacent = {(a, b) for a in range(len(mass)) for b in neighbour[offset[a] : offset[a + 1]].tolist()}

    group = np.arange(len(mass))
    scale = dispersion(mass, centroid, np.zeros(len(mass)))
    for into, from_, height in zip(found["merge_into"], found["merge_from"], found["merge_height"], strict=True):
        before = dispersion(mass, centroid, group)
        # Two groups are eligible if any of their components are adjacent.
        eligible = {tuple(sorted((group[a], group[b]))) for a, b in adjacent if group[a] != group[b]}
        assert (into, from_) in eligible
        increases = {
            pair: dispersion(mass, centroid, np.where(group == pair[1], pair[0], group)) - before for pair in eligible
        }
        np.testing.assert_allclose(height, increases[into, from_], rtol=1e-7, atol=1e-9 * scale)
        assert height <= min(increases.values()) + 1e-9 * scale
        group = np.where(group == from_, into, group)
