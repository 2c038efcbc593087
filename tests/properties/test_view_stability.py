"""Effect of one more row on the PH components of a fixed graph.

One row raises the support M of a node by 1, and so its density log M by δ = log(1 + 1 / M). By the stability of
persistence, the k-th largest prominence then changes by at most δ, for every k. The threshold is in the largest gap of
the prominences. A gap changes by at most 2 δ, so the number of components stays if the largest gap exceeds all others
by more than 4 δ.
"""

import numpy as np
import strategies
from hypothesis import assume, given
from hypothesis import strategies as st

from phida import _core

_ROUNDING = 1e-12


@st.composite
def one_more_row(draw):
    graph = draw(strategies.graphs())
    support = np.asarray(draw(strategies.supports(graph.n)))
    node = draw(st.integers(0, graph.n - 1))
    after = support.copy()
    after[node] += 1
    return graph, support, after, float(np.log1p(1 / support[node]))


def prominences(stage):
    """Return the prominences of all modes, largest first; survivors are infinite."""
    modes = stage["base"] == np.arange(len(stage["base"]))
    return np.sort(stage["value"][modes])[::-1]


@given(one_more_row())
def test_one_row_changes_each_prominence_by_at_most_delta(case):
    graph, support, after, delta = case
    found = [prominences(_core.ph_components(*graph.csr(), s, prune=False)) for s in (support, after)]
    assert np.isinf(found[0]).sum() == np.isinf(found[1]).sum()
    finite = [values[np.isfinite(values)] for values in found]
    size = max(map(len, finite))
    before, now = (np.pad(values, (0, size - len(values))) for values in finite)
    assert (np.abs(before - now) <= delta + _ROUNDING).all()


@st.composite
def one_more_row_on_a_ring(draw):
    """Draw many peaks, with supports so large that the gaps differ by more than δ."""
    n = draw(st.integers(12, 60))
    support = np.array(draw(st.lists(st.integers(1000, 10**6), min_size=n, max_size=n)), dtype=float)
    graph = strategies.Graph(n, [(p, p + 1, 1.0) for p in range(n - 1)] + [(0, n - 1, 1.0)])
    node = draw(st.integers(0, n - 1))
    after = support.copy()
    after[node] += 1
    return graph, support, after, float(np.log1p(1 / support[node]))


@given(one_more_row_on_a_ring())
def test_number_of_components_is_stable_if_the_largest_gap_leads_by_four_delta(case):
    graph, support, after, delta = case
    before = _core.ph_components(*graph.csr(), support, prune=False)
    values = prominences(before)
    levels = np.append(values[np.isfinite(values)], 0.0)
    gaps = np.sort(-np.diff(levels))
    positive = np.unique(levels[levels > 0])
    assume(len(positive) > 1 and gaps[-1] - gaps[-2] > 4 * delta + _ROUNDING)
    now = _core.ph_components(*graph.csr(), after, prune=False)
    assert len(before["mode"]) == len(now["mode"])
