"""PHIDA+ beside PHIDA, k-means and HDBSCAN: generated groups, clouds, curves, shapes, and the paper's data sets.

Run: ``python studies/plus_evidence.py DATA [--seeds 3] [--only blobs,shapes,...]``, where DATA is a folder with the
benchmark's data sets as ``<name>.npz`` (arrays X, y) and the shapes in its folder ``shapes``. Prints one line per
family of data sets: mean ARI and AMI, and the share of runs with the right number of clusters.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDA, PHIDAPlus

Case = tuple[str, np.ndarray, np.ndarray]
Order = Callable[[np.ndarray, int], list[np.ndarray]]


def blobs() -> Iterator[Case]:
    """The sets that a new user tries: make_blobs, 5,000 rows."""
    sizes = [(3, 2), (5, 2), (10, 2), (5, 10), (20, 10), (50, 10), (10, 50), (20, 5), (50, 5), (100, 20), (100, 100)]
    for k, d in sizes:
        yield f"{k} groups in {d}-d", *make_blobs(5000, n_features=d, centers=k, random_state=0)


def separated() -> Iterator[Case]:
    """Groups at least eight standard deviations apart: equal, unbalanced 20 : 1, and of different widths."""
    for k in (2, 3, 5, 10, 20, 50, 100):
        for d in (2, 3, 5, 10, 20, 50, 100):
            for kind in ("equal", "unbalanced", "widths"):
                yield f"{k} {kind} groups in {d}-d", *_separated(k, d, kind)


def _separated(k: int, d: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(1000 * k + d)
    width = random.uniform(0.5, 2, k) if kind == "widths" else np.ones(k)
    side, centers, failures = 8 * width.max() * 1.2 * max(k ** (1 / d), 1), [], 0
    while len(centers) < k:
        point, i = random.uniform(0, side, d), len(centers)
        if all(np.linalg.norm(point - c) >= 8 * max(width[i], width[j]) for j, c in enumerate(centers)):
            centers.append(point)
            failures = 0
        elif (failures := failures + 1) > 200:
            side, failures = side * 1.1, 0
    share = 20.0 ** (-np.arange(k) / max(k - 1, 1)) if kind == "unbalanced" else np.ones(k)
    counts = np.maximum((share / share.sum() * max(2000, 50 * k)).astype(int), 20)
    rows = [c + w * random.randn(n, d) for c, w, n in zip(centers, width, counts, strict=True)]
    return np.concatenate(rows), np.repeat(np.arange(k), counts)


def clouds() -> Iterator[Case]:
    """One group each: Gaussian, uniform, heavy-tailed, stretched, lines and sheets."""
    for d in (1, 2, 3, 5, 8, 16, 32, 64):
        random = np.random.RandomState(d)
        turn = np.linalg.qr(random.randn(d, d))[0]
        n = 3000
        line = 0.02 * random.randn(n, d)
        line[:, 0] += 4 * random.rand(n)
        sheet = line.copy()
        sheet[:, min(1, d - 1)] += 4 * random.rand(n)
        yield from (
            (f"{name} in {d}-d", rows, np.zeros(n, int))
            for name, rows in {
                "Gaussian": random.randn(n, d),
                "uniform": random.rand(n, d),
                "heavy tails": random.randn(n, d) / np.sqrt(random.chisquare(3, n) / 3)[:, None],
                "stretched": (random.randn(n, d) * np.linspace(1, 10, d)) @ turn,
                "line": line @ turn,
                "sheet": sheet @ turn,
            }.items()
        )


def moons() -> Iterator[Case]:
    """Two half moons."""
    for n in (500, 1000, 2000, 5000):
        for noise in (0.03, 0.06, 0.1):
            yield f"{n} rows, noise {noise}", *make_moons(n, noise=noise, random_state=1)


def circles() -> Iterator[Case]:
    """A circle inside another."""
    for n in (500, 1000, 2000, 5000):
        for noise in (0.03, 0.06, 0.1):
            yield f"{n} rows, noise {noise}", *make_circles(n, noise=noise, factor=0.5, random_state=1)


def _files(folder: Path) -> Iterator[Case]:
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            yield path.stem, np.ascontiguousarray(file["X"], float), file["y"]


def _shuffled(y: np.ndarray, seed: int) -> list[np.ndarray]:
    return [np.random.RandomState(seed).permutation(len(y))]


def _by_class(y: np.ndarray, seed: int) -> list[np.ndarray]:
    random = np.random.RandomState(seed)
    return [np.flatnonzero(y == c) for c in np.unique(y)[random.permutation(len(np.unique(y)))]]


def _online(model: PHIDA | PHIDAPlus, X: np.ndarray, stages: list[np.ndarray]) -> PHIDA | PHIDAPlus:
    for rows in stages:
        model.partial_fit(X[rows]).refresh()
    return model


def _labels(X: np.ndarray, y: np.ndarray, stages: list[np.ndarray], batch: bool) -> dict[str, np.ndarray]:
    plus = _online(PHIDAPlus(compute_labels=False), X, stages)
    labels = {
        "PHIDA": _online(PHIDA(compute_labels=False), X, stages).predict(X),
        "parts": plus.predict(X, level="parts"),
        "groups": plus.predict(X, level="groups"),
    }
    if batch:
        labels["HDBSCAN"] = HDBSCAN(min_cluster_size=10, copy=True).fit_predict(X)
        labels["k-means, K"] = KMeans(len(np.unique(y)), n_init=3, random_state=0).fit_predict(X)
    return labels


def _report(
    title: str, cases: Iterator[Case], seeds: int, order: Callable[[np.ndarray, int], list[np.ndarray]]
) -> None:
    scores: dict[str, list[tuple[float, float, bool]]] = {}
    for name, X, y in cases:
        found: dict[str, list[tuple[float, float, bool]]] = {}
        for seed in range(seeds if len(y) < 30_000 else 1):
            for system, labels in _labels(X, y, order(y, seed), batch=seed == 0 and X.size <= 300_000).items():
                right = len(np.unique(labels)) == len(np.unique(y))
                found.setdefault(system, []).append(
                    (adjusted_rand_score(y, labels), adjusted_mutual_info_score(y, labels), right)
                )
        means = {system: tuple(np.mean(values, axis=0)) for system, values in found.items()}
        print(f"  {name}: " + "; ".join(f"{s} {m[0]:.3f}/{m[1]:.3f}" for s, m in means.items()), flush=True)
        for system, values in means.items():
            scores.setdefault(system, []).append(values)
    for system, values in scores.items():
        ari, ami, right = np.mean(values, axis=0)
        print(
            f"{title}: {system}: ARI {ari:.3f} AMI {ami:.3f} right count {right:.2f} ({len(values)} sets)", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="blobs,separated,clouds,moons,circles,shapes,stationary,nonstationary")
    chosen = parser.parse_args()
    families: dict[str, tuple[Callable[[], Iterator[Case]], Order]] = {
        family.__name__: (family, _shuffled) for family in (blobs, separated, clouds, moons, circles)
    }
    families["shapes"] = (lambda: _files(chosen.data / "shapes"), _shuffled)
    families["stationary"] = (lambda: _files(chosen.data), _shuffled)
    families["nonstationary"] = (lambda: _files(chosen.data), _by_class)
    warnings.simplefilter("ignore", FutureWarning)
    for name in chosen.only.split(","):
        cases, order = families[name]
        _report(name, cases(), chosen.seeds, order)


if __name__ == "__main__":
    main()
