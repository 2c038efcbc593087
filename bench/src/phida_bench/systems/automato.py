"""AuToMATo: density peaks whose persistence exceeds that in resamples."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from phida_bench.systems._batch import BatchClusterer, in_order_of_appearance
from phida_bench.systems._bootstrap_neighbours import BootstrapNeighbours, Neighbourhoods
from phida_bench.systems._bottleneck import bottleneck_distance


class AuToMATo(BatchClusterer):
    """AuToMATo: ToMATo with the number of clusters found by a bootstrap.

    ToMATo climbs a nearest neighbour graph to the peaks of an estimated density and records how far each peak stands
    out, its *persistence*. Resamples of the rows tell how much of that is chance: the bottleneck distance between their
    persistence diagrams and that of the rows, at a quantile, gives a width, and peaks that last that long are clusters.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of a row in the graph and in the density (k), the row itself included; all rows if there are fewer.
    n_bootstrap : int, default=1000
        Resamples (B).
    alpha : float, default=0.35
        Share of the resamples that may be farther away than the quantile (α).
    random_state : int, RandomState instance or None, default=None
        Draws the resamples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters, numbered in the order in which they appear.
    n_clusters_ : int
        How many there are.
    diagram_ : ndarray of shape (n_peaks, 2)
        Logarithmic density at which each peak appears and at which it joins a higher one, for those that do.
    width_ : float
        Persistence that a peak needs.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where the input had names that are all strings.

    Notes
    -----
    Needs ``gudhi``: install ``phida-bench[tda]``.

    The density takes distances to the power of the number of features and leaves the range of floating point where
    there are hundreds of features. If no row has a finite density, ``fit`` raises a ``ValueError``.

    A row that has ``n_neighbors`` copies has an infinite density: as a peak it lasts for ever, and the resamples are
    compared without such peaks. With more copies it may be missing among its own neighbours, and copies may then get
    different labels.

    Resamples take their neighbours from one search in all rows, which gives the same diagrams as a search in each.

    References
    ----------
    Marius Huber, Sara Kališnik and Patrick Schnider. AuToMATo: an out-of-the-box persistence-based clustering
    algorithm. arXiv:2408.06958, 2025.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench.systems import AuToMATo
    >>> AuToMATo(n_bootstrap=100, random_state=0).fit(load_iris().data).n_clusters_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_bootstrap": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state"],
    }

    diagram_: NDArray[np.float64]
    width_: float

    def __init__(
        self, *, n_neighbors: int = 10, n_bootstrap: int = 1000, alpha: float = 0.35, random_state: Any = None
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_bootstrap = n_bootstrap
        self.alpha = alpha
        self.random_state = random_state

    def _cluster(self, samples: NDArray[np.float64]) -> NDArray[np.int64]:
        _gudhi()  # before the search, which may take long
        n, d = samples.shape
        neighbours = BootstrapNeighbours(samples, min(self.n_neighbors, n))
        density = _log_density(neighbours.all(), d)
        # If all neighbours are copies, an infinite density is correct.
        if not np.isfinite(density).any() and neighbours.all().distances.any():
            raise ValueError(
                f"AuToMATo takes distances to the power of the number of features, here {d}, and no row has a finite "
                "density left. Rescale the features or reduce their number first."
            )
        tree = _tomato(neighbours.all(), density)
        self.diagram_ = tree.diagram_
        self.width_ = 2.0 * self._quantile(neighbours, n, d)
        births, deaths = _off_diagonal(self.diagram_).T
        lasting = np.count_nonzero(births - deaths >= self.width_)
        tree.n_clusters_ = len(tree.max_weight_per_cc_) + lasting
        return in_order_of_appearance(tree.labels_)

    def _quantile(self, neighbours: BootstrapNeighbours, n: int, d: int) -> float:
        """Bottleneck distance that a share 1 - α of the resamples keeps from the diagram of the rows."""
        generator = check_random_state(self.random_state)
        here = _finite(_off_diagonal(self.diagram_))
        distances = np.empty(self.n_bootstrap)
        for b in range(self.n_bootstrap):
            counts = np.bincount(generator.randint(n, size=n), minlength=n)
            drawn = neighbours.drawn(counts)
            there = _finite(_off_diagonal(_tomato(drawn, _log_density(drawn, d)).diagram_))
            distances[b] = bottleneck_distance(here, there)
        rank = math.ceil(round(self.n_bootstrap * (1.0 - self.alpha), 9))  # 1 - 0.7 is a little more than 0.3
        return float(np.sort(distances)[rank - 1])


def _log_density(neighbourhoods: Neighbourhoods, n_features: int) -> NDArray[np.float64]:
    """Logarithm of the distance-to-measure density with exponent n_features; infinite if it is out of range."""
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        return -np.log(np.mean(neighbourhoods.distances**n_features, axis=1))  # type: ignore[no-any-return]


def _tomato(neighbourhoods: Neighbourhoods, density: NDArray[np.float64]) -> Any:
    """The tree of density peaks."""
    tomato = _gudhi()(graph_type="manual", density_type="manual")
    return tomato.fit(neighbourhoods.graph.tolist(), weights=density)


def _gudhi() -> Any:
    """Import gudhi's ToMATo, or raise an error with the extra to install."""
    try:
        from gudhi.clustering.tomato import Tomato
    except ImportError as error:
        raise ImportError('AuToMATo needs gudhi: pip install "./bench[tda]"') from error
    return Tomato


def _off_diagonal(diagram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of positive persistence; the others have no effect on the distance."""
    return diagram[diagram[:, 0] > diagram[:, 1]]


def _finite(diagram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of finite density; one point more at infinity would make the distance infinite."""
    return diagram[np.isfinite(diagram).all(axis=1)]
