"""Proposition 1: the hierarchy is nested, has at most K_PH levels, and clusters are unions of PH components."""

import itertools

import numpy as np
import strategies
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st

from phida import PHIDA


def partitions(hierarchy):
    """Return the group of every component at every level, from the recorded merges."""
    group = np.arange(len(hierarchy.mass))
    yield group.copy()
    for into, from_ in zip(hierarchy.merge_into, hierarchy.merge_from, strict=True):
        # A merge names two existing groups; it never splits one.
        assert into in group and from_ in group and into < from_
        group[group == from_] = into
        yield group.copy()


def assert_proposition(model):
    nodes, hierarchy = model.nodes_, model.hierarchy_
    n_components = model.n_components_
    levels = list(partitions(hierarchy))

    # Nested: every level is a strict coarsening of the previous one.
    for fine, coarse in itertools.pairwise(levels):
        assert len(np.unique(coarse)) == len(np.unique(fine)) - 1
        assert all(len(np.unique(coarse[fine == g])) == 1 for g in np.unique(fine))

    # L + 1 <= K_PH <= m <= K.
    mapped = np.flatnonzero(nodes.component >= 0)
    assert len(levels) <= n_components <= len(mapped) <= model.n_nodes_

    # No level has fewer than C_min groups, and the chosen level is one of them.
    assert len(np.unique(levels[-1])) >= hierarchy.minimum_count
    assert 0 <= hierarchy.level < len(levels)

    # The chosen level is the mapping: constant on each component, so clusters are unions of components.
    chosen = np.unique(levels[hierarchy.level], return_inverse=True)[1]
    np.testing.assert_array_equal(hierarchy.cluster, chosen)
    np.testing.assert_array_equal(nodes.cluster[mapped], chosen[nodes.component[mapped]])
    assert (nodes.cluster[nodes.component < 0] == -1).all()
    assert set(nodes.component[mapped]) == set(range(n_components))
    assert set(nodes.cluster[mapped]) == set(range(model.n_clusters_))


@given(strategies.rows(n=(1, 120)))
def test_proposition_1_holds_on_short_streams(rows):
    assert_proposition(PHIDA().fit(rows))


@given(st.integers(0, 1000), st.sampled_from([blobs, drifting]))
def test_proposition_1_holds_on_longer_streams(seed, stream):
    assert_proposition(PHIDA(compute_labels=False).fit(stream(400, seed=seed)))


def test_proposition_1_holds_on_hierarchies_with_merges():
    """Most streams have no merge; these have several levels, and one is cut above the first."""
    models = [PHIDA(compute_labels=False).fit(blobs(2000, 5, 30, seed, 2.0)) for seed in (1, 8, 9)]
    for model in models:
        assert_proposition(model)
        assert len(model.hierarchy_.merge_height) > 1
    assert any(model.n_clusters_ < model.n_components_ for model in models)
