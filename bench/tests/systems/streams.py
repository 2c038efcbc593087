"""Small real data as streams: shuffled, and class by class."""

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine


def _load(loader, limit):
    data = loader()
    return data.data[:limit].astype(np.float64), data.target[:limit]


DATA = {"iris": _load(load_iris, 150), "wine": _load(load_wine, 178), "digits": _load(load_digits, 300)}


def whole(name, seed=0):
    X, _ = DATA[name]
    return [X[np.random.default_rng(seed).permutation(len(X))]]


def by_class(name, seed=0):
    X, y = DATA[name]
    rng = np.random.default_rng(seed)
    stages = [rng.permutation(np.flatnonzero(y == c)) for c in rng.permutation(np.unique(y))]
    return [X[rows] for rows in stages]


#: (name, stages): every data set in both orders.
STREAMS = {f"{name} {how.__name__.replace('_', ' ')}": how(name) for name in DATA for how in (whole, by_class)}
