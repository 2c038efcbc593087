"""PHIDA in both variants, PHIDA+, and PHIDA's ablations (spec section 11)."""

from __future__ import annotations

from phida import PHIDA, PHIDAPlus, _core
from phida_bench.methods.estimators import OnlineSystem
from phida_bench.methods.interface import Labels, Method, Rows, Task
from phida_bench.protocol import ALL_SETTINGS, SETTINGS
from phida_bench.released import ReleasedPHIDA


class StagedSystem(OnlineSystem):
    """An estimator of this package. Only in the paper's settings does each stage of the stream end with a refresh."""

    def __init__(self, estimator: PHIDA | PHIDAPlus, task: Task) -> None:
        nodes = "n_active_nodes_" if isinstance(estimator, PHIDA) else "n_nodes_"
        super().__init__(estimator.set_params(compute_labels=False), nodes)
        self._ends = task.setting in SETTINGS

    def learn(self, X: Rows) -> None:
        super().learn(X)
        if self._ends:
            self._estimator.refresh()


class AblationSystem:
    """The native learner of the released variant, with switches that the estimators do not have."""

    def __init__(self, task: Task, **switches: bool) -> None:
        self._learner = _core.Learner(task.n_features, released=True, **switches)

    def learn(self, X: Rows) -> None:
        self._learner.learn(X)
        self._learner.end_learning()

    def labels(self, X: Rows) -> Labels:
        return self._learner.reading().assign(X)

    @property
    def n_nodes(self) -> int:
        return self._learner.reading().n_active_nodes

    @property
    def n_clusters(self) -> int:
        return self._learner.reading().n_clusters


def _ablation(name: str, order: int, summary: str, **switches: bool) -> Method:
    return Method(name, "ablation", order, summary, lambda task: AblationSystem(task, **switches))


# The published tables come from the released code, so the ablations are compared with this variant.
METHODS = (
    Method(
        "PHIDA",
        "phida",
        0,
        "the method in the released code's reading, which the published tables show",
        lambda task: StagedSystem(ReleasedPHIDA(), task),
        published="PHIDA",
    ),
    Method(
        "PHIDA-equations",
        "phida",
        1,
        "the method as the paper's equations have it",
        lambda task: StagedSystem(PHIDA(), task),
        settings=ALL_SETTINGS,
    ),
    Method(
        "PHIDA+",
        "plus",
        2,
        "PHIDA+, which is not in the paper",
        lambda task: StagedSystem(PHIDAPlus(), task),
        settings=ALL_SETTINGS,
    ),
    _ablation("noPH", 10, "every node its own component; the gate always open", ph=False),
    _ablation("noRefresh", 11, "no periodic refresh, only that at the end of learning", refresh=False),
    _ablation("noDelete", 12, "no physical deletion of nodes", remove=False),
    _ablation("noPrune", 13, "isolated nodes stay in the PH input", prune=False),
)
