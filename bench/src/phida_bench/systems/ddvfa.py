"""Distributed Dual Vigilance Fuzzy ART."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions

from phida_bench import _systems
from phida_bench.systems._online import OnlineClusterer

LINKAGES = ("single", "average", "complete", "median", "weighted", "centroid")


class DDVFA(OnlineClusterer):
    """Distributed Dual Vigilance Fuzzy ART.

    Every cluster is a small Fuzzy ART whose categories are boxes. A row goes to the most active cluster that matches it
    by the lower vigilance; there it widens the most active category that matches by the upper vigilance, or becomes a
    category. A row that no cluster matches becomes a cluster.

    Parameters
    ----------
    rho_lb, rho_ub : float, default=0.7, 0.85
        Vigilance between clusters and inside them. ``rho_ub`` may not be the smaller one.
    gamma, gamma_ref : float, default=3, 1
        Exponents of the activation and of its normalisation; ``gamma`` at least 1, ``gamma_ref`` at least 0 and
        smaller than ``gamma``.
    alpha : float, default=0.001
        Choice parameter.
    beta : float, default=1
        Learning rate.
    linkage : {"single", "average", "complete", "median", "weighted", "centroid"}, default="single"
        How activation and match of a cluster follow from those of its categories.
    scaling : {"known_range", "per_call"}, default="known_range"
        Rows are scaled to [0, 1] by ``feature_range``, or those of each ``fit`` or ``partial_fit`` by their own range.
    feature_range : array-like of shape (2, n_features), default=None
        Smallest and largest value of every feature. See the notes for what happens without it.
    no_match : {"outlier", "best"}, default="outlier"
        Whether ``predict`` labels a row that no cluster matches -1, or gives it to the most active cluster.
    max_clusters : int, default=2000
        Rows that would become clusters beyond this number are not learned.
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Labels of the rows given last, as ``predict`` gives them. Only with ``compute_labels``.
    n_clusters_, n_nodes_, n_samples_seen_ : int
        How many clusters, categories and rows given there are. The label -1 is not counted as a cluster.
    nodes_ : ndarray of shape (n_nodes_, 2 * n_features_in_)
        Categories in complement coding: the lower corner of each box, then one minus the upper corner, both scaled.
    n_features_in_ : int
        Number of features.

    Notes
    -----
    The method needs values in [0, 1], and a stream does not tell its range beforehand. With
    ``scaling="known_range"`` and no ``feature_range``, the range of the first call stays in use: that of all rows after
    ``fit``, that of the first chunk where learning begins with ``partial_fit``. With ``scaling="per_call"``, prediction
    uses ``feature_range``, or without it the range of all rows seen so far. Values outside the range in use are
    clipped; features with one value become 0.

    References
    ----------
    L. E. Brito da Silva, I. Elnabarawy and D. C. Wunsch II. Distributed dual vigilance fuzzy adaptive resonance theory
    learns online, retrieves arbitrarily-shaped clusters, and mitigates order dependence. *Neural Networks* 121, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import DDVFA
    >>> model = DDVFA(rho_lb=0.5, rho_ub=0.8).fit(load_iris().data)
    >>> model.n_nodes_, model.n_clusters_
    (30, 3)
    """

    _native = _systems.DDVFA
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClusterer._parameter_constraints,
        "rho_lb": [Interval(Real, 0, 1, closed="both")],
        "rho_ub": [Interval(Real, 0, 1, closed="both")],
        "gamma": [Interval(Real, 1, None, closed="left")],
        "gamma_ref": [Interval(Real, 0, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, 1, closed="right")],
        "linkage": [StrOptions(set(LINKAGES))],
        "scaling": [StrOptions({"known_range", "per_call"})],
        "feature_range": ["array-like", None],
        "no_match": [StrOptions({"outlier", "best"})],
        "max_clusters": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        rho_lb: float = 0.7,
        rho_ub: float = 0.85,
        gamma: float = 3.0,
        gamma_ref: float = 1.0,
        alpha: float = 1e-3,
        beta: float = 1.0,
        linkage: str = "single",
        scaling: str = "known_range",
        feature_range: Any = None,
        no_match: str = "outlier",
        max_clusters: int = 2000,
        compute_labels: bool = True,
    ) -> None:
        self.rho_lb = rho_lb
        self.rho_ub = rho_ub
        self.gamma = gamma
        self.gamma_ref = gamma_ref
        self.alpha = alpha
        self.beta = beta
        self.linkage = linkage
        self.scaling = scaling
        self.feature_range = feature_range
        self.no_match = no_match
        self.max_clusters = max_clusters
        self.compute_labels = compute_labels

    def _settings(self, n_features: int) -> dict[str, Any]:
        if self.rho_ub < self.rho_lb:
            raise ValueError(f"rho_ub must be at least rho_lb, got {self.rho_ub} and {self.rho_lb}.")
        if self.gamma_ref >= self.gamma:
            raise ValueError(f"gamma_ref must be smaller than gamma, got {self.gamma_ref} and {self.gamma}.")
        low, high = self._range(n_features)
        return {
            **{name: getattr(self, name) for name in ("rho_lb", "rho_ub", "gamma", "gamma_ref", "alpha", "beta")},
            "linkage": LINKAGES.index(self.linkage),
            "scale_per_call": self.scaling == "per_call",
            "best_if_no_match": self.no_match == "best",
            "max_clusters": self.max_clusters,
            "range_low": low,
            "range_high": high,
        }

    def _range(self, n_features: int) -> Any:
        """Smallest and largest values, or two empty rows."""
        if self.feature_range is None:
            return np.empty((2, 0))
        limits = check_array(self.feature_range, dtype=np.float64, order="C", input_name="feature_range")
        if limits.shape != (2, n_features):
            raise ValueError(f"feature_range must have the shape (2, {n_features}), got {limits.shape}.")
        if np.any(limits[0] > limits[1]):
            raise ValueError("feature_range must hold the smallest values first and the largest second.")
        return limits
