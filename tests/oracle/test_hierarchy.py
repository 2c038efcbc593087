"""Masses, merges and the cut of the component hierarchy."""

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from oracle.hierarchy import component_hierarchy, largest_jump
from oracle.transform import adaptive_transform
from phida import _core


def assert_hierarchy(native, oracle):
    np.testing.assert_allclose(native["mass"], oracle.masses, rtol=1e-11)
    scale = np.max(np.abs(oracle.centroids))
    np.testing.assert_allclose(native["centroid"], oracle.centroids, rtol=1e-9, atol=1e-9 * scale)
    assert native["minimum_count"] == oracle.c_min
    assert levels(native, len(oracle.masses)) == [level.tolist() for level in oracle.levels]
    np.testing.assert_allclose(native["merge_height"], oracle.heights[1:], rtol=1e-9, atol=1e-9 * max(oracle.heights))
    assert native["level"] == oracle.chosen
    assert native["cluster"].tolist() == oracle.cluster.tolist()


def levels(native, n):
    """Return the partition at every level, each group named by its lowest component."""
    group = np.arange(n)
    partitions = [group.tolist()]
    for into, from_ in zip(native["merge_into"], native["merge_from"], strict=True):
        group = np.where(group == from_, into, group)
        partitions.append(group.tolist())
    return partitions


@st.composite
def component_sets(draw, kinds=strategies.continuous_kinds):
    """Draw nodes in components whose persistences tie, vanish or vary widely."""
    n_components = draw(st.integers(1, 12))
    nodes = draw(strategies.nodes(kinds, n=(n_components, 40)))
    rng = np.random.default_rng(draw(strategies.seeds))
    # Every component has a node; the others are assigned at random.
    rest = rng.integers(0, n_components, size=len(nodes.rows) - n_components)
    component = rng.permutation(np.append(np.arange(n_components), rest)).astype(np.int32)
    kind = draw(st.sampled_from(["equal", "spread", "some zero"]))
    persistence = {
        "equal": np.ones(n_components),
        "spread": 10.0 ** rng.uniform(-6, 2, size=n_components),
        "some zero": rng.integers(0, 3, size=n_components).astype(float),
    }[kind]
    return nodes.rows, nodes.support, component, persistence


@given(component_sets())
def test_hierarchy_equals_oracle(case):
    assert_hierarchy(_core.hierarchy(*case), component_hierarchy(*case))


@given(component_sets(st.sampled_from([strategies.normal, strategies.clustered])), st.integers(0, 3))
def test_hierarchy_with_forced_merges_equals_oracle(case, heavy):
    """One dominant component leaves C_min well below K_PH."""
    rows, support, component, persistence = case
    n = len(persistence)
    assume(n > 3)
    support = np.where(component == heavy, 1e6, support)
    native = _core.hierarchy(rows, support, component, np.ones(n))
    assert native["minimum_count"] < n
    assert len(native["merge_height"]) > 0
    assert_hierarchy(native, component_hierarchy(rows, support, component, np.ones(n)))


@given(strategies.rows(strategies.exact_kinds, n=(4, 20)), strategies.seeds)
def test_tied_merges_go_to_the_lower_ids(rows, seed):
    """Integers, and masses that are powers of two: costs tie exactly."""
    assume(adaptive_transform(rows).gamma == 0)
    n = len(rows)
    rng = np.random.default_rng(seed)
    support = 2.0 ** rng.integers(0, 2, size=n)
    support[rng.integers(n)] = 2.0**20
    case = rows, support, np.arange(n, dtype=np.int32), np.ones(n)
    native = _core.hierarchy(*case)
    assert native["minimum_count"] < n
    assert_hierarchy(native, component_hierarchy(*case))


def test_one_component_is_one_cluster():
    native = _core.hierarchy(np.eye(3), np.ones(3), np.zeros(3, dtype=np.int32), np.ones(1))
    assert (native["level"], native["cluster"].tolist(), native["minimum_count"]) == (0, [0], 1)


def test_vanishing_masses_fall_back_to_support():
    rows = np.array([[0.0], [1.0], [5.0]])
    native = _core.hierarchy(rows, np.array([1.0, 2.0, 3.0]), np.arange(3, dtype=np.int32), np.zeros(3))
    assert native["mass"].tolist() == [1.0, 2.0, 3.0]


def test_single_vanishing_mass_is_floored():
    rows = np.array([[0.0], [1.0], [5.0]])
    native = _core.hierarchy(rows, np.ones(3), np.arange(3, dtype=np.int32), np.array([0.0, 1.0, 1.0]))
    assert native["mass"].tolist() == [1e-12, 0.5, 0.5]


# Heights with ties, near-ties around the tolerances of the rule, and decreases.
steps = st.integers(-3, 5).map(float) | st.floats(-10, 100) | st.sampled_from([1 + 1e-9, 1 + 5e-6, 1 + 2e-5, 1e-8])


@given(st.lists(steps, max_size=12), st.booleans())
def test_cut_equals_oracle(values, cumulative):
    heights = np.cumsum(values) if cumulative else np.array(values, dtype=float)
    assert _core.cut_level(heights) == largest_jump([0.0, *heights.tolist()])


def test_equal_jumps_cut_at_the_higher_one():
    assert _core.cut_level(np.array([1.0, 2.0, 2.5])) == 1


def test_nearly_equal_jumps_count_as_equal():
    assert _core.cut_level(np.array([1.0, 2.0 - 5e-6])) == 1
    assert _core.cut_level(np.array([1.0, 2.0 - 5e-5])) == 0


def test_near_tie_that_ends_lower_loses():
    """Heights may decrease: the jump up to 2.0 equals the first, with a decrease between."""
    assert _core.cut_level(np.array([3.0, 0.0, 3.0 - 1e-6])) == 0


def test_negative_jumps_cut_as_in_the_oracle():
    assert _core.cut_level(np.array([-1.0, -3.0])) == 0
    assert _core.cut_level(np.array([-3.0, -4.0])) == 1
    assert _core.cut_level(np.array([])) == 0
