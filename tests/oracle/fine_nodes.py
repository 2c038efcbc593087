"""The learner of PHIDA+: many fine nodes within a budget (section 12).

All sums run in index order, without fused operations, so the native learner must agree to the bit.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from phida import _core

from .distance import sum_in_order

LARGEST_UNIT = 2.0**32  # above it, all sums are divided by it
ROUNDING = 2.0**-44  # a smaller spread, as a share of the mean, is rounding
LEAST_DEVIATION = 1e-150  # squares of smaller deviations have lost digits
WILD = 256.0  # times the variance: nodes farther out count as wild
LEAST_SHARE = 2.0**-480  # share of the deviation with wild nodes; keeps distances finite


@dataclass
class Metric:
    """Euclidean distances after each feature is divided by sigma_j ** gamma."""

    inverse: np.ndarray  # (d,) 1 / sigma_j ** gamma
    gamma: float

    def squares(self, x: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return squared distances of one point to rows."""
        return sum_in_order(((x - rows) * self.inverse) ** 2)

    def total(self, scatter: np.ndarray) -> float:
        """Return the scatter per feature, in raw units, as one sum of squared distances."""
        return sum_in_order((self.inverse * self.inverse * scatter)[None]).item()


@dataclass
class Step:
    """Effect of learning one row."""

    event: str  # "create" or "update"
    winner: int | None = None  # the nearest node before learning; None for the first row
    compacted: bool = False  # nodes were removed or merged, so indices have changed


