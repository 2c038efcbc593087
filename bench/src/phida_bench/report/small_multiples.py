"""Many small pictures of partitions: the true groups next to those found, in matching colours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from phida._agreement import adjusted_rand, contingency

#: Maximum number of rows in a small picture.
_SHOWN = 450
_COLUMNS = 3


@dataclass(frozen=True, eq=False)
class Case:
    """A data set with its true groups and those found."""

    title: str
    X: NDArray[np.float64]
    truth: NDArray[np.int64]
    """Group of each row, from 0; -1 for none."""
    found: NDArray[np.int64]


def small_multiples(cases: list[Case]) -> Figure:
    """Draw a sheet with two small pictures per data set."""
    height = -(-len(cases) // _COLUMNS)
    tall = 1.15 * height + 0.1
    figure = Figure(figsize=(2.2 * _COLUMNS, tall))
    axes = figure.subplots(height, 2 * _COLUMNS, squeeze=False)
    figure.subplots_adjust(left=0.005, right=0.995, bottom=0.005, top=1 - 0.2 / tall, hspace=0.14, wspace=0.04)
    for axis in axes.flat:
        axis.set_axis_off()
    for place, case in enumerate(cases):
        left, right = axes[place // _COLUMNS, 2 * (place % _COLUMNS) :][:2]
        _draw(case, left, right)
    return figure


def _draw(case: Case, left: Axes, right: Axes) -> None:
    some = np.random.RandomState(0).permutation(len(case.X))[:_SHOWN]
    plane = _plane(case.X)[some]
    scored = case.truth >= 0
    table = contingency(case.truth[scored], case.found[scored])
    ari, found = adjusted_rand(table), len(np.unique(case.found[case.found >= 0]))
    matched = _matching(case.truth, case.found)
    for axis, groups in ((left, case.truth), (right, matched)):
        colours = np.where(groups[some, None] < 0, 0.75, _palette()[groups[some] % 20])
        axis.scatter(plane[:, 0], plane[:, 1], c=colours, s=1.6, linewidths=0)
        axis.set_box_aspect(0.9)
    left.set_title(f"{case.title}: {len(np.unique(case.truth[scored]))}", fontsize=5.5, pad=2, loc="left", y=1.0)
    right.set_title(f"{found}, ARI {ari:.2f}", fontsize=5.5, pad=2, loc="right", y=1.0)


def _plane(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return two features unchanged, or the two main components."""
    return X if X.shape[1] == 2 else _centred(X) @ np.linalg.svd(_centred(X)[:2000], full_matrices=False)[2][:2].T


def _centred(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(X - X.mean(axis=0))


def _matching(truth: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number found groups by the true group that they share most rows with."""
    groups = truth.max() + 1
    codes, labels = np.unique(found, return_inverse=True)
    shared = np.zeros((len(codes), max(groups, len(codes))))
    np.add.at(shared, (labels[truth >= 0], truth[truth >= 0]), 1)
    return linear_sum_assignment(-shared)[1][labels]  # type: ignore[no-any-return]


@cache
def _palette() -> NDArray[np.float64]:
    return colormaps["tab20"](np.arange(20))[:, :3][[*range(0, 20, 2), *range(1, 20, 2)]]
