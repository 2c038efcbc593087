"""Distributed Dual Vigilance Fuzzy ART, step by step and slowly."""

import numpy as np


def sums(values):
    """Row sums in the order of the columns: ties are decided by the last bit."""
    return np.cumsum(values, axis=1)[:, -1]


class OracleDDVFA:
    def __init__(self, *, rho_lb, rho_ub, gamma, gamma_ref, alpha, beta, linkage, limits, max_clusters=2000):
        self.rho_lb, self.rho_ub, self.gamma, self.gamma_ref = rho_lb, rho_ub, gamma, gamma_ref
        self.alpha, self.beta, self.linkage, self.limits = alpha, beta, linkage, limits
        self.max_clusters = max_clusters
        self.clusters = []  # of lists of categories [W, n, number in the order of creation]
        self.created = 0

    def encode(self, row, limits):
        low, high = limits
        width = np.where(high > low, high - low, 1.0)
        a = np.where(high > low, np.clip((row - low) / width, 0.0, 1.0), 0.0)
        return np.concatenate([a, 1 - a])

    def respond(self, x, W):
        norm = sums(W)
        T = (sums(np.minimum(x, W)) / (self.alpha + norm)) ** self.gamma
        return T, norm**self.gamma_ref * T

    def linked(self, x, cluster):
        """T and M of a cluster."""
        W = np.array([category[0] for category in cluster])
        if self.linkage == "centroid":
            T, M = self.respond(x, W.min(axis=0)[None])
            return T[0], M[0]
        n = np.array([category[1] for category in cluster])
        join = {
            "single": np.max,
            "average": np.mean,
            "complete": np.min,
            "median": np.median,
            "weighted": lambda values: np.sum(n * values) / np.sum(n),
        }[self.linkage]
        T, M = self.respond(x, W)
        return join(T), join(M)

    def first_match(self, T, M, rho, d):
        for i in np.argsort(-np.asarray(T), kind="stable"):
            if M[i] >= rho * d**self.gamma_ref:
                return int(i)
        return None

    def match(self, x):
        answers = [self.linked(x, cluster) for cluster in self.clusters]
        T, M = [a[0] for a in answers], [a[1] for a in answers]
        return self.first_match(T, M, self.rho_lb, len(x) / 2), T

    def learn(self, rows, limits=None):
        for row in rows:
            self.learn_one(self.encode(row, self.limits if limits is None else limits))

    def learn_one(self, x):
        c, _ = self.match(x)
        if c is None:
            if len(self.clusters) < self.max_clusters:
                self.clusters.append([])
                self.add(self.clusters[-1], x)
            return
        cluster = self.clusters[c]
        T, M = self.respond(x, np.array([category[0] for category in cluster]))
        k = self.first_match(T, M, self.rho_ub, len(x) / 2)
        if k is None:
            self.add(cluster, x)
        else:
            W = cluster[k][0]
            cluster[k][0] = self.beta * np.minimum(x, W) + (1 - self.beta) * W
            cluster[k][1] += 1

    def add(self, cluster, x):
        cluster.append([x, 1, self.created])
        self.created += 1

    def categories(self):
        """W, count and cluster of all categories, in the order of their creation."""
        found = [(k, W, n, c) for c, cluster in enumerate(self.clusters) for W, n, k in cluster]
        _, W, n, c = zip(*sorted(found, key=lambda category: category[0]))
        return np.array(W), list(n), list(c)

    def assign(self, rows, best=False):
        labels = []
        for row in rows:
            c, T = self.match(self.encode(row, self.limits))
            labels.append(c if c is not None else int(np.argmax(T)) if best else -1)
        return np.array(labels)
