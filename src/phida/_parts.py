"""PHIDA+ in threads: rows are dealt to a fixed number of learners, which a tree of merges unites."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phida import _core

#: Number of parts, and consecutive rows per part. Both are fixed, so that the number of threads and the batch size do
#: not affect the model.
N_PARTS, BLOCK = 8, 4096


class Parts:
    """Learners of one stream of rows: block 0 goes to the first, block 1 to the second, block 8 to the first again.

    Parameters
    ----------
    first : PlusLearner
        Learner without rows, into which :meth:`merge` merges the others.
    new : callable
        Function that creates another learner like it.
    n_threads : int
    """

    def __init__(self, first: _core.PlusLearner, new: Callable[[], _core.PlusLearner], n_threads: int) -> None:
        self._learners, self._new, self._n_threads = [first], new, n_threads
        self._n_rows = 0

    def learn(self, rows: NDArray[Any], weights: NDArray[np.float64] | None = None) -> None:
        """Learn the next rows of the stream, of float64 or float32. An interruption keeps the rows learned before."""
        shares = self._shares(len(rows))
        while len(self._learners) < len(shares):
            self._learners.append(self._new())
        stopped = threading.Event()

        def learn_share(learner: _core.PlusLearner, share: list[slice]) -> None:
            try:
                for block in share:
                    if not stopped.is_set():
                        part = rows[block].astype(np.float64, copy=False)
                        learner.learn(part, None if weights is None else weights[block], follow=False)
            except BaseException:
                stopped.set()
                raise

        with ThreadPoolExecutor(self._n_threads) as threads:
            try:
                list(threads.map(learn_share, self._learners, shares))
            finally:
                stopped.set()  # Ctrl-C is raised here, in the main thread

    def _shares(self, n_rows: int) -> list[list[slice]]:
        """Return the rows of each learner, and count them."""
        shares: list[list[slice]] = [[] for _ in range(min(N_PARTS, -(-(self._n_rows + n_rows) // BLOCK)))]
        first = 0
        while first < n_rows:
            block, begun = divmod(self._n_rows, BLOCK)
            length = min(BLOCK - begun, n_rows - first)
            shares[block % N_PARTS].append(slice(first, first + length))
            first += length
            self._n_rows += length
        return shares

    def merge(self) -> None:
        """Merge all learners into the first one. Its nodes are mapped to clusters when learning ends."""

        def merged(one: _core.PlusLearner, other: _core.PlusLearner) -> _core.PlusLearner:
            one.merge([other], follow=False, one_stream=True)
            return one

        for part, learner in enumerate(self._learners):
            learner.number_examples(part, N_PARTS, BLOCK)
        learned = [learner for learner in self._learners if learner is self._learners[0] or learner.n_seen]
        with ThreadPoolExecutor(self._n_threads) as threads:
            tree(learned, merged, threads.map)


def tree(models: Sequence[Any], merge: Callable[[Any, Any], Any], mapped: Callable[..., Any] = map) -> Any:
    """Merge neighbours in pairs, level by level, into one model; ``mapped`` merges the pairs of a level."""
    left = list(models)
    while len(left) > 1:
        left = list(mapped(partial(reduce, merge), [left[k : k + 2] for k in range(0, len(left), 2)]))
    return left[0]
