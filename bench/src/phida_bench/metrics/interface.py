"""The interface of a metric, and the data that it may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phida._agreement import adjusted_mutual_information, adjusted_rand, contingency
from phida_bench.protocol import ALL_SETTINGS, Setting
from phida_bench.records import Record


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A record with the true classes, in the order in which the rows were learned."""

    record: Record
    truth: NDArray[np.int64]

    @cached_property
    def ari(self) -> list[float]:
        """ARI after each stage."""
        return self._per_stage(adjusted_rand)

    @cached_property
    def ami(self) -> list[float]:
        """AMI after each stage."""
        return self._per_stage(adjusted_mutual_information)

    @cached_property
    def _tables(self) -> list[NDArray[np.int64]]:
        first = 1 if self.record.trial.setting == "nonstationary" else 0
        return [self._table(labels.astype(np.int64)) for labels in self.record.labels[first:]]

    def _table(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Contingency table of classes and labels, without the rows that belong to no class."""
        truth = self.truth[: len(labels)]
        return contingency(truth[truth >= 0], labels[truth >= 0])

    def _per_stage(self, score: Callable[[NDArray[np.int64]], float]) -> list[float]:
        """Score each stage; the first of several classes learned in turn counts as 1 without evaluation."""
        certain = [1.0] if self.record.trial.setting == "nonstationary" else []
        return certain + [score(table) for table in self._tables]


@dataclass(frozen=True)
class Metric:
    """A metric: one number per trial."""

    name: str
    """Column in tables of the results, named as in the published tables."""
    title: str
    """Name in words."""
    order: int
    """Position in tables."""
    value: Callable[[Evaluation], float | None]
    """Function that computes the metric; it returns None if a trial has no value."""
    better: str | None
    """The better direction, ``higher`` or ``lower``; None if there is none."""
    digits: int
    """Number of printed decimals."""
    settings: tuple[Setting, ...] = ALL_SETTINGS
    """Settings to which the metric applies."""
