"""Until the estimator has ids, lineage and history: the least that stands in for them."""

from types import SimpleNamespace

import numpy as np

from phida import PHIDA
from plots.doubles import History, lineage

if not hasattr(PHIDA, "cluster_ids_"):
    PHIDA.cluster_ids_ = property(lambda self: np.arange(self.n_clusters_) + 10)
    PHIDA.lineage_ = property(lambda self: lineage(*(("born", 5, (), (10 + i,)) for i in range(self.n_clusters_))))
    PHIDA.history_ = property(lambda self: History())
    PHIDA.cut_confidence_ = property(lambda self: SimpleNamespace(persistence=0.25, hierarchy=0.75))
    PHIDA.explain = lambda self, a, b, kind: f"{kind}s {a} and {b} are apart"
    PHIDA.score_samples = lambda self, X: np.linspace(0.001, 0.999, len(X))
