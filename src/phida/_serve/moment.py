"""A copy of the model at one point in time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from phida._pipeline import Pipeline
from phida._reading import Answers, Reading
from phida.answers.profile import Profile, telling

Ints = NDArray[np.int64]

#: Characters of a feature's name in a snapshot.
_NAME = 60


@dataclass(frozen=True)
class Terms:
    """The page's words for a model, and the parts that the model has."""

    support: str
    """Name of a node's support."""
    measure: str
    """Measure whose peaks are the modes."""
    mode: str
    """Name of the node with which the other nodes of its cluster are compared."""
    area: str
    """Field of the nodes that sets their area on the map."""
    components: bool
    """Whether clusters consist of PH components: edges then connect nodes of a component, otherwise clusters."""


#: Terms for each kind of leaves of the hierarchy.
_TERMS = {
    "component": Terms("support", "support", "the mode of its component", "rows", components=True),
    "node": Terms("weight", "density", "the strongest of its cluster", "support", components=False),
}


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters in the order of the list, largest first."""

    profile: Profile
    place: Ints
    """Position of each label in the list."""
    names: tuple[str, ...]
    """The id as text. While a split is not confirmed, clusters share an id; all but the largest of them then get a
    number: ``3``, ``3.2``, ``3.3``."""

    @classmethod
    def of(cls, model: Answers) -> Self:
        """Return the clusters of a fitted model."""
        profile = Profile.of(model)
        return cls(profile, np.argsort(profile.label), _names(profile.id.tolist()))

    def __len__(self) -> int:
        return len(self.names)

    def places(self, labels: Ints) -> Ints:
        """Return the positions of labels in the list; -1 for none."""
        return np.where(labels >= 0, self.place[labels], -1)


@dataclass(frozen=True)
class Moment:
    """The common source of snapshots, predictions and explanations, which makes them consistent."""

    model: Reading
    features: tuple[str, ...]

    @classmethod
    def of(cls, learned: Pipeline) -> Moment:
        """Copy the model; waits at most a few milliseconds for learning."""
        model = Reading(learned.model, learned.names)
        return cls(model, model.names)

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters, largest first."""
        return Clusters.of(self.model)

    @property
    def terms(self) -> Terms:
        """The terms for the leaves of the hierarchy."""
        return _TERMS[self.model.hierarchy_.leaves]

    def feature(self, j: int) -> str:
        """Return the name of a feature, shortened if it is long."""
        return shortened(self.features[j], _NAME)

    def telling(self, cluster: int, most: int) -> list[dict[str, object]]:
        """Return the features by which a cluster of the list differs most from the mean of the stream."""
        center, away = self.clusters.profile.center[cluster], self.clusters.profile.deviations[cluster]
        return [
            {"feature": self.feature(j), "center": number(center[j]), "deviations": number(away[j])}
            for j in telling(away, most).tolist()
        ]


def number(value: float | None) -> float | None:
    """Round a number to the digits worth sending; None for values that JSON cannot hold."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.5g}")


def shortened(text: str, most: int) -> str:
    """Return the text, or its beginning and an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _names(ids: list[int]) -> tuple[str, ...]:
    seen: Counter[int] = Counter()
    names = []
    for id in ids:
        seen[id] += 1
        names.append(str(id) if seen[id] == 1 else f"{id}.{seen[id]}")
    return tuple(names)
