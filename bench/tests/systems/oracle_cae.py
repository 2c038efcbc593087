"""CAE, step by step as specified."""

from __future__ import annotations

import numpy as np

from systems.correntropy import bandwidth, cim, mean, without
from systems.graphs import components


class CAE:
    def __init__(self, d, max_nodes=2000):
        self.w = np.zeros((0, d))
        self.count, self.s = [], []
        self.edges = {}
        self.recent = []  # most recently touched node first
        self.interval = self.n_active = np.inf
        self.vigilance = 1.0
        self.ready = False
        self.diversity = np.ones((1, 1))
        self.n_deleted, self.mean_deleted = 0, 0.0
        self.global_s = None
        self.max_nodes = max_nodes

    def fit(self, X):
        """Learn one stage."""
        if self.global_s is None:
            self.global_s = bandwidth(X[:10])
        for j, x in enumerate(X, start=1):
            self.learn(x, j)
        return self

    def learn(self, x, j):
        if not self.ready or len(self.w) < self.n_active:
            if len(self.w) < self.max_nodes:
                self.fill(x)
        else:
            self.match(x)
        if j % self.interval == 0 and len(self.w) > 1:
            self.delete_isolated()

    def fill(self, x):
        self.add(x)
        if not self.ready and len(self.w) >= 2:
            row = 1 - self.cims(x)
            self.diversity = np.pad(self.diversity, (0, 1), constant_values=1.0)
            self.diversity[-1] = self.diversity[:, -1] = row
            sign, log = np.linalg.slogdet(np.exp(self.diversity))
            if sign <= 0 or log < np.log(1e-6):
                self.n_active = len(self.w)
                self.interval = 2 * self.n_active
        if len(self.w) == self.n_active:
            self.ready = True
            self.global_s = bandwidth(self.w[self.recent[: self.n_active]])
            self.s = [self.global_s] * len(self.w)
            nearest = [v[v > 0].min() for v in map(self.cims, self.w[self.recent]) if (v > 0).any()]
            if nearest:
                self.vigilance = mean(nearest)

    def add(self, x):
        self.w = np.vstack([self.w, x])
        self.count.append(1)
        self.s.append(self.global_s)
        self.recent.insert(0, len(self.w) - 1)

    def cims(self, x):
        return cim(x, self.w, mean(self.s))

    def match(self, x):
        distance = self.cims(x)
        order = np.argsort(distance, kind="stable")
        first = order[0]
        if distance[first] > self.vigilance:
            if len(self.w) < self.max_nodes:
                self.add(x)
                self.global_s = self.s[-1] = bandwidth(self.w[self.recent[: self.n_active]])
            return
        self.count[first] += 1
        self.w[first] += (x - self.w[first]) / self.count[first]
        self.recent.remove(first)
        self.recent.insert(0, first)
        for edge in self.edges_of(first):
            self.edges[edge] += 1
        if len(order) > 1 and distance[order[1]] <= self.vigilance:
            self.edges[min(first, order[1]), max(first, order[1])] = 1
            for a, b in self.edges_of(first):
                n = b if a == first else a
                self.w[n] += (x - self.w[n]) / (10 * self.count[n])
        self.delete_edges(first)

    def edges_of(self, node):
        return [edge for edge in self.edges if node in edge]

    def delete_edges(self, node):
        edges = self.edges_of(node)
        if not edges:
            return
        ages = np.array([self.edges[e] for e in edges])
        lower, upper = ages[ages < np.median(ages)], ages[ages > np.median(ages)]
        if len(lower) == 0 or len(upper) == 0:
            return
        q1, q3 = np.median(lower), np.median(upper)
        share = self.n_deleted / (self.n_deleted + len(edges))
        limit = self.mean_deleted * share + (q3 + (q3 - q1)) * (1 - share)
        old = [e for e in edges if self.edges[e] > limit]
        total = self.mean_deleted * self.n_deleted + sum(self.edges.pop(e) for e in old)
        self.n_deleted += len(old)
        if old:
            self.mean_deleted = total / self.n_deleted

    def delete_isolated(self):
        linked = {node for edge in self.edges for node in edge}
        kept = sorted(linked)
        gone = set(range(len(self.w))) - linked
        self.edges = without(self.edges, gone)
        self.recent = [kept.index(i) for i in self.recent if i in linked]
        self.w = self.w[kept]
        self.count = [self.count[i] for i in kept]
        self.s = [self.s[i] for i in kept]

    def components(self):
        return np.array(components(len(self.w), self.edges))

    def predict(self, X):
        label = self.components()
        return np.array([label[self.cims(x).argmin()] for x in X])
