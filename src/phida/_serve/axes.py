"""Stable axes for the map while nodes move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from phida.projection import Projection


class SteadyAxes:
    """Rotates and mirrors the plane of each moment to match the one before.

    Principal directions flip and swap when their variances are close; the drawing should not.
    """

    def __init__(self) -> None:
        self._axes: NDArray[np.float64] | None = None

    def turned(self, projection: Projection) -> Projection:
        """Return the same plane with axes as close as possible to the last ones (orthogonal Procrustes)."""
        axes = projection.axes
        if self._axes is not None and self._axes.shape == axes.shape:
            left, _, right = np.linalg.svd(self._axes @ axes.T)
            axes = left @ right @ axes
        self._axes = axes
        return replace(projection, axes=axes)
