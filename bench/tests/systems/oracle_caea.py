"""CAEA, step by step as specified."""

from __future__ import annotations

import numpy as np

from systems.correntropy import bandwidth, cim, mean, without
from systems.graphs import components


class CAEA:
    def __init__(self, d, lam, age_max):
        self.lam, self.age_max = lam, age_max
        self.start = int(lam / 2 + 0.5)
        self.w = np.zeros((0, d))
        self.count, self.s, self.v = [], [], []
        self.edges = {}

    def fit(self, X):
        """Learn one stage."""
        for j in range(1, len(X) + 1):
            self.learn(X[j - 1], X[max(j - self.start, 0) : j], j)
        return self

    def learn(self, x, window, j):
        if len(self.w) < self.start:
            self.add(x, window, mean(self.v) if self.v else np.nan)
            if len(self.w) == self.start:
                nearest = [np.delete(self.cims(v), i).min(initial=np.inf) for i, v in enumerate(self.w)]
                self.v = [mean(nearest)] * self.start
            else:
                self.v = [self.v[-1]] * len(self.w)
        else:
            self.match(x, window)
        if j % self.lam == 0 and len(self.w) > 1:
            linked = sorted({node for edge in self.edges for node in edge})
            self.edges = without(self.edges, set(range(len(self.w))) - set(linked))
            self.w = self.w[linked]
            self.count, self.s, self.v = ([values[i] for i in linked] for values in (self.count, self.s, self.v))

    def add(self, x, window, threshold):
        self.w = np.vstack([self.w, x])
        self.count.append(1)
        self.s.append(bandwidth(window))
        self.v.append(threshold)

    def cims(self, x):
        return cim(x, self.w, mean(self.s))

    def match(self, x, window):
        distance = self.cims(x)
        order = np.argsort(distance, kind="stable")
        first = order[0]
        if distance[first] > self.v[first]:
            self.add(x, window, self.v[first])
            return
        for edge in self.edges_of(first):
            self.edges[edge] += 1
            if self.edges[edge] > self.age_max:
                del self.edges[edge]
        self.w[first] += (x - self.w[first]) / self.count[first]
        self.count[first] += 1
        if len(order) > 1 and distance[order[1]] <= self.v[order[1]]:
            for a, b in self.edges_of(first):
                n = b if a == first else a
                self.w[n] += (x - self.w[n]) / (10 * self.count[n])
            self.edges[min(first, order[1]), max(first, order[1])] = 0

    def edges_of(self, node):
        return [edge for edge in self.edges if node in edge]

    def components(self):
        return np.array(components(len(self.w), self.edges))

    def predict(self, X):
        label = self.components()
        return np.array([label[self.cims(x).argmin()] for x in X])
