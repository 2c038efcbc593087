"""PHIDA as in the authors' released code, the source of the published tables."""

from __future__ import annotations

from typing import ClassVar

from phida._model import RELEASED, Method
from phida.estimators import PHIDA


class ReleasedPHIDA(PHIDA):
    """PHIDA with the deviations of the authors' released code from the paper's equations.

    Distances use node positions that were transformed at each node's last update, not with the current transformation.
    On some of the paper's data sets the results of the two differ by more than noise. Everything else, including
    parameters and attributes, is as in :class:`phida.PHIDA`.

    Parameters
    ----------
    compute_labels : bool, default=True
        Whether ``fit`` and ``partial_fit`` set ``labels_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida_bench import ReleasedPHIDA
    >>> model = ReleasedPHIDA().fit(load_iris().data)
    >>> model.n_samples_seen_
    150
    """

    _method: ClassVar[Method] = RELEASED
