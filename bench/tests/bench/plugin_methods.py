"""A plugin with methods that misbehave, for tests of the runner."""

import os
import time

import numpy as np

from phida_bench.methods import Declined, Method


class Nearest:
    """A well-behaved method: labels by the sign of the first feature."""

    n_nodes = None
    n_clusters = 2

    def __init__(self, task):
        self.task = task

    def learn(self, X):
        pass

    def labels(self, X):
        return (X[:, 0] > 0).astype(np.int64)


class Raises(Nearest):
    def learn(self, X):
        raise RuntimeError("on purpose")


class Dies(Nearest):
    def learn(self, X):
        os._exit(7)


class Sleeps(Nearest):
    def learn(self, X):
        time.sleep(600)


class Grows(Nearest):
    def learn(self, X):
        self.hoard = []
        while True:
            self.hoard.append(np.ones(4_000_000))
            time.sleep(0.01)


class Declines(Nearest):
    def learn(self, X):
        raise Declined("not for this data")


class Careless(Nearest):
    """A method whose counts are NumPy integers and whose labels are a list."""

    n_clusters = np.int64(2)

    def labels(self, X):
        return super().labels(X).tolist()


class Short(Nearest):
    def labels(self, X):
        return super().labels(X)[:-1]


class Slow(Nearest):
    """A method slow enough to be interrupted, which counts its runs."""

    def learn(self, X):
        time.sleep(0.2)


class ByPosition(Nearest):
    """A method that is correct on three classes of fifty rows in the file's order."""

    n_clusters = 3

    def labels(self, X):
        return np.arange(len(X)) // 50


METHODS = (
    *(
        Method(cls.__name__, "test", 1000, cls.__doc__ or "", cls)
        for cls in (Nearest, Raises, Dies, Sleeps, Grows, Declines, Careless, Short, Slow)
    ),
    Method("ByPosition", "test", 1001, ByPosition.__doc__, ByPosition, deterministic=True),
    Method("ByPositionShuffled", "test", 1002, ByPosition.__doc__, ByPosition),
)
