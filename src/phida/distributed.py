"""One model over rows in partitions: rounds of rows are matched against the model apart, and taken in together.

``docs/distributed.md`` gives the rules. Here the partitions are arrays or frames in memory. The same partitions give
the same model, to the bit, whoever holds them.
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

#: Rows of the first rounds, over all partitions.
FIRST = 64

#: The model stands still for this many rows at most, as a share of those that it has learned.
GROWTH = 0.5

E = TypeVar("E", bound=Estimator)

Slices = list[tuple[int, int]]
"""Per partition, the rows of a round: the first, and the one behind the last."""


def rounds(n_seen: int, sizes: Sequence[int], half_life: float | None = None) -> Iterator[Slices]:
    """How partitions of these sizes are taken, round by round, by a model that has learned so many rows.

    A round has at most ``max(FIRST, GROWTH * n_seen)`` rows, and beyond ``FIRST`` no more than were taken before it: a
    batch may be unlike what was learned. They are shared evenly by the partitions that still have rows, and each gives
    one at least. Where rows fade, those learned longer ago than a half-life do not make rounds longer.

    Parameters
    ----------
    n_seen : int
    sizes : sequence of int
    half_life : float, optional

    Yields
    ------
    slices : list of (int, int)
        One per partition; empty where a partition has been taken whole.

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
    """Go on learning with a batch of rows in partitions; nothing is reset, and the stage does not end.

    Either the whole batch is learned or, on an error, nothing. ``labels_`` are not set.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Fitted or not; it is changed.
    partitions : sequence of array-like of shape (n_samples, n_features)
        Frames, tables, matrices or lists of rows. Their order counts; empty ones do not.
    random_state : int, default=0
        Seed of the samples.
    n_jobs : int or None, default=None
        Threads that look at partitions at the same time; None is 1, and -1 one per core. The model is the same.

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
    """The partitions that have rows in a round: number, first row, and the one behind the last."""
    return [(p, begin, end) for p, (begin, end) in enumerate(slices) if begin < end]


def learn(
    model: E,
    sizes: Sequence[int],
    rows_of: Callable[[Slices], Iterable[Any]],
    updates_of: Callable[[E, Slices], Iterable[LocalUpdate]],
) -> E:
    """The rounds of a batch, whoever has the rows.

    A copy learns them, and the model takes over what it learned at the end: a batch that is refused in its last round
    leaves no trace. Then callbacks are told.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Fitted or not; it is changed.
    sizes : sequence of int
        Rows of each partition.
    rows_of : callable
        Rows of a round, partition by partition, for a model that has none yet.
    updates_of : callable
        Updates against the model that it is given, one for each partition that has rows in the round, in their order.

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
    """A model of rows in partitions, learned afresh; at the end it is refreshed.

    Parameters
    ----------
    partitions : sequence of array-like of shape (n_samples, n_features)
        Frames, tables, matrices or lists of rows. Their order counts; empty ones do not.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Seed of the samples.
    n_jobs : int or None, default=None
        Threads that look at partitions at the same time; None is 1, and -1 one per core. The model is the same.
    **parameters
        Of the estimator, but ``compute_labels``.

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
        raise ValueError("the partitions have no row to learn from.")
    return model.refresh()


def unfitted(estimator: type[E], parameters: dict[str, Any]) -> E:
    """A model that begins, with valid parameters."""
    if "compute_labels" in parameters:
        raise ValueError("rows in partitions are not labelled while they are learned; leave compute_labels out.")
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()
    return model


def sliced(rows: Any, begin: int, end: int) -> Any:
    """Some rows of a partition: of a frame of pandas, a table of Arrow, or what else can be cut."""
    if hasattr(rows, "iloc"):
        return rows.iloc[begin:end]
    if hasattr(rows, "slice"):
        return rows.slice(begin, end - begin)
    return rows[begin:end]
