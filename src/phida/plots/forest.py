"""The merges of a hierarchy as trees with adjacent leaves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from phida.records import Bools, Floats, Hierarchy


@dataclass(frozen=True, eq=False)
class Branch:
    """A leaf, or two branches that a merge joins."""

    leaves: tuple[int, ...]
    """From left to right, the heavier branch first."""
    heaviest: int
    """The heaviest leaf."""
    mass: float
    """Mass of all leaves."""
    height: float
    """Height of the merge; 0 for a leaf."""
    cluster: int
    """Output cluster, -1 if there are several."""


@dataclass(frozen=True, eq=False)
class Forest:
    """Branches that no drawn merge joins, and the drawn merges."""

    roots: list[Branch]
    """The heaviest first."""
    merges: list[tuple[int, Branch, Branch]]
    """Number of each merge, and its left and right branch."""
    mass: Floats
    """Mass of each leaf, with all that was absorbed into it."""


def grow(found: Hierarchy, drawn: Bools) -> Forest:
    """Apply the first ``len(drawn)`` merges of a hierarchy. A merge that is not drawn absorbs a leaf into another."""
    mass = np.array(found.mass, dtype=np.float64)
    branches = {
        leaf: Branch((leaf,), leaf, weight, 0.0, cluster)
        for leaf, (weight, cluster) in enumerate(zip(mass.tolist(), found.cluster.tolist(), strict=True))
    }
    merges = []
    rows = zip(found.merge_into.tolist(), found.merge_from.tolist(), found.merge_height.tolist(), strict=True)
    for i, ((into, source, height), draw) in enumerate(zip(rows, drawn.tolist(), strict=False)):
        a, b = branches[into], branches.pop(source)
        if not draw and min(len(a.leaves), len(b.leaves)) == 1:
            whole, leaf = (a, b) if len(b.leaves) == 1 else (b, a)
            mass[whole.heaviest] += leaf.mass
            branches[into] = replace(whole, mass=a.mass + b.mass)
            continue
        left, right = (a, b) if a.mass >= b.mass else (b, a)
        merges.append((i, left, right))
        branches[into] = Branch(
            leaves=left.leaves + right.leaves,
            heaviest=max(left.heaviest, right.heaviest, key=lambda leaf: mass[leaf]),
            mass=a.mass + b.mass,
            height=height,
            cluster=left.cluster if i < found.level else -1,
        )
    roots = sorted(branches.values(), key=lambda branch: -branch.mass)
    return Forest(roots, merges, mass)
