"""Stable axes for the map while nodes move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phida.projection import Projection


class SteadyAxes:
    """The plane of each moment, turned and mirrored within itself towards the one before.

    Principal directions flip and change places where they are nearly alike; what is drawn should not.
    """

    def __init__(self) -> None:
        self._axes: NDArray[np.float64] | None = None

    def turned(self, projection: Projection) -> Projection:
        """The same plane with axes as near to the last ones as they can be (orthogonal Procrustes)."""
        axes = projection.axes
        if self._axes is not None and self._axes.shape == axes.shape:
            left, _, right = np.linalg.svd(self._axes @ axes.T)
            axes = left @ right @ axes
        self._axes = axes
        return replace(projection, axes=axes)
