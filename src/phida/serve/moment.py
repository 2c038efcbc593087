"""The model at one moment: a copy that learning no longer touches."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phida.estimator import PHIDA
from phida.streams.model import StreamModel


@dataclass(frozen=True)
class Moment:
    """What snapshots, predictions and explanations are made from, so that they agree with each other."""

    model: PHIDA
    features: tuple[str, ...]

    @classmethod
    def of(cls, learned: StreamModel) -> Moment:
        """Now. Copying is quick, and waits for a few milliseconds of learning at most."""
        model = copy.deepcopy(learned.estimator)
        names = learned.names or tuple(f"feature {j}" for j in range(model.n_features_in_))
        return cls(model, names)

    @cached_property
    def ids(self) -> list[int]:
        """Id of each cluster, by its label; negative for a cluster that has no lasting one yet."""
        return [int(id) for id in self.model.cluster_ids_]

    @cached_property
    def deviations(self) -> NDArray[np.float64]:
        """How far each cluster's centre is from the mean of the stream, per feature, in standard deviations."""
        state = self.model._learner.__getstate__()
        mean, spread = state["stream_mean"], np.sqrt(state["stream_m2"] / max(state["stream_count"] - 1, 1))
        away = self.model.cluster_centers_ - mean
        return np.divide(away, spread, out=np.zeros_like(away), where=spread > 0)

    def telling(self, label: int, most: int) -> list[dict[str, object]]:
        """The features by which a cluster differs most from the mean of the stream."""
        away, centers = self.deviations[label], self.model.cluster_centers_[label]
        order = np.argsort(-np.abs(away), kind="stable")[:most]
        return [
            {"feature": self.features[j], "center": number(centers[j]), "deviations": round(float(away[j]), 3)}
            for j in order
        ]


def number(value: float) -> float | None:
    """With the digits that are worth sending; None for what JSON cannot hold."""
    return float(f"{value:.5g}") if np.isfinite(value) else None
