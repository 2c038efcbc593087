"""Every plot of a model, on a stream in which groups appear, split and merge.

``python examples/plots.py [folder]`` plots a stream of machine readings; without a folder it prints a summary only.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from phida import PHIDAPlus
from phida.plots import gallery

ROWS = 12_000


def readings(seed: int = 5) -> pd.DataFrame:
    """Return readings of a machine in one of several states, which change over time."""
    rng = np.random.default_rng(seed)
    rows = np.empty((ROWS, 4))
    for i in range(ROWS):
        done = i / ROWS
        states = [(20.0, 5.0, 0.0), (30.0, 5.0, 3.0)]
        if done > 0.25:  # a third state appears,
            states.append((25.0, 14.0, -3.0))
        if done > 0.5:  # a fourth splits from it,
            states.append((25.0 + 9.0 * min(1.0, 4 * (done - 0.5)), 14.0, -3.0))
        if done > 0.7:  # and the second drifts into the first
            states[1] = (30.0 - 10.0 * min(1.0, 5 * (done - 0.7)), 5.0, 3.0 - 3.0 * min(1.0, 5 * (done - 0.7)))
        rows[i, :3] = states[rng.integers(len(states))] + rng.normal(size=3)
        rows[i, 3] = rng.normal()
    return pd.DataFrame(rows, columns=["temperature", "pressure", "flow", "noise"])


def main(folder: Path | None) -> None:
    """Learn the stream in batches, print the events, plot the model."""
    stream = readings()
    model = PHIDAPlus(half_life=200, compute_labels=False)  # states begin and end, so old rows fade
    for first in range(0, ROWS, 500):
        model.partial_fit(stream[first : first + 500])
    model.refresh()
    kinds = Counter(event.kind for event in model.lineage_)
    print(f"{ROWS} rows: {model.n_clusters_} clusters, ids {model.cluster_ids_.tolist()}")
    print("events: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for picture in gallery.rendered(model):
        (folder / f"{picture.name}.png").write_bytes(picture.data)
        print(f"{picture.name}.png  {picture.title}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