class FineNodes:
    """Learner with at most max_nodes nodes of weight, mean, scatter and credit; half_life 0 means off."""

    def __init__(self, n_features: int, *, max_nodes: int = 2048, half_life: float = 0.0, scale: str = "auto") -> None:
        self.max_nodes = max_nodes  # B
        self.half_life = half_life  # H, in rows
        self.scale = scale  # "auto", "standard" or "none"

        self.n_seen = 0
        self.weight = np.empty(0)  # w: rows, in units of `unit`
        self.mean = np.empty((0, n_features))  # mu, raw
        self.scatter = np.empty((0, n_features))  # s: squared differences of a node's rows to its mean, raw
        self.credit = np.empty(0)  # c: squared distances of rows won since a node was last created next to it
        self.allowance = 0.0  # f: the credit that a node may reach
        self.unit = 1.0  # weight, in units, of a new row with sample weight 1
        self.growth = _core.pow(2.0, 1.0 / half_life) if half_life else 1.0  # factor of the unit per row
        self.metric: Metric | None = None  # None before the first compaction

    @property
    def n_nodes(self) -> int:
        """Return K."""
        return len(self.weight)

    @property
    def row_weight(self) -> np.ndarray:
        """Return node weights as users see them: (faded) numbers of rows."""
        return self.weight / self.unit

    def learn(self, rows: np.ndarray, weights: np.ndarray | None = None) -> list[Step]:
        """Learn rows one by one."""
        weights = np.ones(len(rows)) if weights is None else weights
        return [self.learn_one(x, weight.item()) for x, weight in zip(rows, weights)]

    def learn_one(self, x: np.ndarray, weight: float = 1.0) -> Step:
        """Learn one row: it becomes a node if the nearest node's allowance is used up, else it joins that node."""
        self.n_seen += 1
        x = x + 0.0  # -0 becomes 0
        self._fade()
        weight *= self.unit
        if self.n_nodes == 0:
            return self._create(x, weight, None)

        squares = (self.metric or self._raw_metric()).squares(x, self.mean)
        r = int(np.argmin(squares))
        square = squares[r].item()
        credit = self.credit[r].item() + weight * square
        if square > 0 and credit > self.allowance:
            self.credit[r] = 0.0
            return self._create(x, weight, r)
        self.credit[r] = credit
        self._add(r, x, weight)
        return Step("update", r)

    def merge(self, others: list[FineNodes]) -> None:
        """Add the nodes of other learners; the order of the learners does not matter."""
        models = [self, *others]
        ratios = [self.unit / model.unit for model in models]
        weight = np.concatenate([model.weight * ratio for model, ratio in zip(models, ratios)])
        mean = np.concatenate([model.mean for model in models])
        scatter = np.concatenate([model.scatter * ratio for model, ratio in zip(models, ratios)])
        order = sorted(range(len(weight)), key=lambda i: (mean[i].tolist(), weight[i], scatter[i].tolist()))
        self.weight, self.mean, self.scatter = weight[order], mean[order], scatter[order]
        self._join_equal_places()
        self.credit = np.zeros(self.n_nodes)
        self.n_seen = sum(model.n_seen for model in models)
        metrics = [model.metric for model in models]
        if any(metric is not None for metric in metrics):  # at least one model has compacted
            self.metric = self.fitted_metric()
            self.allowance = max(
                model.allowance * ratio * self._conversion(metric, self.metric)
                for model, ratio, metric in zip(models, ratios, metrics)
            )
        if self.n_nodes >= self.max_nodes:
            self._compact()

    def _join_equal_places(self) -> None:
        """Unite neighbours in the list with the same mean: weights and scatters add."""
        kept: list[int] = []
        for i in range(self.n_nodes):
            if kept and np.array_equal(self.mean[kept[-1]], self.mean[i]):
                self.weight[kept[-1]] += self.weight[i]
                self.scatter[kept[-1]] += self.scatter[i]
            else:
                kept.append(i)
        self.weight, self.mean, self.scatter = self.weight[kept], self.mean[kept], self.scatter[kept]

    def to_read(self) -> FineNodes:
        """Return a copy without faded nodes, with the metric of read-outs and predictions."""
        nodes = copy.copy(self)
        nodes.metric = self.metric or self.fitted_metric()
        nodes._keep(self.unfaded())
        return nodes

    def fitted_metric(self) -> Metric:
        """Return the metric fitted to the current nodes."""
        return fit_metric(self.weight, self.mean, self.scatter, self.scale)

    def _raw_metric(self) -> Metric:
        return Metric(np.ones(self.mean.shape[1]), 0.0)

    def _create(self, x: np.ndarray, weight: float, winner: int | None) -> Step:
        self.weight = np.append(self.weight, weight)
        self.mean = np.vstack([self.mean, x])
        self.scatter = np.vstack([self.scatter, np.zeros_like(x)])
        self.credit = np.append(self.credit, 0.0)
        full = self.n_nodes == self.max_nodes
        if full:
            self._compact()
        return Step("create", winner, full)

    def _add(self, r: int, x: np.ndarray, weight: float) -> None:
        share = weight / (self.weight[r] + weight)
        product = self.weight[r] * share
        gap = x - self.mean[r]
        self.scatter[r] += product * gap * gap
        self.mean[r] += share * gap
        self.weight[r] += weight

    def _fade(self) -> None:
        self.unit *= self.growth
        if self.unit > LARGEST_UNIT:
            for name in ("weight", "scatter", "credit", "allowance", "unit"):
                setattr(self, name, getattr(self, name) / LARGEST_UNIT)

    def unfaded(self) -> np.ndarray:
        """Return a mask of the nodes with at least half a row, or of the heaviest node; without a half-life, of all
        nodes."""
        if not self.half_life:
            return np.ones(self.n_nodes, dtype=bool)
        stays = self.weight >= 0.5 * self.unit
        if self.n_nodes and not stays.any():
            stays[np.argmax(self.weight)] = True
        return stays

    def _keep(self, kept: np.ndarray) -> None:
        for name in ("weight", "mean", "scatter", "credit"):
            setattr(self, name, getattr(self, name)[kept])

    # Compaction.

    def _compact(self) -> None:
        """Reduce the nodes to three quarters of the budget."""
        target = 3 * self.max_nodes // 4
        if self.half_life:
            self._keep(self.unfaded())
            if self.n_nodes <= target:
                return
        self._renew_metric()
        costs = self._merge_costs()
        gone = np.zeros(self.n_nodes, dtype=bool)
        for _ in range(self.n_nodes - target):
            # Among equal costs, the lower first index, then the lower second index.
            a, b = np.unravel_index(np.argmin(costs), costs.shape)
            self.allowance = costs[a, b].item()
            self._merge_pair(a, b)
            gone[b] = True
            costs[b] = costs[:, b] = np.inf
            for other in np.flatnonzero(~gone):
                if other != a:
                    first, second = sorted((a, other))
                    costs[first, second] = self._merge_cost(first, second)
        self._keep(~gone)

    def _renew_metric(self) -> None:
        before = self.metric
        self.metric = self.fitted_metric()
        factor = self._conversion(before, self.metric)
        self.allowance *= factor
        self.credit = self.credit * factor

    def _conversion(self, before: Metric | None, after: Metric) -> float:
        """Return the ratio of the nodes' scatter in two metrics, by which squared distances change on average."""
        scatter = sum_in_order(self.scatter.T)
        total = (before or self._raw_metric()).total(scatter)
        return after.total(scatter) / total if total else 0.0

    def _merge_costs(self) -> np.ndarray:
        """Return the costs of all pairs a < b; infinite elsewhere."""
        costs = np.full((self.n_nodes, self.n_nodes), np.inf)
        for a in range(self.n_nodes):
            later = slice(a + 1, None)
            squares = self.metric.squares(self.mean[a], self.mean[later])
            costs[a, later] = squares / (1.0 / self.weight[a] + 1.0 / self.weight[later])
        return costs

    def _merge_cost(self, a: int, b: int) -> float:
        """Return Ward's cost: the increase of the total scatter."""
        square = self.metric.squares(self.mean[a], self.mean[b][None]).item()
        return square / (1.0 / self.weight[a] + 1.0 / self.weight[b])

    def _merge_pair(self, a: int, b: int) -> None:
        """Merge node b into node a."""
        first, second = self.weight[a], self.weight[b]
        total = first + second
        product = first * (second / total)
        gap = self.mean[b] - self.mean[a]
        self.scatter[a] = (self.scatter[a] + self.scatter[b]) + product * gap * gap
        self.mean[a] = (self.mean[a] * first + self.mean[b] * second) / total
        self.weight[a] = total
        self.credit[a] = 0.0


