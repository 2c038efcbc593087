"""H0 persistence of the log-support density over a graph, and its cut into PH components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .graph import Edge


@dataclass
class Persistence:
    density: np.ndarray  # (n,) rho = log M
    base: np.ndarray  # (n,) mode of the node's tree right after its own activation
    modes: np.ndarray  # (m,) node index of every mode, ascending
    parent: np.ndarray  # (m,) mode (node index) it died into, -1 for survivors
    death: np.ndarray  # (m,) density at death, -inf for survivors
    persistence: np.ndarray  # (m,) rho(mode) - death, inf for survivors


@dataclass
class PhComponents:
    component: np.ndarray  # (n,) component id of every node
    modes: np.ndarray  # (C,) the mode of each component, ascending
    mode_persistence: np.ndarray  # (C,) persistence of each mode
    epsilon: float  # the persistence threshold


def h0_persistence(support: np.ndarray, n: int, edges: list[Edge]) -> Persistence:
    """Return birth and death of the density modes of a graph of n nodes (section 6e)."""
    rho = np.log(support)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for p, q, _ in edges:
        neighbours[p].add(q)
        neighbours[q].add(p)

    def rank(v: int) -> tuple[float, int]:
        """Sort key of nodes: denser first, then the lower index."""
        return -rho[v], v

    mode_of: dict[int, int] = {}  # active node -> mode of its tree
    base = np.empty(n, dtype=int)
    died_into: dict[int, int] = {}
    death: dict[int, float] = {}
    modes = []
    for v in sorted(range(n), key=rank):
        active = sorted(u for u in neighbours[v] if u in mode_of)
        if active:
            mode_of[v] = mode_of[active[0]]
        else:
            mode_of[v] = v
            modes.append(v)
        for u in active:
            if mode_of[u] == mode_of[v]:
                continue
            survivor, dead = sorted((mode_of[u], mode_of[v]), key=rank)
            died_into[dead], death[dead] = survivor, rho[v]
            for w, mode in mode_of.items():
                if mode == dead:
                    mode_of[w] = survivor
        base[v] = mode_of[v]

    modes.sort()
    deaths = np.array([death.get(m, -np.inf) for m in modes])
    parent = np.array([died_into.get(m, -1) for m in modes])
    return Persistence(rho, base, np.array(modes), parent, deaths, rho[modes] - deaths)


def persistence_cut(values: np.ndarray) -> float:
    """Return the threshold epsilon below the largest gap of the persistences (section 6f)."""
    levels = np.unique(values[np.isfinite(values) & (values > 0)])
    if len(levels) <= 1:
        return 0.0
    levels = np.concatenate([[0.0], levels])
    gaps = np.diff(levels)
    # Among equal gaps, the one with the larger upper level, which is the last.
    widest = np.flatnonzero(gaps == gaps.max())[-1]
    return levels[widest].item()


def ph_components(support: np.ndarray, n: int, edges: list[Edge]) -> PhComponents:
    """Return PH components: the persistence tree cut at its largest gap (sections 6e and 6f)."""
    tree = h0_persistence(support, n, edges)
    epsilon = persistence_cut(tree.persistence)
    parent = dict(zip(tree.modes.tolist(), tree.parent.tolist()))
    persistence = dict(zip(tree.modes.tolist(), tree.persistence.tolist()))

    final = np.empty(n, dtype=int)
    for v in range(n):
        mode = tree.base[v].item()
        # Survivors have infinite persistence, so the climb always ends.
        while persistence[mode] <= epsilon:
            mode = parent[mode]
        final[v] = mode
    modes, component = np.unique(final, return_inverse=True)
    mode_persistence = np.array([persistence[m] for m in modes.tolist()])
    return PhComponents(component, modes, mode_persistence, epsilon)


def singleton_components(n: int) -> PhComponents:
    """Make every node its own component with infinite persistence (ablation noPH)."""
    return PhComponents(np.arange(n), np.arange(n), np.full(n, np.inf), 0.0)


def component_persistence(support: np.ndarray, component: np.ndarray, mode_persistence: np.ndarray) -> np.ndarray:
    """Return the persistence summary pi of every component (section 6g)."""
    usable = mode_persistence[np.isfinite(mode_persistence) & (mode_persistence > 0)]
    stand_in = usable.max() if len(usable) else 1.0
    per_node = np.where(np.isinf(mode_persistence), stand_in, mode_persistence)[component]
    return np.array(
        [np.average(per_node[component == a], weights=support[component == a]) for a in range(len(mode_persistence))]
    )
