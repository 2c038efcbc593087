"""TBM-P by plain loops, with learning undone as the method describes it, to check the fast version."""

import math

import numpy as np


def overlap(x, prototype):
    return np.minimum(x, prototype).sum()


class Module:
    """One TopoART module, with its state as plain lists."""

    def __init__(self, inputs, alpha):
        self.inputs, self.alpha = inputs, alpha
        self.prototypes, self.counts, self.edges = [], [], set()
        self.labels = [None] * len(inputs)

    def match(self, j, x):
        return overlap(x, self.prototypes[j]) / x.sum()

    def activations(self, x):
        return [overlap(x, prototype) / (self.alpha + prototype.sum()) for prototype in self.prototypes]

    def learn(self, j, x, rate):
        self.prototypes[j] = rate * np.minimum(self.prototypes[j], x) + (1 - rate) * self.prototypes[j]

    def search(self, x, rho, beta):
        """Return the winner, or None after all failed and x became a category; and the activations that remain."""
        activations = self.activations(x)
        for j in sorted(range(len(activations)), key=lambda j: -activations[j]):
            if self.match(j, x) >= rho:
                self.learn(j, x, beta)
                return j, activations
            activations[j] = 0.0
        self.prototypes.append(x.copy())
        self.counts.append(1)
        return None, activations

    def remove(self, phi):
        for j in reversed(range(len(self.counts))):
            if self.counts[j] <= phi:
                del self.prototypes[j], self.counts[j]
                self.labels = [
                    label if label in (None, -1) or label < j else (-1 if label == j else label - 1)
                    for label in self.labels
                ]
                self.edges = {tuple(end - (end > j) for end in edge) for edge in self.edges if j not in edge}

    def empty_bucket(self):
        if not self.prototypes:
            self.prototypes = [np.ones(self.inputs.shape[1])]
        for i, x in enumerate(self.inputs):
            if self.labels[i] == -1:
                scores = [1 - np.abs(np.minimum(p, x) - p).sum() / x.sum() for p in self.prototypes]
                self.labels[i] = max(range(len(scores)), key=lambda j: scores[j])


def scaled(rows):
    low = rows.min(axis=0)
    return (rows - low) / (rows.max(axis=0) - low + 1e-16)


def complement_coded(rows):
    return np.hstack([rows, 1 - rows])


def period(tau, n):
    return max(1, math.floor(tau * n + 0.5))


def pearson(x, y):
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return (x @ y) / math.sqrt((x @ x) * (y @ y))


def features(X, p):
    module = Module(complement_coded(scaled(X.T)), p["alpha"])
    for i, x in enumerate(module.inputs):
        before = len(module.counts)
        winner, activations = module.search(x, p["rho_b"], p["beta"])
        module.labels[i] = before if winner is None else winner
        if winner is not None:
            module.counts[winner] += 1
            others = [j for j in range(before) if j != winner and module.match(j, x) >= p["rho_b"]]
            if others:
                second = max(others, key=lambda j: activations[j])
                module.learn(second, x, p["bsb_b"])
                module.edges.add((min(winner, second), max(winner, second)))
        if (i + 1) % period(p["tau_b"], len(module.inputs)) == 0:
            module.remove(p["phi_b"])
    module.empty_bucket()
    return module.labels


def observations(X, groups, p):
    Z = scaled(X)
    module = Module(complement_coded(Z), p["alpha"])

    def correlates(j, i):
        members = [m for m in range(i) if module.labels[m] == j]
        for group in sorted(set(groups)):
            columns = [f for f in range(X.shape[1]) if groups[f] == group]
            values = [pearson(Z[m, columns], Z[i, columns]) for m in members]
            if np.mean(values) > p["eta"] + 1e-12:  # equal within rounding
                return True
        return False

    for i, x in enumerate(module.inputs):
        before, rho = len(module.counts), p["rho_a"]
        while True:
            prototypes = [prototype.copy() for prototype in module.prototypes]
            winner, activations = module.search(x, rho, p["beta"])
            if winner is None or correlates(winner, i) or rho == 1:
                break
            module.prototypes = prototypes
            rho = min(1.0, rho + p["step"])
        if winner is not None:
            module.counts[winner] += 1
            left = [j for j in range(before) if j != winner and module.match(j, x) >= p["rho_a"] and activations[j] > 0]
            for second in sorted(left, key=lambda j: -activations[j]):
                if correlates(second, i):
                    module.learn(second, x, p["bsb_a"])
                    module.edges.add((min(winner, second), max(winner, second)))
                    break
        module.labels[i] = before if winner is None else winner
        if (i + 1) % period(p["tau_a"], len(X)) == 0:
            module.remove(p["phi_a"])
    module.empty_bucket()
    return module


def topo_bartmap(X, p):
    """Group of each feature, number of categories, and cluster of each row in order of appearance."""
    groups = features(X, p)
    module = observations(X, groups, p)
    component = list(range(len(module.prototypes)))
    for a, b in module.edges:
        old, new = component[b], component[a]
        component = [new if c == old else c for c in component]
    clusters = [component[label] for label in module.labels]
    order = list(dict.fromkeys(clusters))
    return groups, len(module.prototypes), [order.index(cluster) for cluster in clusters]
