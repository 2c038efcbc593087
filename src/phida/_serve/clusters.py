"""The model's clusters as listed on the page: those of its profile, with names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from phida._reading import Answers
from phida.answers.profile import Profile

Ints = NDArray[np.int64]


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


def _names(ids: list[int]) -> tuple[str, ...]:
    seen: Counter[int] = Counter()
    names = []
    for id in ids:
        seen[id] += 1
        names.append(str(id) if seen[id] == 1 else f"{id}.{seen[id]}")
    return tuple(names)
