"""A copy of the model at one moment."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phida._estimator import Estimator
from phida.answers.profile import Profile
from phida.streams.model import StreamModel


@dataclass(frozen=True)
class Moment:
    """The common source of snapshots, predictions and explanations, so that they are consistent."""

    model: Estimator
    features: tuple[str, ...]

    @classmethod
    def of(cls, learned: StreamModel) -> Moment:
        """Copy the model. This waits for at most a few milliseconds of learning."""
        model = copy.deepcopy(learned.estimator)
        names = learned.names or tuple(f"feature {j}" for j in range(model.n_features_in_))
        return cls(model, names)

    @cached_property
    def profile(self) -> Profile:
        """The clusters, by id, beside the mean of the stream."""
        return Profile.of(self.model)

    def telling(self, cluster: int, most: int) -> list[dict[str, object]]:
        """The features by which a cluster of the profile differs most from the mean of the stream."""
        center, away = self.profile.center[cluster], self.profile.deviations[cluster]
        return [
            {"feature": self.features[j], "center": number(center[j]), "deviations": number(away[j])}
            for j in self.profile.telling(cluster, most).tolist()
        ]


def number(value: float | None) -> float | None:
    """With the digits that are worth sending; None for what JSON cannot hold."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.5g}")