def learned(rows: np.ndarray, weights: np.ndarray | None = None, **settings: Any) -> FineNodes:
    """Return a learner of these rows."""
    nodes = FineNodes(rows.shape[1], **settings)
    nodes.learn(rows, weights)
    return nodes


def fit_metric(weight: np.ndarray, mean: np.ndarray, scatter: np.ndarray, scale: str) -> Metric:
    """Return the metric fitted to nodes: the feature transformation (section 2) with their standard deviations."""
    n_features = mean.shape[1]
    if scale == "none":
        return Metric(np.ones(n_features), 0.0)
    sigma = np.array([deviation(weight, mean[:, j], scatter[:, j]) for j in range(n_features)])
    if scale == "standard":
        return Metric(1.0 / sigma, 1.0)
    gamma = strength(sigma)
    if gamma == 0:
        return Metric(np.ones(n_features), 0.0)
    return Metric(np.array([1.0 / _core.pow(s, gamma) for s in sigma.tolist()]), gamma)


def deviation(weight: np.ndarray, mean: np.ndarray, scatter: np.ndarray) -> float:
    """Return the standard deviation of a feature over nodes without wild values, or 1 for a constant feature."""
    center, variance = spread(weight, mean, scatter)
    if not counts(center, variance):
        return 1.0
    first = math.sqrt(variance)
    while True:
        far_out = scatter + weight * (mean - center) * (mean - center) > WILD * variance * weight
        if not far_out.any() or far_out.all():
            return math.sqrt(variance)
        weight, mean, scatter = weight[~far_out], mean[~far_out], scatter[~far_out]
        center, rest = spread(weight, mean, scatter)
        if not (rest < 0.25 * variance and counts(center, rest) and math.sqrt(rest) >= LEAST_SHARE * first):
            return math.sqrt(variance)
        variance = rest


def spread(weight: np.ndarray, mean: np.ndarray, scatter: np.ndarray) -> tuple[float, float]:
    """Return centre and variance of the nodes' rows in one feature."""
    total = sum_in_order(weight[None]).item()
    center = sum_in_order((weight * mean)[None]).item() / total
    gap = mean - center
    inside, between = sum_in_order(np.stack([scatter, weight * gap * gap])).tolist()
    return center, (inside + between) / total


def counts(center: float, variance: float) -> bool:
    """Return whether a feature varies beyond rounding of the mean."""
    sigma = math.sqrt(variance)
    return math.isfinite(sigma) and sigma >= LEAST_DEVIATION and sigma > ROUNDING * abs(center)


def strength(sigma: np.ndarray) -> float:
    """Return the exponent gamma: 0 for features of similar scale, near 1 for very unequal ones (section 2)."""
    n = len(sigma)
    average = sum_in_order(sigma[None]).item() / n
    squares = sum_in_order(((sigma - average) ** 2)[None]).item()
    cv = math.sqrt(squares / n) / average
    return 0.0 if cv == 0 else max(1.0 - 1.0 / (cv * cv), 0.0)
