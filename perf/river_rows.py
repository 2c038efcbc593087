"""Cost per row with river's interface: dicts learned and predicted in turn, and frames."""

from __future__ import annotations

import pickle
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import phida
from phida.river import PHIDA

ROWS = 2000
CHUNK = 100


def blobs(width: int) -> np.ndarray:
    """Return twice ROWS rows around eight centres."""
    rng = np.random.default_rng(0)
    return 6 * rng.normal(size=(8, width))[rng.integers(0, 8, 2 * ROWS)] + rng.normal(size=(2 * ROWS, width))


def measure(width: int, repeats: int = 9) -> None:
    """Print median microseconds of processor time per row; all variants in turn, each on its own model."""
    first, rows = np.split(blobs(width), 2)
    names = [f"f{i}" for i in range(width)]
    frame = pd.DataFrame(rows, columns=names)
    dicts = [dict(zip(names, row, strict=True)) for row in rows.tolist()]
    singles = [rows[i : i + 1] for i in range(ROWS)]
    chunks = [frame.iloc[i : i + CHUNK] for i in range(0, ROWS, CHUNK)]
    model = PHIDA()
    model.learn_many(pd.DataFrame(first, columns=names))
    for_river = pickle.dumps(model)
    for_sklearn = pickle.dumps(phida.PHIDA(compute_labels=False).partial_fit(first))

    ways: dict[str, tuple[bytes, Callable[[Any], object]]] = {
        "the native learner, all rows in one call": (for_river, lambda m: m._model.learner.learn(rows)),
        "learn_one": (for_river, lambda m: [m.learn_one(x) for x in dicts]),
        "partial_fit of an array of one row": (for_sklearn, lambda m: [m.partial_fit(row) for row in singles]),
        "predict_one, nothing learned in between": (for_river, lambda m: [m.predict_one(x) for x in dicts]),
        "predict of an array of one row": (for_sklearn, lambda m: [m.predict(row) for row in singles]),
        "predict_one and learn_one in turn": (for_river, lambda m: [(m.predict_one(x), m.learn_one(x)) for x in dicts]),
        f"predict_many and learn_many, {CHUNK} rows in turn": (
            for_river,
            lambda m: [(m.predict_many(chunk), m.learn_many(chunk)) for chunk in chunks],
        ),
        "learn_many, all rows": (for_river, lambda m: m.learn_many(frame)),
        "predict_many, all rows": (for_river, lambda m: m.predict_many(frame)),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, (saved, way) in ways.items():
            twin = pickle.loads(saved)
            if "predict" in name:
                twin.predict(first[:1]) if saved is for_sklearn else twin.predict_one(dicts[0])
            start = time.process_time()
            way(twin)
            times[name].append(time.process_time() - start)
    print(f"{width} features, {model._model.learner.n_nodes} nodes, {model.n_clusters} clusters; µs per row:")
    for name, values in times.items():
        print(f"  {1e6 * statistics.median(values) / ROWS:7.2f} (best {1e6 * min(values) / ROWS:.2f})  {name}")


if __name__ == "__main__":
    measure(2)
    measure(64)
