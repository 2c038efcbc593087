"""PHIDA+ on families of data whose groups are known: the table of goals in docs/phida_plus.md.

    python studies/plus2.py out.csv [seed]

Seeds from 100 on were not used to choose the rule. The files with visible groups, real classes and embeddings are read
from ../shared/datasets; without that folder, only the generated families are run. One process, about 15 minutes.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

from phida import PHIDAPlus

DATA = Path(__file__).resolve().parents[3] / "shared" / "datasets"
REAL = [
    "anuran_calls",
    "binalpha",
    "dermatology",
    "image_segmentation",
    "iris",
    "letter",
    "mice_protein",
    "msra25",
    "optdigits",
    "penbased",
    "phoneme",
    "pima",
    "rice",
    "seeds",
    "semeion",
    "statlog",
    "texture",
    "tuandromd",
    "yeast",
]
AGREEMENT = ("letter", "penbased", "texture", "statlog", "shapes/s1", "shapes/a3", "shapes/birch1")

Data = tuple[np.ndarray, np.ndarray]


class Case(NamedTuple):
    """A data set, and the order of its rows: shuffled, by class, sorted, or unchanged."""

    family: str
    name: str
    make: Callable[[], Data]
    orders: tuple[str, ...] = ("shuffled",)


def separated(k: int, d: int, n: int, kind: str, gap: float, rng: np.random.Generator) -> Data:
    """Gaussian groups whose centres are at least ``gap`` standard deviations apart."""
    width = rng.uniform(0.5, 2, k) if kind == "widths" else np.ones(k)
    side, centers, failures = gap * width.max() * 1.2 * k ** (1 / d), [], 0
    while len(centers) < k:
        center, i = rng.uniform(0, side, d), len(centers)
        near = any(np.linalg.norm(center - c) < gap * (width[i] + width[j]) / 2 for j, c in enumerate(centers))
        if not near:
            centers.append(center)
        failures = failures + 1 if near else 0
        if failures > 200:
            side, failures = side * 1.05, 0
    share = 20.0 ** (-np.arange(k) / max(k - 1, 1)) if kind == "unbalanced" else np.ones(k)
    sizes = np.maximum((share / share.sum() * n).astype(int), 20)
    rows = [c + s * rng.normal(size=(m, d)) for c, s, m in zip(centers, width, sizes, strict=True)]
    return np.concatenate(rows), np.repeat(np.arange(k), sizes)


def lattice(k: int, d: int, n: int, gap: float, rng: np.random.Generator) -> Data:
    """Gaussian groups on a lattice in the first axes, neighbours ``gap`` standard deviations apart."""
    axes = min(d, 4)
    side = int(np.ceil(k ** (1 / axes)))
    places = np.stack(np.meshgrid(*[np.arange(side)] * axes, indexing="ij"), -1).reshape(-1, axes)
    centers = np.zeros((k, d))
    centers[:, :axes] = gap * places[rng.permutation(len(places))[:k]]
    y = rng.integers(k, size=n)
    return centers[y] + rng.normal(size=(n, d)), y


def cloud(kind: str, d: int, n: int, rng: np.random.Generator) -> Data:
    """One group."""
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    rows = rng.normal(size=(n, d))
    if kind == "uniform":
        rows = rng.random((n, d))
    elif kind == "tails":
        rows /= np.sqrt(rng.chisquare(3, n) / 3)[:, None]
    elif kind == "stretched":
        rows = (rows * np.linspace(1, 10, d)) @ turn
    elif kind in ("line", "sheet"):
        rows *= 0.02
        rows[:, 0] += 4 * rng.random(n)
        if kind == "sheet":
            rows[:, min(1, d - 1)] += 4 * rng.random(n)
        rows = rows @ turn
    return rows, np.zeros(n, int)


def year_of_hours(rng: np.random.Generator) -> Data:
    """Temperature, humidity, pressure and wind of a year, hour by hour."""
    hours = np.arange(8760)

    def drift(keep: float, step: float) -> np.ndarray:
        values = np.zeros(len(hours))
        for t, e in enumerate(rng.normal(0, step, len(hours))):
            values[t] = keep * values[t - 1] + e
        return values

    day, year = 2 * np.pi * (hours % 24) / 24, 2 * np.pi * hours / 8760
    warm = 10 - 10 * np.cos(year) - 4 * np.cos(day - 0.5) + drift(0.98, 0.6)
    damp = np.clip(75 - 1.2 * (warm - 10) + drift(0.95, 3), 10, 100)
    wind = np.abs(3 + drift(0.9, 0.9) + 0.5 * np.sin(day))
    return np.c_[warm, damp, 1013 + drift(0.995, 0.6), wind], np.zeros(len(hours), int)


def read(name: str) -> Data:
    with np.load(DATA / f"{name}.npz") as file:
        y = file["y"].astype(int)
        return np.ascontiguousarray(file["X"], float), y - 1 if name.startswith("shapes/") else y


def cases(seed: int) -> Iterator[Case]:
    def rng(*numbers: int) -> np.random.Generator:
        return np.random.default_rng((seed, *numbers))

    kinds = ("equal", "unbalanced", "widths")
    for i, k in enumerate((2, 3, 5, 10, 20, 50, 100)):
        for j, d in enumerate((2, 3, 5, 10, 20, 50, 100)):
            per_group = (20, 50, 200)[(i + 2 * j) % 3]
            kind = kinds[(i + j) % 3]
            yield Case(
                "blobs",
                f"{k} x {d} {kind} {per_group}",
                lambda k=k, d=d, n=per_group * k, kind=kind: separated(k, d, n, kind, 8, rng(1, k, d)),
            )
    for k, d in ((2, 2), (2, 5), (4, 2), (9, 2), (25, 2), (100, 2), (5, 10), (20, 5)):
        for gap in (3.0, 3.5, 4.0, 5.0):
            make = (
                (lambda k=k, d=d, gap=gap: lattice(k, d, max(2000, 200 * k), gap, rng(2, k, d)))
                if d == 2
                else (lambda k=k, d=d, gap=gap: separated(k, d, max(2000, 200 * k), "equal", gap, rng(2, k, d)))
            )
            yield Case("touch", f"{k} x {d} gap {gap}", make)
    for d in (1, 2, 3, 5, 8, 16, 32, 64):
        for i, kind in enumerate(("gauss", "uniform", "tails", "stretched", "line", "sheet")):
            for n in ((200, 3000), (1000, 10000), (500, 30000))[(i + d) % 3]:
                yield Case("cloud", f"{kind} {d} {n}", lambda kind=kind, d=d, n=n: cloud(kind, d, n, rng(3, d, n)))
    for d in (2, 8):
        yield Case("cloud", f"gauss {d} 100000", lambda d=d: cloud("gauss", d, 100_000, rng(3, d)))
    for d in (1, 2, 3, 4, 6, 8, 16):
        for kind in ("gauss", "tails", "uniform"):
            for n in (300_000, 1_000_000):
                make = lambda kind=kind, d=d, n=n: cloud(kind, d, n, rng(3, d, n))  # noqa: E731
                yield Case("rows", f"{kind} {d} {n}", make)
    for k, d in ((12, 2), (12, 8), (50, 3), (50, 16)):
        make = lambda k=k, d=d: separated(k, d, 1_000_000, "equal", 8, rng(1, k, d))  # noqa: E731
        yield Case("rows", f"{k} x {d} 1000000", make)
    for n in (500, 1500, 5000):
        for noise in (0.03, 0.06, 0.1):
            yield Case("curve", f"moons {n} {noise}", lambda n=n, s=noise: make_moons(n, noise=s, random_state=seed))
            yield Case(
                "curve",
                f"circles {n} {noise}",
                lambda n=n, s=noise: make_circles(n, noise=s, factor=0.5, random_state=seed),
            )
    for k, d in ((100, 2), (200, 2), (400, 2), (512, 2), (300, 4), (512, 4), (300, 8), (400, 16), (512, 16)):
        yield Case("many", f"{k} x {d}", lambda k=k, d=d: lattice(k, d, 50 * k, 10, rng(4, k, d)))
    for k, d, n in ((50, 10, 250), (100, 20, 500), (20, 10, 100)):
        for i in range(3):
            yield Case(
                "early",
                f"{k} x {d} after {n} ({i})",
                lambda k=k, d=d, n=n, i=i: make_blobs(n, n_features=d, centers=k, random_state=seed + i),
            )
    for i in range(3):
        yield Case("year", f"year of hours {i}", lambda i=i: year_of_hours(rng(5, i)), ("as it is",))
    if not DATA.exists():
        return
    for path in sorted((DATA / "shapes").glob("*.npz")):
        yield Case("shape", path.stem, lambda n=path.stem: read(f"shapes/{n}"), ("shuffled", "by class", "sorted"))
    for path in sorted((DATA / "cdv").glob("*.npz")):
        yield Case("cdv", path.stem, lambda n=path.stem: read(f"cdv/{n}"), ("shuffled", "by class", "sorted"))
    for name in REAL:
        yield Case("real", name, lambda n=name: read(n), ("shuffled", "by class"))
    for name in ("clinc150", "banking77"):
        yield Case(name, name, lambda n=name: read(f"embeddings/{n}"))


def ordered(y: np.ndarray, X: np.ndarray, order: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if order == "shuffled":
        return rng.permutation(len(y))
    if order == "by class":
        classes = rng.permutation(np.unique(y))
        return np.concatenate([rng.permutation(np.flatnonzero(y == c)) for c in classes])
    return np.argsort(X[:, 0], kind="stable") if order == "sorted" else np.arange(len(y))


def learned(X: np.ndarray, rows: np.ndarray) -> tuple[PHIDAPlus, np.ndarray]:
    model = PHIDAPlus(compute_labels=False).fit(X[rows])
    return model, model.predict(X)


def agreement(seed: int) -> Iterator[dict[str, object]]:
    """Return the agreement of the labels of two shuffles, and of other orders with the first shuffle."""
    for name in AGREEMENT:
        X, y = read(name)
        labels = {
            order: learned(X, ordered(y, X, kind, seed + i))[1]
            for i, (order, kind) in enumerate(
                (("one", "shuffled"), ("two", "shuffled"), ("by class", "by class"), ("sorted", "sorted"))
            )
        }
        for order in ("two", "by class", "sorted"):
            ari = adjusted_rand_score(labels["one"], labels[order])
            family = "agree" if order == "two" else "agree in other orders"
            yield {"family": family, "name": name, "order": order, "ari": round(ari, 4)}


def main() -> None:
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    records: list[dict[str, object]] = []
    for case in cases(seed):
        X, y = case.make()
        for order in case.orders:
            began = time.process_time()
            model, labels = learned(X, ordered(y, X, order, seed))
            known = y >= 0
            records.append(
                {
                    "family": case.family,
                    "name": case.name,
                    "order": order,
                    "ari": round(adjusted_rand_score(y[known], labels[known]), 4),
                    "ami": round(adjusted_mutual_info_score(y[known], labels[known]), 4),
                    "groups": len(np.unique(y[known])),
                    "clusters": model.n_clusters_,
                    "labels": len(np.unique(labels)),
                    "seconds": round(time.process_time() - began, 2),
                }
            )
            print(records[-1], flush=True)
    if DATA.exists():
        records += agreement(seed)
    with Path(sys.argv[1]).open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    for family in dict.fromkeys(str(record["family"]) for record in records):
        of = [record for record in records if record["family"] == family]
        ari = np.mean([float(str(record["ari"])) for record in of])
        ami = np.mean([float(str(record.get("ami", "nan"))) for record in of])
        count = np.mean([record.get("groups") == record.get("clusters") for record in of])
        print(f"{family:24s} ARI {ari:.3f} AMI {ami:.3f} right count {count:.2f} ({len(of)})")


if __name__ == "__main__":
    warnings.simplefilter("error")
    main()
