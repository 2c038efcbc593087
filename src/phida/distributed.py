"""One model trained on several partitions of rows, in parallel.

Training runs in rounds: workers compare their rows with the model, then the model learns their updates. See
``docs/distributed.md``. Here the partitions are arrays or frames in memory. The same partitions give a bit-identical
model with every backend.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from joblib import effective_n_jobs

from phida._local_update import LocalUpdate
from phida.estimators import Estimator, PHIDAPlus
from phida.lineage import Event

__all__ = ["LocalUpdate", "fit_partitions", "learn", "partial_fit_partitions", "rounds"]

#: Number of rows in the first rounds, over all partitions.
FIRST = 64

#: Maximum number of rows in a round, as a share of the rows that the model has learned.
GROWTH = 0.5

E = TypeVar("E", bound=Estimator)

Slices = list[tuple[int, int]]
"""Rows of each partition in a round: start and stop."""


def rounds(n_seen: int, sizes: Sequence[int], half_life: float | None = None) -> Iterator[Slices]:
    """Divide partitions into rounds.

    A round has at most ``max(FIRST, GROWTH * n_seen)`` rows. Beyond ``FIRST``, it has no more rows than all earlier
    rounds of the batch, because a batch may differ from the rows learned before. The rows come evenly from all
    partitions that have rows left, at least one from each. With ``half_life``, at most that many learned rows count.

    Parameters
    ----------
    n_seen : int
        Number of rows that the model has learned.
    sizes : sequence of int
        Number of rows of each partition.
    half_life : float, optional
        Half-life of the model.

    Yields
    ------
    slices : list of (int, int)
        Start and stop per partition; equal if the partition has no rows left.

    Examples
    --------
    >>> from phida.distributed import rounds
    >>> list(rounds(200, [60, 90]))
    [[(0, 32), (0, 32)], [(32, 60), (32, 64)], [(60, 60), (64, 90)]]
    """
    begin = taken = 0
    while begin < max(sizes, default=0):
        counting = n_seen if half_life is None else min(n_seen, half_life)
        n_left = sum(size > begin for size in sizes)
        end = begin + max(1, int(max(FIRST, min(GROWTH * counting, taken))) // n_left)
        slices = [(min(begin, size), min(end, size)) for size in sizes]
        yield slices
        rows = sum(stop - start for start, stop in slices)
        n_seen, taken, begin = n_seen + rows, taken + rows, end


def partial_fit_partitions(
    model: E, partitions: Sequence[Any], *, random_state: int = 0, n_jobs: int | None = None
) -> E:
    """Learn a batch of rows in partitions, without reset or refresh.

    If an error occurs, the model does not change. ``labels_`` are not set.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Model to train, fitted or not.
    partitions : sequence of array-like of shape (n_samples, n_features)
        Frames, tables, matrices or lists of rows. Their order matters; empty partitions are ignored.
    random_state : int, default=0
        Random seed of the samples.
    n_jobs : int or None, default=None
        Number of threads; None means 1, and -1 one per core. It does not affect the model.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    parts = [rows for rows in partitions if len(rows)]

    def rows_of(slices: Slices) -> Iterator[Any]:
        return (sliced(parts[p], begin, end) for p, begin, end in in_round(slices))

    def update(learning: E, p: int, begin: int, end: int) -> LocalUpdate:
        rows = sliced(parts[p], begin, end)
        return learning.local_update(rows, partition=p, n_partitions=len(parts), random_state=random_state)

    def updates_of(learning: E, slices: Slices) -> Iterator[LocalUpdate]:
        return mapped(lambda which: update(learning, *which), in_round(slices))

    n_threads = effective_n_jobs(n_jobs)
    with ThreadPoolExecutor(n_threads) as threads:
        mapped: Callable[..., Iterator[LocalUpdate]] = threads.map if n_threads > 1 else map
        return learn(model, [len(rows) for rows in parts], rows_of, updates_of)


def in_round(slices: Slices) -> list[tuple[int, int, int]]:
    """Return number, start and stop of the partitions that have rows in a round."""
    return [(p, begin, end) for p, (begin, end) in enumerate(slices) if begin < end]


def learn(
    model: E,
    sizes: Sequence[int],
    rows_of: Callable[[Slices], Iterable[Any]],
    updates_of: Callable[[E, Slices], Iterable[LocalUpdate]],
) -> E:
    """Learn a batch in rounds, with functions that supply the rows and updates.

    A copy of the model learns the batch. The model takes over the result at the end, so that an error in any round
    leaves it unchanged. Then callbacks are called.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Model to train, fitted or not.
    sizes : sequence of int
        Number of rows of each partition.
    rows_of : callable
        Returns the rows of a round, by partition; used while the model is not fitted.
    updates_of : callable
        Returns the updates of a round for the given model, one per partition with rows, in order.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    n_seen = model.n_samples_seen_ if model.__sklearn_is_fitted__() else 0
    events: list[Event] = []
    learning = copy.deepcopy(model).on_event(events.append)
    for slices in rounds(n_seen, sizes, model._settings().get("half_life")):
        if learning.__sklearn_is_fitted__():
            learning.apply_updates(updates_of(learning, slices))
        else:
            for rows in rows_of(slices):
                learning.partial_fit(rows)
    if sum(sizes):
        model._take_over(learning, n_seen, events)
    return model


def fit_partitions(
    partitions: Sequence[Any],
    *,
    estimator: type[E] = PHIDAPlus,
    random_state: int = 0,
    n_jobs: int | None = None,
    **parameters: Any,
) -> E:
    """Train a new model on rows in partitions, and refresh it.

    Parameters
    ----------
    partitions : sequence of array-like of shape (n_samples, n_features)
        Frames, tables, matrices or lists of rows. Their order matters; empty partitions are ignored.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Random seed of the samples.
    n_jobs : int or None, default=None
        Number of threads; None means 1, and -1 one per core. It does not affect the model.
    **parameters
        Parameters of the estimator, except ``compute_labels``.

    Returns
    -------
    model : PHIDA or PHIDAPlus

    Examples
    --------
    >>> import numpy as np
    >>> from phida.distributed import fit_partitions
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> fit_partitions(np.array_split(X, 4)).n_samples_seen_
    4000
    """
    model = partial_fit_partitions(
        unfitted(estimator, parameters), partitions, random_state=random_state, n_jobs=n_jobs
    )
    if not model.__sklearn_is_fitted__():
        raise ValueError("the partitions have no rows to learn from.")
    return model.refresh()


def unfitted(estimator: type[E], parameters: dict[str, Any]) -> E:
    """Return a new model, after a check of its parameters."""
    if "compute_labels" in parameters:
        raise ValueError("compute_labels does not apply to partitions; leave it out, and call predict after training.")
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()
    return model


def sliced(rows: Any, begin: int, end: int) -> Any:
    """Return the rows from begin to end of a pandas frame, an Arrow table or another sequence."""
    if hasattr(rows, "iloc"):
        return rows.iloc[begin:end]
    if hasattr(rows, "slice"):
        return rows.slice(begin, end - begin)
    return rows[begin:end]
