"""PHIDA in both readings, and its ablations (spec section 11)."""

from __future__ import annotations

from phida import _core
from phida_bench.methods.interface import Labels, Method, Rows, Task


class LearnerSystem:
    """The native learner: the estimator's, with the ablation switches that the estimator does not offer."""

    def __init__(self, task: Task, mapping: str = "persistence", *, released: bool = False, **switches: bool) -> None:
        self._learner = _core.Learner(task.n_features, released, **switches)
        self._learner.map_by(mapping)

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
    return Method(
        name, "ablation", order, summary, lambda task: LearnerSystem(task, "persistence", released=True, **switches)
    )


# The published tables come from the released code, so it is the one that the ablations are compared with.
METHODS = (
    Method(
        "PHIDA",
        "phida",
        0,
        "the method in the released code's reading, which the published tables show",
        lambda task: LearnerSystem(task, released=True),
        published="PHIDA",
    ),
    Method("PHIDA-equations", "phida", 1, "the method as the paper's equations have it", LearnerSystem),
    Method(
        "PHIDA-coactivation",
        "phida",
        2,
        "as the equations have it, but nodes are joined that win together; not in the paper",
        lambda task: LearnerSystem(task, mapping="coactivation"),
    ),
    _ablation("noPH", 10, "every node its own component; the gate always open", ph=False),
    _ablation("noRefresh", 11, "no periodic refresh, only that at the end of learning", refresh=False),
    _ablation("noDelete", 12, "no physical deletion of nodes", remove=False),
    _ablation("noPrune", 13, "isolated nodes stay in the PH input", prune=False),
)
