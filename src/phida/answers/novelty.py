"""Novelty scores of rows, comparable between streams."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phida import _core


def novelty_scores(reading: _core.Reading, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row's rank among recent margins, interpolated linearly; margins are between -1 and 1."""
    recent = np.sort(reading.usual_margins())
    if not len(recent):
        return np.full(len(samples), 0.5)
    ranks = np.arange(len(recent) + 2) / (len(recent) + 1)
    return np.interp(reading.margins(samples), [-1.0, *recent, 1.0], ranks)
