"""Fewer nodes than the stream would bring about, and samples that fade (section 12); not in the paper."""

from __future__ import annotations

import numpy as np


def faded(support: np.ndarray, share: float) -> np.ndarray:
    """Supports of which `share` is left, as multiples of 2^-24."""
    return np.floor(support * share * 2**24) / 2**24


def staying(support: np.ndarray, share: float) -> np.ndarray:
    """Mask of the nodes that are not forgotten: those with half a sample left, and in any case the three strongest."""
    stay = faded(support, share) >= 0.5
    if stay.sum() < 3:
        stay = np.zeros(len(support), dtype=bool)
        stay[np.argsort(-support, kind="stable")[:3]] = True
    return stay


def pairs_to_merge(rows: np.ndarray, support: np.ndarray) -> list[tuple[int, int]]:
    """The cheapest disjoint pairs (into, gone) of a node and its best partner, one for every sixteen nodes."""
    n = len(rows)
    squares = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    prices = squares * np.sqrt(np.minimum(support[:, None], support[None]))
    np.fill_diagonal(prices, np.inf)
    partner = prices.argmin(axis=1)
    price = prices.min(axis=1)
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i in np.argsort(price, kind="stable"):
        older, newer = sorted((int(i), int(partner[i])))
        if len(pairs) < max(n // 16, 1) and not taken & {older, newer}:
            taken |= {older, newer}
            pairs.append((older, newer) if support[older] >= support[newer] else (newer, older))
    return pairs
