"""The online update of PHIDA: owns all state and calls the stages in the order of section 3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .assign import AssignmentView, assign
from .matching import match
from .refresh import PhInput, View, build_view, low_support_nodes, ph_input
from .transform import Transform, adaptive_transform
from .vigilance import cluster_count, recalculate
from .weights import feature_weights
from .welford import welford

FIRST_NODES = 3  # created for any vigilance


@dataclass
class Step:
    """Effect of one sample, in the fields of the golden traces."""

    event: str  # "create" or "update"
    winner: int | None = None  # None while the first nodes are created
    runner_up: int | None = None
    similarity: tuple[float, float] | None = None  # winner and runner-up, before the update
    gamma: float | None = None  # gamma of the training metric
    runner_up_updated: bool = False
    refreshed: bool = False


class OracleLearner:
    """PHIDA by the specification; the switches are the ablations of BENCHMARK.md.

    ph=False is noPH, refresh=False noRefresh, remove=False noDelete, prune=False noPrune, and
    mapping=False IDA. compatibility="released" keeps the cached rows of section 10.
    """

    def __init__(
        self,
        compatibility: str = "equations",
        *,
        ph: bool = True,
        refresh: bool = True,
        remove: bool = True,
        prune: bool = True,
        mapping: bool = True,
    ) -> None:
        self.compatibility = compatibility
        self.ph = ph
        self.refresh = refresh
        self.remove = remove
        self.prune = prune
        self.mapping = mapping

        self.n_seen = 0
        self.interval = 2  # lambda
        self.vigilance = 0.0  # tau
        self.ratio = 0.0  # r_bar
        self.since_recalc = 0
        self.since_refresh = 0
        self.buffer: list[np.ndarray] = []  # B, oldest first
        self.keep: int | None = None  # longest B; None before the first recalculation

        self.support = np.empty(0, dtype=int)  # M
        self.scale = np.empty(0)  # s
        self.active = np.empty(0, dtype=bool)
        self.birth = np.empty(0, dtype=int)
        self.component = np.empty(0, dtype=int)  # -1 outside the map
        self.cluster = np.empty(0, dtype=int)  # -1 outside the view
        # (K, d) arrays; the first sample sets the number of features.
        self.representatives = self.mean = self.m2 = np.empty((0, 0))
        self.global_count = 0
        self.global_mean = self.global_m2 = np.empty(0)

        self.transform: Transform | None = None  # the training metric
        self.transform_step = 0  # at_step
        self.transform_nodes = 0  # at_nodes
        self.cached_rows = np.empty((0, 0))  # z_i in the released behaviour

        self.n_components = 0
        self.n_clusters = 0
        self.ph_threshold = 0.0
        self.assignment: AssignmentView | None = None
        self.view: View | None = None  # result of the last refresh, for comparison

    @property
    def n_nodes(self) -> int:
        """Return K (section 1)."""
        return len(self.support)

    def learn_one(self, x: np.ndarray) -> Step:
        """Learn one sample (section 3)."""
        x = np.array(x, dtype=float)
        if self.n_seen == 0:
            self._start(len(x))
        self.buffer.append(x)
        self._trim_buffer()

        if self.n_nodes < FIRST_NODES:
            step = Step("create")
            self._create(x)
            if self.n_nodes == 2:
                self.scale[0] = self.scale[1]
        else:
            step = self._match_and_learn(x)

        self.since_refresh += 1
        if self.since_refresh >= self.interval and self.refresh and self.mapping:
            self._refresh()
            step.refreshed = True
        self.n_seen += 1
        self.since_recalc += 1
        if self.since_recalc >= self.interval and self.n_nodes > 2:
            self._recalculate()
        return step

    def learn_many(self, X: np.ndarray) -> list[Step]:
        """Learn samples one by one (section 3)."""
        return [self.learn_one(x) for x in X]

    def end_learning(self) -> None:
        """End a stage of the stream with a refresh, independent of the counters (section 3)."""
        if self.mapping:
            self._refresh()

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the output cluster of every sample by the last assignment view (section 9)."""
        assert self.assignment is not None, "no refresh yet, hence no assignment view"
        return assign(self.assignment, X)

    def _start(self, d: int) -> None:
        self.representatives, self.mean, self.m2 = (np.empty((0, d)) for _ in range(3))
        self.global_mean, self.global_m2 = np.zeros(d), np.zeros(d)

    def _trim_buffer(self) -> None:
        if self.keep is not None:
            self.buffer = self.buffer[-self.keep :]

    # Node learning, steps 3 to 7.

    def _match_and_learn(self, x: np.ndarray) -> Step:
        transform = self._train_metric()
        released = self.compatibility == "released"
        rows = self.cached_rows if released else transform.apply(self.representatives)
        found = match(transform.apply(x), rows, transform.gamma, self._feature_weights(), self.scale)
        r, b = found.winner, found.runner_up
        a_r, a_b = found.similarity[r].item(), found.similarity[b].item()

        step = Step("update", r, b, (a_r, a_b), transform.gamma)
        if a_r < self.vigilance:
            step.event = "create"
            self._create(x)
            return step
        self._update_winner(r, x)
        step.runner_up_updated = self._update_runner_up(r, b, a_b, x, self.vigilance)
        self._mark_active(r, b, a_r, a_b, self.vigilance)
        return step

    def _train_metric(self) -> Transform:
        """Return the transformation used for matching, recomputed when due (step 3)."""
        absent = self.transform is None or self.transform_nodes != self.n_nodes
        aged = self.n_seen - self.transform_step >= max(self.interval, 1)
        if absent or aged:
            self.transform = adaptive_transform(self.representatives)
            self.transform_step = self.n_seen
            self.transform_nodes = self.n_nodes
        if absent:
            # The released behaviour keeps these rows if only age is the reason.
            self.cached_rows = self.transform.apply(self.representatives)
        return self.transform

    def _feature_weights(self) -> np.ndarray:
        return feature_weights(self.m2, self.support, self.global_count, self.global_m2)

    def _create(self, x: np.ndarray) -> None:
        self._count_globally(x)
        self.representatives = np.vstack([self.representatives, x])
        self.mean = np.vstack([self.mean, x])
        self.m2 = np.vstack([self.m2, np.zeros_like(x)])
        self.support = np.append(self.support, 1)
        self.scale = np.append(self.scale, self._global_scale())
        self.active = np.append(self.active, False)
        self.birth = np.append(self.birth, self.n_seen)
        self.component = np.append(self.component, -1)
        self.cluster = np.append(self.cluster, -1)
        self.transform = None

    def _update_winner(self, r: int, x: np.ndarray) -> None:
        self._update_node(r, x, 1.0 / (self.support[r] + 1))
        self._count_globally(x)
        self.scale[r] = self._global_scale()

    def _update_runner_up(self, r: int, b: int, a_b: float, x: np.ndarray, tau: float) -> bool:
        if not (a_b > tau and self._gate_open(r, b)):
            return False
        chi = min(max((a_b - tau) / max(1 - tau, 1e-12), 0.0), 1.0)
        if chi == 0:
            return False
        self._update_node(b, x, chi / (self.support[b] + 1))
        return True

    def _update_node(self, i: int, x: np.ndarray, rate: float) -> None:
        self.support[i] += 1
        self.representatives[i] += rate * (x - self.representatives[i])
        self.mean[i], self.m2[i] = welford(self.support[i], self.mean[i], self.m2[i], x)
        self.cached_rows[i] = self.transform.apply(self.representatives[i])

    def _gate_open(self, r: int, b: int) -> bool:
        """Return zeta: whether the PH components let runner-up b learn with winner r (step 7)."""
        if not self.ph or self.n_components < 2:
            return True
        if self.n_nodes < max(2 * max(self.interval, 1), 8):
            return True
        return bool(self.component[r] >= 0 and self.component[r] == self.component[b])

    def _mark_active(self, r: int, b: int, a_r: float, a_b: float, tau: float) -> None:
        supported = self.support[self.support > 1]
        if not (a_r > tau and len(supported)):
            return
        enough = np.median(supported)
        self.active[r] |= self.support[r] >= enough
        self.active[b] |= a_b > tau and self.support[b] >= enough

    def _count_globally(self, x: np.ndarray) -> None:
        self.global_count += 1
        self.global_mean, self.global_m2 = welford(self.global_count, self.global_mean, self.global_m2, x)

    def _global_scale(self) -> float:
        """Return the node scale from the samples so far (step 5)."""
        deviation = np.sqrt(self.global_m2 / max(self.global_count - 1, 1))
        return max(deviation.max().item(), 1e-6)

    # Refresh, section 6.

    def _refresh(self) -> None:
        self.since_refresh = 0
        if self.remove:
            self._delete(low_support_nodes(self.support, self.component, self.interval))
        entering = self._ph_input()
        if self.remove:
            gone = np.zeros(self.n_nodes, dtype=bool)
            gone[entering.left] = True
            gone &= (self.support <= 1) & ~self.active
            if gone.any():
                self._delete(gone)
                entering = self._ph_input()

        view = build_view(self.representatives, self.support, self.active, entering, ph=self.ph)
        self.component = view.component
        self.cluster = view.cluster
        self.n_components = len(view.persistence)
        self.n_clusters = view.hierarchy.cluster.max().item() + 1
        self.ph_threshold = view.epsilon
        self.assignment = view.assignment
        self.view = view

    def _ph_input(self) -> PhInput:
        return ph_input(
            self.representatives,
            self.support,
            self.active,
            self._feature_weights(),
            prune=self.prune,
        )

    def _delete(self, gone: np.ndarray) -> None:
        if not gone.any():
            return
        for name in (
            "representatives",
            "mean",
            "m2",
            "support",
            "scale",
            "active",
            "birth",
            "component",
            "cluster",
        ):
            setattr(self, name, getattr(self, name)[~gone])
        self.n_components = 0
        self.transform = None

    # Vigilance, section 5.

    def _recalculate(self) -> None:
        self.since_recalc = 0
        self.interval, self.vigilance, self.ratio = recalculate(
            np.array(self.buffer),
            self._train_metric(),
            self.interval,
            self.vigilance,
            self.ratio,
            cluster_count(self.n_clusters, self.n_components, self.component, self.support),
            self.n_nodes,
            self.scale.max().item(),
        )
        self.keep = 2 * self.interval
        self._trim_buffer()
