"""Hand-made states of PHIDA+ with the read-out that follows from PLUS, section 3, on paper.

Data alone, so that any program can be put through it. Pairs map (winner, runner-up) to the samples counted there:
(n, s1, s2). Most nodes are on a line, one unit apart, so gamma is 0 and lengths are exact.
"""

from typing import NamedTuple

import numpy as np


def level(n):
    """n samples on a level with the winner, u = 1: a valley from 5 samples on."""
    return n, float(n), float(n)


def spread(n):
    """n samples spread evenly from the plane to the winner: no valley."""
    return n, n / 2, n / 3


class Case(NamedTuple):
    support: list
    pairs: dict
    rows: list
    nodes: list | None  # V as step 3 leaves it; None: the paper's map serves for both levels
    groups: list | None = None  # of the nodes of V
    parts: list | None = None
    strength: list | None = None  # k
    loop: list | None = None
    height: list | None = None  # h
    probes: tuple = ()  # (row, its group, its part)

    def matrices(self):
        """n, s1 and s2 as arrays."""
        K = len(self.support)
        n, s1, s2 = np.zeros((K, K), dtype=np.int64), np.zeros((K, K)), np.zeros((K, K))
        for pair, sums in self.pairs.items():
            n[pair], s1[pair], s2[pair] = sums
        return n, s1, s2


def line(n):
    return [[float(i)] for i in range(n)]


# Two flanks with loops of 180 and a middle node with none. h is 200 and 40; e of a flank is 200^2 / (20^2 + 180^2) =
# 1.2195, of the middle 40^2 / (2 * 20^2) = 2; so both edges have t = 20 sqrt(2.439) = 31.2, and 3.69 t = 115.4. The
# middle (40) joins whichever flank comes first; the flanks (200) stay apart. T = 440: a flank and the middle gain
# 440 * 20 - 200 * 40 = 800, both alike; then 440 * 20 - 240 * 200 < 0.
def two_flanks(middle):
    flanks = [i for i in range(3) if i != middle]
    pairs = {(f, f): (90, 0.0, 0.0) for f in flanks}
    pairs |= {(f, middle): spread(10) for f in flanks} | {(middle, f): spread(10) for f in flanks}
    rows = [[0.0], [0.0], [0.0]]
    rows[flanks[0]], rows[middle], rows[flanks[1]] = [0.0], [1.0], [2.0]
    return pairs, rows


