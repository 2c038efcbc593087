"""What a model makes of some rows, counted batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows whose novelty is below this are counted as unusual.
NOVELTY = 0.01


class DataSummary:
    """How rows fall to the clusters of a model, and to the classes of a label column beside them."""

    def __init__(self, n_clusters: int) -> None:
        self.rows = 0
        self.unusual = 0
        """Rows that fit worse than all but a hundredth of the recent ones."""
        self.count = np.zeros(n_clusters, dtype=np.int64)
        """Rows per cluster."""
        self.classes: list[Counter[str]] = [Counter() for _ in range(n_clusters)]
        """Classes per cluster, where there is a label column."""
        self.bad_rows = 0
        self.scores: dict[str, float] = {}
        """ARI and AMI against the label column."""

    def add(self, labels: NDArray[np.int64], novelty: NDArray[np.float64], truth: Sequence[Any] = ()) -> None:
        """Count a batch."""
        self.rows += len(labels)
        self.unusual += int((novelty < NOVELTY).sum())
        self.count += np.bincount(labels, minlength=len(self.count))
        for label, name in zip(labels.tolist(), truth, strict=False):
            self.classes[label][str(name)] += 1

    def main_class(self, cluster: int) -> tuple[str, float] | None:
        """The class that most rows of a cluster have, and their share; ties to the one seen first."""
        found = self.classes[cluster].most_common(1)
        return (found[0][0], found[0][1] / self.classes[cluster].total()) if found else None
