"""A map of the learned nodes for plots and the live page: main directions and colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Relative variance below which a direction is rounding error.
_FLAT = 1e-12


@dataclass(frozen=True, eq=False)
class Projection:
    """The plane of largest variance of weighted rows (principal components), in the space of prediction.

    The same rows give the same plane: the largest coordinate along each axis is positive. An axis without variance is
    zero, so that one feature gives a line and one node a point.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDA
    >>> model = PHIDA().fit(load_iris().data)
    >>> from phida.projection import Projection
    >>> Projection.of(model).transform([[5.0, 3.4, 1.5, 0.2]]).shape
    (1, 2)
    """

    center: Floats
    """Subtracted from each feature first."""
    denominator: Floats
    """Divisor of each feature, applied after that."""
    mean: Floats
    """Weighted mean of the scaled rows."""
    axes: Floats
    """Two directions, one per row."""
    share: Floats
    """Share of the rows' variance along each axis."""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Create the plane of a model's nodes, weighted by support, under the feature transformation of its view."""
        nodes, view = model.nodes_, model.assignment_view_
        return cls.fit(nodes.representatives, nodes.support, center=view.center, denominator=view.denominator)

    @classmethod
    def fit(
        cls,
        rows: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        center: ArrayLike | None = None,
        denominator: ArrayLike | None = None,
    ) -> Self:
        """Create the plane of any rows.

        Parameters
        ----------
        rows : array-like of shape (n_rows, n_features)
            At least one row.
        weights : array-like of shape (n_rows,), optional
            Weight of each row; equal by default.
        center, denominator : array-like of shape (n_features,), optional
            The transformation ``(row - center) / denominator`` applied first; none by default.
        """
        points = np.asarray(rows, dtype=np.float64)
        n, d = points.shape
        shift = np.zeros(d) if center is None else np.array(center, dtype=np.float64)
        scale = np.ones(d) if denominator is None else np.array(denominator, dtype=np.float64)
        weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        weight = weight / weight.sum()
        points = (points - shift) / scale
        mean = weight @ points
        axes, share = _principal(np.sqrt(weight)[:, None] * (points - mean))
        return cls(shift, scale, mean, axes, share)

    def transform(self, rows: ArrayLike) -> Floats:
        """Return coordinates of rows in the plane.

        Parameters
        ----------
        rows : array-like of shape (n_rows, n_features)
            Rows in the space of the data.

        Returns
        -------
        coordinates : ndarray of shape (n_rows, 2)
        """
        points = (np.asarray(rows, dtype=np.float64) - self.center) / self.denominator
        coordinates: Floats = (points - self.mean) @ self.axes.T
        return coordinates


def spread_colours(weight: Floats, place: Floats, wish: Ints, count: int) -> Ints:
    """Assign colours to clusters: equal colours are far apart, and the ``count`` heaviest clusters differ.

    Clusters choose in order of weight. A cluster takes the colour whose nearest user is farthest away; among unused
    colours, the first from its preferred one on. ``place`` holds the centres of the clusters on the map, ``wish`` the
    colour that each cluster prefers.
    """
    colour = np.full(len(weight), -1, dtype=np.int64)
    nearest = np.full((len(weight), count), np.inf)  # per cluster: squared distance to the nearest user of a colour
    for cluster in np.argsort(-weight, kind="stable"):
        offers = np.roll(nearest[cluster], -wish[cluster])
        colour[cluster] = mine = (int(np.argmax(offers)) + wish[cluster]) % count
        away = ((place - place[cluster]) ** 2).sum(axis=1)
        np.minimum(nearest[:, mine], away, out=nearest[:, mine])
    return colour


def _principal(points: Floats) -> tuple[Floats, Floats]:
    """Return the two main directions of points about the origin, and their shares of the squares."""
    n, d = points.shape
    axes, share = np.zeros((2, d)), np.zeros(2)
    largest = np.abs(points).max()
    if largest == 0:
        return axes, share
    points = points / largest  # prevents overflow of squares
    few_rows = n < d
    products = points @ points.T if few_rows else points.T @ points
    squares, vectors = np.linalg.eigh(products)
    for i in range(min(2, n, d)):
        if squares[-1 - i] <= _FLAT * squares[-1]:
            break
        axis = points.T @ vectors[:, -1 - i] if few_rows else vectors[:, -1 - i]
        axes[i] = _pointed(axis / np.linalg.norm(axis))
        share[i] = squares[-1 - i] / np.trace(products)
    return axes, share


def _pointed(axis: Floats) -> Floats:
    """Return the axis or its opposite: the first of its largest coordinates becomes positive."""
    size = np.abs(axis)
    first = np.argmax(size >= size.max() * (1 - 1e-6))
    return axis if axis[first] > 0 else -axis