CASES = {
    # S = 20, k = 20 each, T = 40: 40 * 20 - 20 * 20 > 0.
    "two nodes with flow": Case(
        [11, 11],
        {(0, 1): spread(10), (1, 0): spread(10)},
        line(2),
        [0, 1],
        [0, 0],
        [0, 0],
        strength=[20, 20],
        loop=[0, 0],
        height=[20.0, 20.0],
    ),
    # 4 * 9^2 = 324 > (27 + 6) * 9 = 297, both ways. A sample half way is nearest to the lower node.
    "a valley between two nodes": Case(
        [10, 10],
        {(0, 1): level(9), (1, 0): level(9)},
        line(2),
        [0, 1],
        [0, 1],
        [0, 1],
        strength=[18, 18],
        loop=[18, 18],
        probes=(([0.5], 0, 0), ([0.75], 1, 1)),
    ),
    # 4 * 4^2 = 64 = (12 + 4) * 4: not above.
    "four samples never cut": Case(
        [5, 5], {(0, 1): level(4), (1, 0): level(4)}, line(2), [0, 1], [0, 0], [0, 0], loop=[0, 0]
    ),
    # 4 * 5^2 = 100 > (15 + 4.47) * 5 = 97.4.
    "five samples may cut": Case(
        [6, 6], {(0, 1): level(5), (1, 0): level(5)}, line(2), [0, 1], [0, 1], [0, 1], loop=[10, 10]
    ),
    # 0 to 1 is cut, 1 to 0 is not: S = 10, loops 18 and 2 * 20. T = 28 + 50 = 78: 78 * 10 - 28 * 50 < 0, two parts.
    # h = 28 and 50, e = 784/424 and 2500/1700, t = 10 sqrt(2.719) = 16.5; 28 < 3.69 * 16.5 = 60.9, one group.
    "a cut in one direction": Case(
        [10, 31],
        {(0, 1): level(9), (1, 0): spread(10), (1, 1): (20, 0.0, 0.0)},
        line(2),
        [0, 1],
        [0, 0],
        [0, 1],
        strength=[28, 50],
        loop=[18, 40],
        height=[28.0, 50.0],
    ),
    # Each pair of node 0 has 4 * 3^2 = 36 < (9 + 3.46) * 3 = 37.4; together 324 > 297. The others form a ring.
    "a node alone by the sum of its row": Case(
        [10, 11, 11, 11],
        {(0, 1): level(3), (0, 2): level(3), (0, 3): level(3)}
        | {(1, 2): spread(10), (2, 3): spread(10), (3, 1): spread(10)},
        line(4),
        [0, 1, 2, 3],
        [0, 1, 1, 1],
        [0, 1, 1, 1],
        strength=[18, 20, 20, 20],
        loop=[18, 0, 0, 0],
    ),
    # 0 to 2 is cut, and 2 never won: k_2 = 0. Node 0's row: 4 * 14^2 = 784 < (57 + 8.7) * 12.3 = 810, not alone.
    "a node with k = 0 leaves": Case(
        [20, 11, 3],
        {(0, 1): spread(10), (1, 0): spread(10), (0, 2): level(9)},
        line(3),
        [0, 1],
        [0, 0],
        [0, 0],
        strength=[38, 20],
        loop=[18, 0],
    ),
    # As before, but only one node has k > 0: nobody leaves.
    "k = 0 with one other node stays": Case(
        [10, 3], {(0, 1): level(9)}, line(2), [0, 1], [0, 1], [0, 1], strength=[18, 0], loop=[18, 0]
    ),
    "a node without counts leaves": Case(
        [11, 4, 11], {(0, 2): spread(10), (2, 0): spread(10)}, line(3), [0, 2], [0, 0], [0, 0], loop=[0, 0]
    ),
    # w counts the runner-up outside V (5) and the one that was deleted (7): loop 24.
    "samples without a runner-up in V are loops": Case(
        [23, 11, 1],
        {(0, 0): (7, 0.0, 0.0), (0, 1): spread(10), (0, 2): spread(5), (1, 0): spread(10)},
        line(3),
        [0, 1],
        [0, 0],
        [0, 0],
        strength=[44, 20],
        loop=[24, 0],
    ),
    "no counts inside V": Case([6, 6, 1], {(0, 2): spread(5), (1, 1): (5, 0.0, 0.0)}, line(3), None),
    "no counts at all": Case([4, 4], {}, line(2), None),
    "all nodes where none has M > 1": Case([1, 1], {(0, 1): spread(1)}, line(2), [0, 1], [0, 0], [0, 0]),
    # m = (20 * 0 + 20 * 1) / 40 = 0.5, so the first edge has length 5e-7 and density 4e7.
    "the floor of lengths": Case(
        [11, 21, 11],
        {(0, 1): spread(10), (1, 0): spread(10), (1, 2): spread(10), (2, 1): spread(10)},
        [[0.0], [0.0], [1.0]],
        [0, 1, 2],
        [0, 0, 0],
        [0, 0, 0],
        height=[4e7, 4e7 + 20, 20.0],
    ),
    # m = 0: any unit of length gives the same groups.
    "all nodes coincide": Case(
        [11, 11], {(0, 1): (10, 0.0, 0.0)}, [[3.0], [3.0]], [0, 1], [0, 0], [0, 0], strength=[10, 10]
    ),
    "equal edges and merges: middle 0": Case(
        [100, 21, 100], *two_flanks(0), [0, 1, 2], [0, 0, 1], [0, 0, 1], height=[40.0, 200.0, 200.0]
    ),
    "equal edges and merges: middle 1": Case(
        [100, 21, 100], *two_flanks(1), [0, 1, 2], [0, 0, 1], [0, 0, 1], height=[200.0, 40.0, 200.0]
    ),
    "equal edges and merges: middle 2": Case(
        [100, 21, 100], *two_flanks(2), [0, 1, 2], [0, 1, 0], [0, 1, 0], height=[200.0, 200.0, 40.0]
    ),
    # At 4, node 0 scores 2 * 4 = 8 and the part of 10 and 11 at least 6 + 6; 4 squared would lose.
    "a part of one node is scored like every other": Case(
        [10, 11, 11],
        {(0, 1): level(9), (1, 2): spread(10), (2, 1): spread(10)},
        [[0.0], [10.0], [11.0]],
        [0, 1, 2],
        [0, 1, 1],
        [0, 1, 1],
        probes=(([4.0], 0, 0), ([9.0], 1, 1)),
    ),
}

#: Counts before and after nodes go: (n, gone, n after). Samples of a winner that stays are kept on the diagonal.
DELETION = (
    [[1, 2, 3, 4], [5, 0, 6, 7], [8, 9, 0, 1], [2, 3, 4, 5]],
    [False, True, False, True],
    [[1 + 2 + 4, 3], [8, 0 + 9 + 1]],
)

#: Copies of one row: no sample is off its winner, theta stays absent.
COPIES = [[1.0, 2.0]] * 40

#: One sample off node 0 sets theta. Then come copies of node 2 alone, at distance 0, so theta falls to its floor.
FALLING = [[0.0], [1.0], [3.0], [0.25]] + [[3.0]] * 1500
