"""The Hazen quantile Q(S, q), the only quantile that PHIDA uses."""

from __future__ import annotations

import numpy as np


def hazen(values: np.ndarray, q: float) -> float:
    """Return the Hazen q-quantile of a multiset of numbers (Q of the specification's introduction)."""
    return float(np.quantile(values, q, method="hazen"))


def hazen_columns(rows: np.ndarray, q: float) -> np.ndarray:
    """Return the Hazen q-quantile of every column (used per feature in section 2)."""
    return np.quantile(rows, q, axis=0, method="hazen")
