"""Protocol of the models that can be plotted."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from phida import records
from phida.lineage import History, Lineage


class Model(Protocol):
    """The attributes of a fitted :class:`phida.PHIDA` used by plots."""

    @property
    def cluster_ids_(self) -> NDArray[np.int64]: ...
    @property
    def cluster_centers_(self) -> NDArray[np.float64]: ...
    @property
    def moments_(self) -> records.Moments: ...
    @property
    def n_samples_seen_(self) -> int: ...
    @property
    def nodes_(self) -> records.Nodes: ...
    @property
    def graph_(self) -> records.Graph: ...
    @property
    def persistence_(self) -> records.Persistence: ...
    @property
    def hierarchy_(self) -> records.Hierarchy: ...
    @property
    def assignment_view_(self) -> records.AssignmentView: ...
    @property
    def lineage_(self) -> Lineage: ...
    @property
    def history_(self) -> History: ...
