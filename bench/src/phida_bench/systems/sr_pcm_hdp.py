"""SR-PCM-HDP: possibilistic clusters that die out around high-density points."""

from __future__ import annotations

from math import isqrt
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida_bench.systems._batch import BatchClusterer
from phida_bench.systems._density_peaks import decision_graph

#: Movement of a coordinate below which a centre has converged.
TOLERANCE = 1e-4
FUZZY_ITERATIONS = 150
ITERATIONS = 250

Matrix = NDArray[np.float64]


class SRPCMHDP(BatchClusterer):
    """Self-regulating possibilistic c-means with high-density points.

    Three times as many clusters as there are high-density points start from fuzzy c-means. Their memberships are then
    possibilistic (a row may belong to all or to none), the high-density points attract the centres, and clusters that
    win no row die out, until nothing changes.

    Parameters
    ----------
    n_high_density_points : int, default=6
        How many rows attract the centres (h). To be tuned.
    alpha : float, default=5.3
        Steepness of the membership. To be tuned.
    lam : float, default=1.5
        Weight of the high-density points against the rows in a centre (λ). To be tuned.
    n_neighbors : int or None, default=None
        Neighbours from which the density of a row is taken (K); the root of the number of rows if None.
    fuzzifier : float, default=2.0
        Exponent of the fuzzy memberships (m).
    random_state : int, RandomState instance or None, default=None
        Draws the rows from which fuzzy c-means starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    n_clusters_ : int
        How many clusters are left.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features_in_)
        Their centres.
    high_density_points_ : ndarray of shape (h,)
        Indices of the rows that attracted the centres.
    n_iter_ : int
        Iterations of the possibilistic stage.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    **The choice of high-density points is ours.** The original shows density against separation and lets a person draw
    a rectangle around the points to keep. Here they are the ``n_high_density_points`` rows with the largest product of
    the two.

    In many dimensions fuzzy c-means draws all centres to one place, and one cluster is left; the published results show
    the same.

    References
    ----------
    Hu et al. Self-regulating possibilistic c-means clustering with high-density points (SR-PCM-HDP). 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import SRPCMHDP
    >>> SRPCMHDP(random_state=0).fit(load_iris().data).n_clusters_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_high_density_points": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "lam": [Interval(Real, 0, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "fuzzifier": [Interval(Real, 1, None, closed="neither")],
        "random_state": ["random_state"],
    }

    cluster_centers_: NDArray[np.float64]
    high_density_points_: NDArray[np.int64]
    n_iter_: int

    def __init__(
        self,
        *,
        n_high_density_points: int = 6,
        alpha: float = 5.3,
        lam: float = 1.5,
        n_neighbors: int | None = None,
        fuzzifier: float = 2.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_high_density_points = n_high_density_points
        self.alpha = alpha
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.fuzzifier = fuzzifier
        self.random_state = random_state

    def _cluster(self, samples: Matrix) -> NDArray[np.int64]:
        n_neighbours = min(self.n_neighbors or isqrt(len(samples)), len(samples) - 1)
        self.high_density_points_ = decision_graph(samples, n_neighbours).peaks(self.n_high_density_points)
        attractors = samples[self.high_density_points_]

        count = min(3 * len(attractors), len(samples))
        drawn = check_random_state(self.random_state).choice(len(samples), size=count, replace=False)
        centres = fuzzy_centres(samples, samples[drawn], self.fuzzifier)
        widths = fuzzy_widths(samples, centres, self.fuzzifier)
        mean_width = widths.mean()

        for t in range(2, ITERATIONS + 1):
            memberships = possibilities(cdist(centres, samples), widths, mean_width, self.alpha)
            pull = self.lam * fuzzy_memberships(cdist(centres, attractors), self.fuzzifier)
            sums = memberships @ samples + pull @ attractors
            moved = means_or_old(sums, memberships.sum(axis=1) + pull.sum(axis=1), centres)
            survivors, labels = np.unique(last_largest(memberships), return_inverse=True)
            widths = core_widths(samples, memberships[survivors], labels)
            still = len(survivors) == len(centres) and np.abs(moved - centres).max() < TOLERANCE
            centres = moved[survivors]
            if t > 2 and (still or len(centres) == 1):
                break

        self.cluster_centers_ = centres
        self.n_iter_ = t - 1
        return labels


def fuzzy_memberships(distances: Matrix, fuzzifier: float) -> Matrix:
    """Return memberships of each column, by inverse distance; all of it to the centres that equal the column."""
    nearest = distances.min(axis=0)
    # Division by the nearest keeps powers from overflow.
    closeness = np.divide(nearest, distances, out=np.ones_like(distances), where=distances > 0)
    weights = closeness ** (2 / (fuzzifier - 1))
    shares: Matrix = weights / weights.sum(axis=0)
    return shares


def fuzzy_centres(rows: Matrix, centres: Matrix, fuzzifier: float) -> Matrix:
    """Run fuzzy c-means from the given centres."""
    for _ in range(FUZZY_ITERATIONS):
        weights = fuzzy_memberships(cdist(centres, rows), fuzzifier) ** fuzzifier
        before, centres = centres, means_or_old(weights @ rows, weights.sum(axis=1), centres)
        if np.abs(centres - before).max() < TOLERANCE:
            break
    return centres


def means_or_old(sums: Matrix, weights: NDArray[np.float64], centres: Matrix) -> Matrix:
    """Return weighted means; a centre without members keeps its position."""
    means: Matrix = np.divide(sums, weights[:, None], out=centres.copy(), where=weights[:, None] > 0)
    return means


def fuzzy_widths(rows: Matrix, centres: Matrix, fuzzifier: float) -> NDArray[np.float64]:
    """Mean distance of the rows to each centre, weighted by their fuzzy memberships (η)."""
    distances = cdist(centres, rows)
    memberships = fuzzy_memberships(distances, fuzzifier)
    weights = memberships.sum(axis=1)
    sums = (memberships * distances).sum(axis=1)
    widths: NDArray[np.float64] = np.divide(sums, weights, out=np.zeros_like(weights), where=weights > 0)
    return widths


def possibilities(distances: Matrix, widths: NDArray[np.float64], mean_width: float, alpha: float) -> Matrix:
    """Membership of each row in each cluster, independent of the other clusters; 1 on the centre itself."""
    scale = np.broadcast_to(mean_width * widths[:, None], distances.shape)
    exponents = np.full_like(distances, np.inf)
    np.divide(alpha * distances**2, scale, out=exponents, where=scale > 0)
    exponents[distances == 0] = 0
    return np.exp(-exponents)


def last_largest(memberships: Matrix) -> NDArray[np.int64]:
    """Return the cluster of each row's largest membership, the last of equals."""
    largest: NDArray[np.int64] = len(memberships) - 1 - np.argmax(memberships[::-1], axis=0)
    return largest


def core_widths(rows: Matrix, memberships: Matrix, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the mean distance of each core from its mean; a core has the members of at least average membership."""
    widths = np.zeros(len(memberships))
    for cluster, membership in enumerate(memberships):
        members = labels == cluster
        own = membership[members]
        # Rounding may make the mean of equal values larger than they are.
        core = rows[members][own >= min(own.mean(), own.max())]
        widths[cluster] = np.linalg.norm(core - core.mean(axis=0), axis=1).mean()
    return widths
