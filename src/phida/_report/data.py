"""Summary of the rows of a report, by batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows whose score is below this are counted as unusual.
NOVELTY = 0.01


class DataSummary:
    """Counts of rows per cluster, and per class of a label column."""

    def __init__(self) -> None:
        self.rows = 0
        self.unusual = 0
        """Number of rows that fit worse than 99 % of recent rows."""
        self.count: Counter[int] = Counter()
        """Number of rows per cluster, by label."""
        self.classes: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """Classes per cluster, by label, where there is a label column."""
        self.bad_rows = 0
        self.scores: dict[str, float] = {}
        """ARI and AMI against the label column."""

    def add(self, labels: NDArray[np.int64], scores: NDArray[np.float64], truth: Sequence[Any] = ()) -> None:
        """Count a batch."""
        self.rows += len(labels)
        self.unusual += int((scores < NOVELTY).sum())
        self.count.update(labels.tolist())
        for label, name in zip(labels.tolist(), truth, strict=False):
            self.classes[label][str(name)] += 1

    def main_class(self, label: int) -> tuple[str, float] | None:
        """Return the most frequent class of a cluster, and its share; ties go to the class seen first."""
        if label not in self.classes:
            return None
        name, count = self.classes[label].most_common(1)[0]
        return name, count / self.classes[label].total()
