"""Effect of the row order: a sample is learned in two orders, and the results are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phida._agreement import adjusted_rand
from phida._model import Model, Settings

Floats = NDArray[np.float64]

#: Maximum rows of the sample.
_MOST = 4096

#: Rows come in blocks if consecutive rows of the sample correlate more than this in some feature.
_CORRELATED = 0.3

#: Agreement from which the order matters little.
_LITTLE = 0.9


@dataclass(frozen=True)
class OrderEffect:
    """The result of learning a sample in its order and in random order."""

    rows: int
    """Rows of the sample."""
    agreement: float
    """Adjusted Rand index between the labels of both."""

    def __str__(self) -> str:
        found = f"rows come in blocks; a sample of {self.rows:,} rows gives "
        if self.agreement >= _LITTLE:
            return f"{found}the same clusters in random order (ARI {self.agreement:.2f}), so the order matters little"
        return (
            f"warning: {found}other clusters in random order (ARI {self.agreement:.2f}); --shuffle learns the rows in "
            "random order"
        )


class OrderSample:
    """Every n-th row of a stream, in order; n doubles when the sample is full."""

    def __init__(self) -> None:
        self._rows: list[Floats] = []
        self._seen = 0
        self._step = 1

    def add(self, rows: Floats) -> None:
        """Add the next rows of the stream."""
        self._rows += list(rows[-self._seen % self._step :: self._step].copy())
        self._seen += len(rows)
        while len(self._rows) > _MOST:
            self._rows, self._step = self._rows[::2], 2 * self._step

    def effect(self, settings: Settings) -> OrderEffect | None:
        """Compare the order with a random one; None if rows do not come in blocks, or if the order has no effect."""
        rows = np.array(self._rows)
        # With fewer rows than nodes, every order gives the same clusters. The sample must have more rows than nodes.
        nodes = min(settings.values["max_nodes"], len(rows) // 2)
        if self._seen <= settings.values["max_nodes"] or not _in_blocks(rows):
            return None
        shuffled = np.random.default_rng(0).permutation(len(rows))
        found = []
        for order in (np.arange(len(rows)), shuffled):
            model: Model[None] = Model()
            model.begin(rows.shape[1], settings.method.settings({**settings.values, "max_nodes": nodes}), None)
            model.learn(rows[order], follow=False)
            model.end_learning()
            found.append(model.learner.assign(rows))
        table = np.zeros((found[0].max() + 1, found[1].max() + 1), np.int64)
        np.add.at(table, tuple(found), 1)
        return OrderEffect(len(rows), adjusted_rand(table))


def _in_blocks(rows: Floats) -> bool:
    centered = rows - rows.mean(axis=0)
    squares = (centered**2).sum(axis=0)
    products = (centered[1:] * centered[:-1]).sum(axis=0)
    return bool((products > _CORRELATED * squares).any())
