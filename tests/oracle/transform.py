"""The adaptive feature transformation Phi."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .quantile import hazen_columns

# The interquartile range of a normal distribution is 1.349 standard deviations.
IQR_PER_STANDARD_DEVIATION = 1.349

LEAST_SCALE = 2.0**-1022  # the inverse of a smaller value may overflow


@dataclass
class Transform:
    center: np.ndarray  # med_j, per feature
    denominator: np.ndarray  # sigma_j ** gamma, exactly 1 where gamma = 0
    gamma: float  # strength: 0 leaves the features unchanged, 1 rescales them fully
    scale: np.ndarray  # sigma_j, the robust scale per feature

    def apply(self, rows: np.ndarray) -> np.ndarray:
        """Apply Phi to one sample or to many rows (section 2)."""
        return (rows - self.center) / self.denominator


def adaptive_transform(rows: np.ndarray) -> Transform:
    """Return the transformation fitted to a set of rows (section 2)."""
    center = hazen_columns(rows, 0.5)
    iqr = hazen_columns(rows, 0.75) - hazen_columns(rows, 0.25)
    scale = iqr / IQR_PER_STANDARD_DEVIATION
    scale = np.where(np.isfinite(scale) & (scale >= LEAST_SCALE), scale, 1.0)

    # Only features of very unequal scale (cv > 1) are rescaled.
    cv = np.std(scale) / np.mean(scale)
    gamma = 0.0 if cv == 0 else max(1.0 - 1.0 / float(cv * cv), 0.0)
    return Transform(center, scale**gamma, gamma, scale)
