"""PHIDA+: the learning of PHIDA with two changes, and a read-out with two levels (PLUS, sections 2 and 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .assign import AssignmentView, assign, assign_to_nearest
from .flow import Flow, flow
from .groups import groups
from .learner import OracleLearner, Step
from .matching import match
from .pairs import Pairs, off_plane
from .parts import parts
from .transform import adaptive_transform

LOWEST_LOG_THETA = math.log(1e-6)


@dataclass
class PlusReading:
    """Both levels, read from the same state."""

    flow: Flow | None  # None: the paper's map serves for both levels
    groups: AssignmentView
    parts: AssignmentView

    @property
    def n_nodes(self) -> int:
        return len(self.groups.rows)

    @property
    def n_groups(self) -> int:
        return int(self.groups.cluster.max()) + 1

    @property
    def n_parts(self) -> int:
        return int(self.parts.cluster.max()) + 1

    def predict(self, X: np.ndarray, level: str) -> np.ndarray:
        """Group or part of every sample (steps 7 and 9)."""
        view = {"groups": self.groups, "parts": self.parts}[level]
        if self.flow is None:
            return assign(view, X)
        return assign_to_nearest(view, X) if level == "groups" else assign(view, X, lone_squared=False)


class PlusLearner(OracleLearner):
    """PHIDA+ in equations mode. `vigilance` is that of the window, which section 5 reads and writes."""

    def __init__(self, *, max_nodes: int = 0, half_life: float = 0.0) -> None:
        super().__init__(max_nodes=max_nodes, half_life=half_life)
        self.log_theta: float | None = None  # log of the distance beyond which a sample is far
        self.n_far = 3  # far samples so far, from a start of 3
        self.tau = 0.0  # vigilance that the last match used
        self.n_created = 0
        self.pairs = Pairs(unit=2**24 if half_life else 1)

    def read(self) -> PlusReading:
        """Both levels of the state as it is; learning has to have ended (section 3)."""
        found = flow(self.support, self.pairs)
        if found is None:
            assert self.assignment is not None, "no refresh yet, hence no assignment view"
            return PlusReading(None, self.assignment, self.assignment)
        rows, support = self.representatives[found.nodes], self.support[found.nodes]
        transform = adaptive_transform(rows)
        group = groups(found, transform.apply(rows))
        return PlusReading(
            found,
            AssignmentView(rows, support, group, transform),
            AssignmentView(rows, support, parts(found), transform),
        )

    def _match_and_learn(self, x: np.ndarray) -> Step:
        transform = self._train_metric()
        z, rows = transform.apply(x), transform.apply(self.representatives)
        found = match(z, rows, transform.gamma, self._feature_weights(), self.scale)
        r, b = found.winner, found.runner_up
        a_r, a_b = found.similarity[r].item(), found.similarity[b].item()
        step = Step("update", r, b, (a_r, a_b), transform.gamma)

        far = self._is_far(r, found.distance[r].item())
        few_singles = np.sum(self.support <= 1) <= self.interval
        create = far or (a_r < self.vigilance and few_singles)
        self.tau = self.vigilance
        if self.log_theta is not None:
            self.tau = max(self.vigilance, 1 / (1 + math.exp(self.log_theta)))
        self._follow_quantile(far)

        if create:
            step.event = "create"
            self._create(x)
            return step
        self.pairs.add_sample(r, b, off_plane(z, rows[r], rows[b]))
        self._update_winner(r, x)
        step.runner_up_updated = self._update_runner_up(r, b, a_b, x, self.tau)
        self._mark_active(r, b, a_r, a_b, self.tau)
        return step

    def _is_far(self, r: int, distance: float) -> bool:
        """Whether its winner serves a sample badly. The first sample off its winner sets theta (items 1 and 2)."""
        v = distance / max(self.scale[r].item(), 1e-12) / math.sqrt(1 + 1 / self.support[r].item())
        log_v = math.log(v) if v > 0 else -math.inf
        if self.log_theta is None and v > 0:
            self.log_theta = log_v
        return self.log_theta is not None and log_v > self.log_theta

    def _follow_quantile(self, far: bool) -> None:
        """Move theta towards the quantile that a share q of samples exceeds (item 5)."""
        length = max(self.interval, 2)  # L
        q = math.exp(-self.n_far / length)
        self.n_far += far
        if self.log_theta is not None:
            self.log_theta = max(self.log_theta + (far - q) / length, LOWEST_LOG_THETA)

    def _create(self, x: np.ndarray) -> None:
        super()._create(x)
        self.pairs.add_node()
        self.n_created += 1

    def _delete(self, gone: np.ndarray) -> None:
        super()._delete(gone)
        self.pairs.delete(gone)

    def _move_counts(self, source: int, target: int) -> None:
        self.pairs.move(source, target)

    def _fade_counts(self, share: float) -> None:
        self.pairs.fade(share)
