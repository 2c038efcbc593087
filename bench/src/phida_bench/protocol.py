"""The settings: order of a stream and times of evaluation. Pure functions of data and seed."""

from __future__ import annotations

import hashlib
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Setting = Literal["stationary", "nonstationary", "shuffled", "grouped"]
#: The paper's two settings.
SETTINGS: tuple[Setting, ...] = ("stationary", "nonstationary")
#: The two orders in which data with visible groups are learned: all rows mixed, and group by group.
ORDERS: tuple[Setting, ...] = ("shuffled", "grouped")
ALL_SETTINGS: tuple[Setting, ...] = get_args(Setting)

#: The share of mixed rows after which the early score is measured.
EARLY = 0.1

Rows = NDArray[np.int64]


def stages(setting: Setting, y: NDArray[np.int64], spelling: str, seed: int | None) -> list[Rows]:
    """Row numbers of each stage of a trial, in the order in which they are learned.

    After each stage learning ends, and all rows learned so far are labelled, in that order.

    Parameters
    ----------
    setting : {"stationary", "nonstationary", "shuffled", "grouped"}
        Stationary: all rows in one stage. Nonstationary: one stage per class. Shuffled: mixed rows in two stages, the
        first with a tenth of them. Grouped: rows group by group, in one stage.
    y : ndarray of shape (n_samples,)
        True classes, from 0; -1 for rows that belong to none.
    spelling : str
        Name of the data set, which fixes the order inside the classes.
    seed : int or None
        Seed of the trial; None leaves rows and classes in the data set's own order.

    Returns
    -------
    stages : list of ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from phida_bench.protocol import stages
    >>> [rows.tolist() for rows in stages("nonstationary", np.array([0, 0, 1, 1]), "example", seed=0)]
    [[3, 2], [0, 1]]
    """
    if setting == "stationary":
        return [_order(len(y), seed)]
    if setting == "shuffled":
        rows = _order(len(y), seed)
        return [rows[: (first := int(np.ceil(EARLY * len(y))))], rows[first:]]
    if setting == "grouped":
        return [_group_by_group(y, seed)]
    by_class = _shuffled_classes(y, spelling)
    return [by_class[c] for c in _order(len(by_class), seed)]


def _order(count: int, seed: int | None) -> Rows:
    # The published trials were drawn with NumPy's legacy generator.
    return np.arange(count) if seed is None else np.random.RandomState(seed).permutation(count)


def _group_by_group(y: NDArray[np.int64], seed: int | None) -> Rows:
    """Order rows by group, randomly within each; rows without a group are spread over the whole stream."""
    random = np.random.RandomState(seed)
    rows, turn = random.permutation(len(y)), random.permutation(y.max() + 1)
    when = np.where(y < 0, random.randint(0, len(turn), len(y)), turn[y])
    return rows[np.argsort(when[rows], kind="stable")]


def _shuffled_classes(y: NDArray[np.int64], spelling: str) -> list[Rows]:
    """The rows of each class, in an order that the spelling of the data set's name fixes."""
    seed = int.from_bytes(hashlib.sha256(f"{spelling}::0".encode()).digest()[:4], "little")
    rng = np.random.RandomState(seed)
    return [rng.permutation(np.flatnonzero(y == c)) for c in np.unique(y)]
