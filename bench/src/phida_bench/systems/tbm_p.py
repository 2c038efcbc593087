"""TBM-P: Topological Biclustering ARTMAP with Pearson correlation."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from phida_bench.systems._batch import BatchClusterer, components, in_order_of_appearance
from phida_bench.systems._group_correlation import GroupCorrelation
from phida_bench.systems._topo_art import Categories, Comparison

UNIT: list[Any] = [Interval(Real, 0, 1, closed="both")]
COUNT: list[Any] = [Interval(Integral, 0, None, closed="left")]
PERIOD: list[Any] = [Interval(Real, 0, 1, closed="right")]


class TopoBARTMAP(BatchClusterer):
    """Topological Biclustering ARTMAP with Pearson correlation (TBM-P).

    One TopoART module groups the features. A second one categorises the rows: a category may take a row if it matches
    well enough and if, in some group of features, the row correlates with the rows that it took before; otherwise the
    vigilance is raised and the search goes on. Winners and second winners are linked, and linked categories are a
    cluster. Rows are learned once, in their order.

    Parameters
    ----------
    rho_a, rho_b : float in [0, 1], default=0.8 and 0.5
        Vigilance for rows (a) and for features (b).
    bsb_a, bsb_b : float in [0, 1], default=0.25 and 0.5
        Learning rate of the second winner.
    phi_a, phi_b : int, default=3 and 1
        Categories that took at most that many are removed.
    tau_a, tau_b : float in (0, 1], default=0.2 and 0.5
        Removal takes place each time that this share of the rows, of the features, was learned.
    eta : float in [-1, 1], default=0.0
        Mean correlation that must be exceeded.
    alpha : float, default=1e-3
        Keeps the activation of small categories down.
    beta : float in [0, 1], default=1.0
        Learning rate of the winner.
    step : float in [1e-6, 1], default=0.01
        What is added to the vigilance when the correlation is too low.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered in the order in which they appear.
    n_clusters_ : int
        How many there are.
    n_nodes_ : int
        Categories of rows.
    feature_labels_ : ndarray of shape (n_features_in_,)
        Category of each feature.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    The first nine parameters are meant to be tuned to the data; the defaults are a place to start from. Features are
    scaled to [0, 1] inside. A group of one feature has no correlation, so data of few features come out in very many
    categories unless ``eta`` is negative. Memory grows with the number of categories, never with the square of the
    rows.

    References
    ----------
    Raghu Yelugam, Leonardo Enzo Brito da Silva and Donald C. Wunsch II. Topological biclustering ARTMAP for identifying
    within bicluster relationships. Neural Networks 160, 34-49, 2023.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import TopoBARTMAP
    >>> model = TopoBARTMAP().fit(load_iris().data)
    >>> model.n_nodes_, model.n_clusters_
    (13, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "rho_a": UNIT,
        "rho_b": UNIT,
        "bsb_a": UNIT,
        "bsb_b": UNIT,
        "phi_a": COUNT,
        "phi_b": COUNT,
        "tau_a": PERIOD,
        "tau_b": PERIOD,
        "eta": [Interval(Real, -1, 1, closed="both")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": UNIT,
        "step": [Interval(Real, 1e-6, 1, closed="both")],
    }

    n_nodes_: int
    feature_labels_: NDArray[np.int64]

    def __init__(
        self,
        *,
        rho_a: float = 0.8,
        rho_b: float = 0.5,
        bsb_a: float = 0.25,
        bsb_b: float = 0.5,
        phi_a: int = 3,
        phi_b: int = 1,
        tau_a: float = 0.2,
        tau_b: float = 0.5,
        eta: float = 0.0,
        alpha: float = 1e-3,
        beta: float = 1.0,
        step: float = 0.01,
    ) -> None:
        self.rho_a = rho_a
        self.rho_b = rho_b
        self.bsb_a = bsb_a
        self.bsb_b = bsb_b
        self.phi_a = phi_a
        self.phi_b = phi_b
        self.tau_a = tau_a
        self.tau_b = tau_b
        self.eta = eta
        self.alpha = alpha
        self.beta = beta
        self.step = step

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        self.feature_labels_ = self._group_features(samples)
        categories = self._categorise(samples)
        self.n_nodes_ = len(categories)
        ends = np.array(sorted(categories.edges), dtype=np.int64).reshape(-1, 2)
        component = components(ends[:, 0], ends[:, 1], self.n_nodes_)
        return in_order_of_appearance(component[categories.labels])

    def _group_features(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        """Category of each feature (module B)."""
        features = Categories(_complement_coded(_scaled(samples.T)), self.alpha)
        n = samples.shape[1]
        period = _period(self.tau_b, n)
        for i in range(n):
            comparison = features.compare(i)
            winner = comparison.winner(self.rho_b)
            if winner is None:
                features.add(i)
            else:
                features.take(i, winner, self.beta)
                second = comparison.most_active(comparison.runners_up(winner, self.rho_b))
                if second is not None:
                    features.connect(i, winner, second, self.bsb_b)
            if (i + 1) % period == 0:
                features.remove_small(self.phi_b)
        features.empty_bucket()
        return features.labels

    def _categorise(self, samples: NDArray[np.float64]) -> Categories:
        """Categories of the rows (module A)."""
        scaled = _scaled(samples)
        rows = Categories(_complement_coded(scaled), self.alpha)
        correlation = GroupCorrelation(scaled, self.feature_labels_)
        vigilances = _ladder(self.rho_a, self.step)
        period = _period(self.tau_a, len(samples))
        for i in range(len(samples)):
            self._learn(i, rows, correlation, vigilances)
            if (i + 1) % period == 0:
                correlation.keep(rows.remove_small(self.phi_a))
        rows.empty_bucket()
        return rows

    def _learn(self, i: int, rows: Categories, correlation: GroupCorrelation, vigilances: NDArray[np.float64]) -> None:
        """Assign a row to a category that matches and correlates, or to a new one."""
        comparison = rows.compare(i)
        winner = self._winner(i, comparison, correlation, vigilances)
        if winner is None:
            correlation.begin(rows.add(i), i)
            return
        second = self._second(i, winner, comparison, correlation)
        rows.take(i, winner, self.beta)
        correlation.include(winner, i)
        if second is not None:
            rows.connect(i, winner, second, self.bsb_a)

    def _winner(
        self, i: int, comparison: Comparison, correlation: GroupCorrelation, vigilances: NDArray[np.float64]
    ) -> int | None:
        """Search with rising vigilance (match tracking)."""
        at = 0
        while (winner := comparison.winner(vigilances[at])) is not None:
            if vigilances[at] == 1.0 or correlation.exceeds(self.eta, winner, i):
                return winner
            # It would win again, and be refused, at every vigilance up to its match. The last vigilance accepts it.
            at = min(int(np.searchsorted(vigilances, comparison.match[winner], side="right")), len(vigilances) - 1)
        return None

    def _second(self, i: int, winner: int, comparison: Comparison, correlation: GroupCorrelation) -> int | None:
        """Most active of the categories after the winner that match at the base vigilance and correlate.

        Those before it were tried and refused in the search, and are not tried again.
        """
        left = comparison.runners_up(winner, self.rho_a) & (comparison.activation > 0.0)
        while (second := comparison.most_active(left)) is not None:
            if correlation.exceeds(self.eta, second, i):
                return second
            left[second] = False
        return None


def _scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale columns to [0, 1], and constant columns to 0."""
    low = rows.min(axis=0)
    return (rows - low) / (rows.max(axis=0) - low + 1e-16)  # type: ignore[no-any-return]


def _complement_coded(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.hstack([rows, 1.0 - rows])


def _period(share: float, n: int) -> int:
    """Return a share of n as a count: rounded half up, at least 1."""
    return max(1, math.floor(share * n + 0.5))


def _ladder(start: float, step: float) -> NDArray[np.float64]:
    """Return vigilances from the first to 1, in equal steps."""
    steps = [start]
    while steps[-1] < 1.0:
        steps.append(min(1.0, steps[-1] + step))
    return np.array(steps)
