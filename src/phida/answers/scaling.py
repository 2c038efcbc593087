"""The share of each feature in the distances of a model, and advice if one feature hides the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from phida.answers.profile import named_features

#: A feature with a larger share of the variance hides the others.
DOMINANT = 0.9


@dataclass(frozen=True)
class LargestVariance:
    """The feature with the largest share of the variance in the metric of a model.

    Examples
    --------
    >>> import numpy as np
    >>> from phida import PHIDAPlus
    >>> from phida.answers import Summary
    >>> metres = np.random.default_rng(0).normal(size=(200, 2))
    >>> variance = Summary.of(PHIDAPlus(scale=None).fit(metres * [1, 1000])).variance
    >>> variance.feature, variance.hides_others
    ('feature 1', True)
    """

    feature: str
    share: float
    """Its share of the variance that distances see, from 0 to 1."""
    hides_others: bool
    """Whether the share is above 90 %, and other features vary too."""
    scalable: bool
    """Whether the model has the parameter ``scale``."""

    @classmethod
    def of(cls, model: Any) -> Self:
        """Create it from a fitted model."""
        model = model._frozen()
        variance = np.square(model.moments_.deviation / model.assignment_view_.denominator)
        largest, total = int(np.argmax(variance)), float(variance.sum())
        share = float(variance[largest]) / total if total > 0 else 1.0 / len(variance)
        return cls(
            named_features(model._snapshot().names, len(variance))[largest],
            share,
            share > DOMINANT and int((variance > 0).sum()) > 1,
            model._reading.leaves == "node",
        )

    def advice(self) -> list[str]:
        """Return what to do if the feature hides the others: one sentence, or none."""
        if not self.hides_others:
            return []
        remedy = (
            'fit with scale="standard" (--scale standard), which gives every feature the same variance'
            if self.scalable
            else "scale the features first, so that each has the same variance"
        )
        # Rounded down, so that it never shows 100 %: the other features vary, too.
        share = min(np.floor(1000 * self.share) / 10, 99.9)
        return [
            f"warning: {self.feature} carries {share:.4g} % of the variance, so the other features hardly count. "
            f"If they should, {remedy}."
        ]
