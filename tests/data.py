"""Streams for tests of the estimator."""

import numpy as np


def blobs(n=300, d=3, centers=5, seed=0, spread=6.0):
    """Return groups of normal noise in random order."""
    rng = np.random.default_rng(seed)
    return spread * rng.normal(size=(centers, d))[rng.integers(0, centers, size=n)] + rng.normal(size=(n, d))


def drifting(n=400, d=3, seed=0):
    """Return groups that follow each other, on unequal scales: gamma > 0, and nodes are added and removed."""
    rows = blobs(n, d, seed=seed, spread=8.0)
    order = np.argsort(rows[:, 0] + np.random.default_rng(seed).normal(size=n), kind="stable")
    return np.ascontiguousarray(rows[order] * np.logspace(-2, 3, d))


def five_groups(n, seed=0):
    """Return rows of the same five groups in four features for every seed."""
    rng = np.random.default_rng(seed)
    centers = 6 * np.random.default_rng(9).normal(size=(5, 4))
    return centers[rng.integers(5, size=n)] + rng.normal(size=(n, 4))


def same_partition(one, other):
    """Return whether two labellings are equal up to renumbering."""
    pairs = len(set(zip(one.tolist(), other.tolist(), strict=True)))
    return pairs == len(set(one.tolist())) == len(set(other.tolist()))
