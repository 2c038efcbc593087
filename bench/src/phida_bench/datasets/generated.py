"""Data sets with groups that a person can see, made by rule from fixed seeds: blobs, curves, clouds, unit vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Groups = NDArray[np.int64]
Made = tuple[Rows, Groups]

#: The group of a row that belongs to none; it is learned, and not scored.
NOISE = -1


@dataclass(frozen=True)
class Recipe:
    """How a data set is made."""

    name: str
    title: str
    family: str
    features: int
    groups: int
    make: Callable[[np.random.RandomState], Made]

    def rows(self) -> Made:
        """The rows and their groups, the same at every call."""
        return self.make(np.random.RandomState(_seed(self.name)))


@cache
def recipes() -> dict[str, Recipe]:
    """All recipes by name, in the order of tables.

    Examples
    --------
    >>> from phida_bench.datasets.generated import recipes
    >>> X, y = recipes()["moons"].rows()
    >>> X.shape, sorted(set(y.tolist()))
    ((2000, 2), [0, 1])
    """
    return {recipe.name: recipe for recipe in _recipes()}


def _recipes() -> Iterator[Recipe]:
    for k in (2, 5, 10, 20, 50, 100):
        for d in (2, 5, 20, 100):
            yield _blobs(f"blobs_{k}_{d}", f"{k} blobs, {d}-d", k, d)
    for d in (2, 10):
        for word, gap in (("touching", 4.0), ("close", 5.0), ("near", 6.0), ("far", 16.0)):
            yield _blobs(f"blobs_{word}_{d}", f"10 blobs {word}, {d}-d", 10, d, family="gaps", gap=gap)
    for d in (2, 10):
        yield _blobs(f"unbalanced_{d}", f"5 blobs 1 : 100, {d}-d", 5, d, family="uneven blobs", ratio=100.0)
        yield _blobs(f"widths_{d}", f"10 blobs of widths 1 : 4, {d}-d", 10, d, family="uneven blobs", widths=(0.5, 2.0))
        yield _blobs(f"stretched_{d}", f"5 blobs stretched 1 : 5, {d}-d", 5, d, family="uneven blobs", stretch=5.0)
        yield _blobs(f"heavy_tails_{d}", f"5 blobs with heavy tails, {d}-d", 5, d, family="uneven blobs", tails=3.0)
        yield _blobs(f"noise_{d}", f"5 blobs in 10 % noise, {d}-d", 5, d, family="uneven blobs", noise=0.1)
    yield Recipe("moons", "two moons", "curves", 2, 2, _moons)
    yield Recipe("circles", "two circles", "curves", 2, 2, _circles)
    for d in (2, 10, 100):
        yield Recipe(f"gaussian_{d}", f"one Gaussian, {d}-d", "one group", d, 1, partial(_cloud, _gaussian, d))
    for d in (2, 10):
        yield Recipe(f"uniform_{d}", f"one uniform cloud, {d}-d", "one group", d, 1, partial(_cloud, _uniform, d))
    yield Recipe("line", "one line, 3-d", "one group", 3, 1, partial(_flat, 1, 3))
    yield Recipe("sheet", "one sheet, 5-d", "one group", 5, 1, partial(_flat, 2, 5))
    for k in (20, 50, 100):
        yield Recipe(
            f"unit_vectors_{k}", f"{k} groups of unit vectors, 128-d", "unit vectors", 128, k, partial(_unit, k)
        )


def _seed(name: str) -> int:
    """A seed of its own for each name, so that adding a data set leaves the others as they are."""
    return int(sum(ord(letter) * 31**place for place, letter in enumerate(name)) % 2**32)


def _blobs(name: str, title: str, k: int, d: int, family: str = "blobs", **shape: Any) -> Recipe:
    return Recipe(name, title, family, d, k, partial(_draw_blobs, k=k, d=d, **shape))


def _draw_blobs(
    random: np.random.RandomState,
    k: int,
    d: int,
    gap: float = 8.0,
    ratio: float = 1.0,
    widths: tuple[float, float] = (1.0, 1.0),
    stretch: float = 1.0,
    tails: float | None = None,
    noise: float = 0.0,
) -> Made:
    """Gaussian groups whose centres are at least ``gap`` standard deviations of the wider apart, the nearest just so.

    ``ratio`` of the largest group to the smallest, ``stretch`` of its longest axis to the others, Student's t with
    ``tails`` degrees of freedom instead of Gaussians, and a share of ``noise`` that is uniform in the box of the rest.
    """
    width = np.geomspace(*widths, k)
    centers = _centers(random, k, d, gap * width.max() * stretch)
    weights = ratio ** (-np.arange(k) / max(k - 1, 1))
    counts = np.maximum(np.round(max(2000, 50 * k) * weights / weights.sum()).astype(int), 10)
    y = np.repeat(np.arange(k), counts)
    X = random.standard_normal((len(y), d))
    if tails is not None:
        X /= np.sqrt(random.chisquare(tails, len(y)) / tails)[:, None]
    if stretch != 1.0:
        X = np.concatenate([_turned(random, X[y == group], stretch) for group in range(k)])
    X = centers[y] + width[y, None] * X
    if noise:
        extra = int(noise * len(y))
        X = np.concatenate([X, random.uniform(X.min(axis=0), X.max(axis=0), (extra, d))])
        y = np.concatenate([y, np.full(extra, NOISE)])
    return X, y


def _centers(random: np.random.RandomState, k: int, d: int, gap: float) -> Rows:
    """Points in a cube, none nearer to another than ``gap``; the cube grows as long as they do not fit."""
    side, centers, failures = gap * k ** (1 / d), np.empty((0, d)), 0
    while len(centers) < k:
        point = random.uniform(0, side, d)
        if len(centers) == 0 or np.linalg.norm(centers - point, axis=1).min() >= gap:
            centers = np.vstack([centers, point])
        elif (failures := failures + 1) % 200 == 0:
            side *= 1.1
    if k > 1:  # in many dimensions the cube leaves them farther apart
        apart = np.linalg.norm(centers[:, None] - centers, axis=2)
        centers *= gap / apart[np.triu_indices(k, 1)].min()
    return centers


def _turned(random: np.random.RandomState, X: Rows, stretch: float) -> Rows:
    scale = np.ones(X.shape[1])
    scale[0] = stretch
    turn = np.linalg.qr(random.standard_normal((X.shape[1], X.shape[1])))[0]
    return np.asarray((X * scale) @ turn)


def _moons(random: np.random.RandomState) -> Made:
    t = np.pi * random.uniform(size=2000)
    y = np.repeat([0, 1], 1000)
    curve = np.where(y[:, None] == 0, np.c_[np.cos(t), np.sin(t)], np.c_[1 - np.cos(t), 0.5 - np.sin(t)])
    return curve + 0.05 * random.standard_normal((2000, 2)), y


def _circles(random: np.random.RandomState) -> Made:
    t = 2 * np.pi * random.uniform(size=2000)
    y = np.repeat([0, 1], 1000)
    curve = np.c_[np.cos(t), np.sin(t)] * np.where(y == 0, 1.0, 0.5)[:, None]
    return curve + 0.05 * random.standard_normal((2000, 2)), y


def _cloud(draw: Callable[[np.random.RandomState, int], Rows], d: int, random: np.random.RandomState) -> Made:
    return draw(random, d), np.zeros(2000, np.int64)


def _gaussian(random: np.random.RandomState, d: int) -> Rows:
    return random.standard_normal((2000, d))


def _uniform(random: np.random.RandomState, d: int) -> Rows:
    return random.uniform(size=(2000, d))


def _flat(axes: int, d: int, random: np.random.RandomState) -> Made:
    """Uniform along some axes of a turned frame, and almost flat along the others."""
    X = 0.02 * random.standard_normal((2000, d))
    X[:, :axes] += 4 * random.uniform(size=(2000, axes))
    return _turned(random, X, 1.0), np.zeros(2000, np.int64)


def _unit(k: int, random: np.random.RandomState) -> Made:
    """Directions: rows of one group have a mean cosine of about 0.7 to each other, those of two groups of about 0."""
    centers = random.standard_normal((k, 128))
    centers /= np.linalg.norm(centers, axis=1, keepdims=True)
    y = np.repeat(np.arange(k), 5000 // k)
    X = centers[y] + 0.058 * random.standard_normal((len(y), 128))
    return X / np.linalg.norm(X, axis=1, keepdims=True), y
