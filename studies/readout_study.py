"""Variants of the co-activation rule on one half of the data sets: see docs/decisions/beyond_coactivation.md.

``python studies/readout_study.py FOLDER choosing`` reads data sets from a folder of npz files, prints a line per
data set and setting, and then the means.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import _core

HALVES = {
    "choosing": [
        "anuran_calls",
        "dermatology",
        "iris",
        "letter",
        "msra25",
        "penbased",
        "pima",
        "seeds",
        "shuttle",
        "statlog",
        "tuandromd",
    ],
    "confirming": (
        [
            "binalpha",
            "image_segmentation",
            "isolet",
            "mice_protein",
            "optdigits",
            "phoneme",
            "rice",
            "semeion",
            "skin",
            "texture",
            "yeast",
        ]
    ),
}
FEW_SEEDS = ("skin", "shuttle", "isolet")
VARIANTS = ("paper", "coactivation", "lift", "weaker side", "touching", "components", "components and touching")


def learned(X, y, setting, seed):
    """A learner after the stream, as the benchmark feeds it, and the classes in that order."""
    random = np.random.RandomState(seed)
    if setting == "stationary":
        stages = [random.permutation(len(X))]
    else:
        classes = np.unique(y)
        stages = [np.flatnonzero(y == c) for c in classes[random.permutation(len(classes))]]
    learner = _core.Learner(X.shape[1])
    for rows in stages:
        learner.learn(np.ascontiguousarray(X[rows]))
        learner.end_learning()
    return learner


def counts(state, reading, *, touching):
    """Wins that nodes share, symmetric, in either role; those of a node with itself on the diagonal."""
    n = len(state["support"])
    won = np.zeros((n, n))
    won[state["co_winner"], state["co_runner_up"]] = state["co_count"]
    if touching:
        inverse = 1 / reading.view()["denominator"]
        rows = state["representative"] * inverse
        radius = np.sqrt((state["m2"] * inverse**2).sum(axis=1) / state["support"])
        apart = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2)) > radius[:, None] + radius[None]
        own = np.where(apart, won, 0).sum(axis=1)
        won = np.where(apart, 0, won) + np.diag(own)
    return won + won.T


def groups(variant, state, reading):
    """Cluster per node by a variant, -1 for none; None where nothing is shared."""
    support = state["support"]
    inside = support > 1 if (support > 1).any() else np.ones(len(support), dtype=bool)
    shared = counts(state, reading, touching="touching" in variant)
    shared[~inside] = shared[:, ~inside] = 0
    inside &= shared.sum(axis=1) > 0
    if not inside.any():
        return None
    name = np.arange(len(support))
    if variant.startswith("components"):
        for c in range(state["component"].max() + 1):
            members = np.flatnonzero((state["component"] == c) & inside)
            name[members] = members[0] if len(members) else -1
    names = np.unique(name[inside])
    part = (name[None] == names[:, None]) & inside
    shared = part.astype(float) @ shared @ part.T
    strength = shared.sum(axis=1)
    total = strength.sum()
    alive = np.ones(len(names), dtype=bool)
    group = np.arange(len(names))
    while alive.sum() > 1:
        beyond = total * shared - np.outer(strength, strength)
        if variant == "lift":
            value = total * shared / np.outer(strength, strength)
        elif variant == "weaker side":
            value = shared / np.minimum.outer(strength, strength)
        else:
            value = beyond
        value = np.where((beyond > 0) & alive & alive[:, None], value, -np.inf)
        value[np.tril_indices(len(names))] = -np.inf
        a, b = np.unravel_index(np.argmax(value), value.shape)
        if not np.isfinite(value[a, b]):
            break
        shared[a] += shared[b]
        shared[:, a] += shared[:, b]
        strength[a] += strength[b]
        alive[b] = False
        group[group == b] = a
    cluster = np.full(len(support), -1)
    found = np.unique(group, return_inverse=True)[1]
    for i, members in enumerate(part):
        cluster[members] = found[i]
    return cluster


def main(folder, half):
    figures = defaultdict(list)
    for dataset in HALVES[half]:
        with np.load(Path(folder) / f"{dataset}.npz") as archive:
            X, y = np.ascontiguousarray(archive["X"], dtype=float), archive["y"]
        for setting in ("stationary", "nonstationary"):
            scores = defaultdict(list)
            for seed in range(3 if dataset in FEW_SEEDS else 5):
                learner = learned(X, y, setting, seed)
                state, reading = learner.__getstate__(), learner.reading()
                for variant in VARIANTS:
                    cluster = None if variant == "paper" else groups(variant, state, reading)
                    if cluster is None:
                        labels = reading.assign(X)
                    else:
                        rows = np.flatnonzero(cluster >= 0)
                        labels, _ = _core.assign(
                            state["representative"][rows],
                            state["support"][rows],
                            cluster[rows].astype(np.int32),
                            int(cluster.max()) + 1,
                            X,
                        )
                    scores[variant].append((adjusted_rand_score(y, labels), adjusted_mutual_info_score(y, labels)))
            means = {variant: np.mean(values, axis=0) for variant, values in scores.items()}
            told = "  ".join(f"{variant} {ari:.3f} {ami:.3f}" for variant, (ari, ami) in means.items())
            print(f"{dataset:18} {setting:13} {told}", flush=True)
            for variant, (ari, ami) in means.items():
                figures[variant, setting].append((ari, ami))
    for variant in VARIANTS:
        four = np.concatenate([np.mean(figures[variant, s], axis=0) for s in ("stationary", "nonstationary")])
        print(f"{variant:24} " + " ".join(f"{value:.4f}" for value in four) + f"  mean {four.mean():.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
