"""Seeded streams, built outside every timed call. Treat them as frozen: figures are compared across changes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

SHARED = Path(os.environ.get("PHIDA_SHARED", Path(__file__).resolve().parents[2] / "shared"))

#: The streams of the table, and the number of classes given to k-means.
CLASSES = {
    "letter": 26,
    "penbased": 10,
    "pima": 2,
    "texture": 11,
    "optdigits": 10,
    "image_segmentation": 7,
    "skin": 2,
    "shuttle": 7,
    "isolet": 26,
    "mixture": 20,
    "digits": 10,
}


@dataclass(frozen=True)
class Workload:
    name: str
    rows: NDArray[np.float64]
    n_classes: int


def mixture() -> NDArray[np.float64]:
    """Return 3,000 rows from 20 isotropic unit Gaussians in 4,096 dimensions, centres from N(0, 1)."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(20, 4096))
    return centers[rng.integers(0, 20, 3000)] + rng.normal(size=(3000, 4096))


def load(name: str) -> Workload:
    """Return a workload in the stationary order of seed 0; raise FileNotFoundError if its data are missing."""
    if name == "mixture":
        rows = mixture()
    elif name == "digits":
        rows = load_digits().data
    else:
        with np.load(SHARED / "datasets" / f"{name}.npz") as archive:
            rows = archive["X"].astype(np.float64)
    order = np.random.RandomState(0).permutation(len(rows))
    return Workload(name, np.ascontiguousarray(rows[order]), CLASSES[name])
