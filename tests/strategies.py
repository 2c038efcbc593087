"""Random inputs of PHIDA's stages: rows, supports, moments and graphs.

Shapes and kinds are drawn by Hypothesis, so that failures shrink to few rows; the values come from a drawn seed.

*Exact* rows hold small integers. As long as gamma is 0, every sum of their squares is exact, so ties are real and two
implementations must agree to the bit. Other rows are continuous: only copies tie, and rounding cannot change a
decision.
"""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)


def normal(rng, n, d):
    return rng.normal(size=(n, d))


def scaled(rng, n, d):
    """Return features on very unequal scales: gamma > 0 from three features on."""
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 7, size=d)


def clustered(rng, n, d):
    return 8 * rng.integers(0, 4, size=(n, 1)) + rng.normal(size=(n, d))


def duplicated(rng, n, d):
    """Return copies of few rows."""
    return scaled(rng, max(n // 3, 1), d)[rng.integers(0, max(n // 3, 1), size=n)]


def constant_columns(rng, n, d):
    rows = normal(rng, n, d)
    rows[:, rng.random(d) < 0.5] = 7.0
    return rows


def all_equal(rng, n, d):
    return np.tile(normal(rng, 1, d), (n, 1))


def tied(rng, n, d):
    return rng.integers(0, 3, size=(n, d)).astype(float)


def grid(rng, n, d):
    """Return integers with few ties between rows, but many between distances."""
    return rng.integers(-20, 21, size=(n, d)).astype(float)


continuous_kinds = st.sampled_from([normal, scaled, clustered, duplicated, constant_columns, all_equal])
exact_kinds = st.sampled_from([tied, grid])


@st.composite
def rows(draw, kinds=continuous_kinds, n=(1, 40), d=(1, 7)):
    """Draw a C-ordered float64 matrix."""
    kind = draw(kinds)
    shape = draw(st.integers(*n)), draw(st.integers(*d))
    return np.ascontiguousarray(kind(np.random.default_rng(draw(seeds)), *shape))


class Nodes(NamedTuple):
    """Representatives, and the inputs of feature weights."""

    rows: np.ndarray  # (n, d)
    support: np.ndarray  # (n,) M, float64 as in the core
    m2: np.ndarray  # (n, d) over the samples of each node; 0 if the support is 1
    count: float  # samples in the stream
    stream_m2: np.ndarray  # (d,)

    @property
    def weight_source(self):
        """Return the arguments of the native stages."""
        return self.m2, self.support, self.count, self.stream_m2


@st.composite
def supports(draw, n):
    """Draw equal supports, tied ones, and ones spread over orders of magnitude."""
    rng = np.random.default_rng(draw(seeds))
    most = draw(st.sampled_from([1, 2, 4, 30]))
    if most < 30:
        return rng.integers(1, most + 1, size=n).astype(float)
    return np.floor(10.0 ** rng.uniform(0, 4, size=n))


@st.composite
def nodes(draw, kinds=continuous_kinds, n=(2, 40), d=(1, 7), least_support=1):
    y = draw(rows(kinds, n, d))
    support = draw(supports(len(y))) + (least_support - 1)
    rng = np.random.default_rng(draw(seeds))
    spread = np.std(y, axis=0) + (draw(st.booleans()) and 1e-3)
    m2 = rng.chisquare(3, size=y.shape) * spread**2 * (support - 1)[:, None]
    # Features without variance in a node use the global variance.
    m2[rng.random(y.shape) < 0.1] = 0.0
    return Nodes(y, support, m2, support.sum(), np.sum((y - y.mean(axis=0)) ** 2, axis=0) + m2.sum(axis=0))


class Graph(NamedTuple):
    n: int
    edges: list  # (p, q, length), p < q, sorted: the oracle's form

    def csr(self):
        """Return offsets and neighbours, ascending in every row: the native form."""
        neighbours = [[] for _ in range(self.n)]
        for p, q, _ in self.edges:
            neighbours[p].append(q)
            neighbours[q].append(p)
        offset = np.cumsum([0] + [len(row) for row in neighbours], dtype=np.int32)
        return offset, np.array([q for row in neighbours for q in sorted(row)], dtype=np.int32)


@st.composite
def graphs(draw, n=(1, 30)):
    """Draw any graph, from no edges to all edges."""
    size = draw(st.integers(*n))
    density = draw(st.sampled_from([0.0, 0.05, 0.15, 0.5, 1.0]))
    rng = np.random.default_rng(draw(seeds))
    pairs = [(p, q) for p in range(size) for q in range(p + 1, size)]
    return Graph(size, [(p, q, 1.0) for p, q in pairs if rng.random() < density])
