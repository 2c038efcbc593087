"""IDAT, step by step as specified: plain NumPy, without state that can be recomputed."""

from __future__ import annotations

import numpy as np

from systems.graphs import components, squares


def tukey(values):
    """First and third quartile."""
    return np.quantile(values, [0.25, 0.75], method="hazen")


class IDAT:
    def __init__(self, d):
        self.w = np.zeros((0, d))
        self.count = np.zeros(0)
        self.scale = np.zeros(0)
        self.active = np.zeros(0, dtype=bool)
        self.previous_count = np.zeros(0)
        self.previous_sum = np.zeros(0)
        self.tolerance = np.zeros(0)
        self.main = np.zeros((0, 0))
        self.candidate = np.zeros((0, 0))
        self.n, self.mean, self.m2 = 0, np.zeros(d), np.zeros(d)
        self.buffer, self.keep = [], np.inf
        self.interval, self.vigilance, self.ratio = 2, 0.0, 0.0
        self.cadence = self.t = 0

    def fit(self, X):
        for x in X:
            self.learn(x)
        return self

    def learn(self, x):
        self.buffer.append(x)
        self.buffer = self.buffer[-int(min(self.keep, len(self.buffer))) :]
        if len(self.w) < 3:
            self.add(x)
            if len(self.w) == 2:
                self.scale[0] = self.scale[1]
        else:
            self.match(x)
        if self.t % self.interval == 0:
            self.delete_long_edges()
            self.delete_single_nodes()
            self.demote()
        self.t += 1
        self.cadence += 1
        if self.cadence >= self.interval and len(self.w) > 2:
            self.recalculate()
            self.cadence = 0
            self.keep = 2 * self.interval

    def match(self, x):
        first, second = np.argsort(squares(x, self.w), kind="stable")[:2]
        similarity = self.similarities(x)
        if similarity[first] < self.vigilance:
            self.add(x)
            return
        self.count[first] += 1
        self.w[first] += (x - self.w[first]) / self.count[first]
        self.scale[first] = self.spread(x)
        if not similarity[second] > self.vigilance:
            return
        self.count[second] += 1
        self.w[second] += (x - self.w[second]) / (self.count[first] + self.count[second])
        usual = self.count[self.count > 1].mean()
        if self.count[first] > usual and self.count[second] > usual:
            self.active[[first, second]] = True
            for pair in ((first, second), (second, first)):
                self.candidate[pair] += 1
            if self.candidate[first, second] > self.candidate[self.candidate > 0].mean():
                for pair in ((first, second), (second, first)):
                    self.main[pair] += 1

    def spread(self, x):
        """Add the sample to the running variance; return the largest standard deviation of a feature."""
        self.n += 1
        delta = x - self.mean
        self.mean = self.mean + delta / self.n
        self.m2 = self.m2 + delta * (x - self.mean)
        return max(np.sqrt(self.m2.max() / (self.n - 1)), 1e-6) if self.n > 1 else 1e-6

    def add(self, x):
        self.w = np.vstack([self.w, x])
        self.count = np.append(self.count, 1.0)
        self.scale = np.append(self.scale, self.spread(x))
        self.active = np.append(self.active, False)
        self.previous_count = np.append(self.previous_count, 0.0)
        self.previous_sum = np.append(self.previous_sum, 0.0)
        self.tolerance = np.append(self.tolerance, 0)
        self.main = np.pad(self.main, (0, 1))
        self.candidate = np.pad(self.candidate, (0, 1))

    def delete_long_edges(self):
        a, b = np.nonzero(np.triu(self.main))
        if len(a) == 0:
            return
        lengths = np.array([np.sqrt(squares(self.w[i], self.w[[j]])[0]) for i, j in zip(a, b)])
        q1, q3 = tukey(lengths)
        for i, j in zip(a[lengths > q3 + 1.5 * (q3 - q1)], b[lengths > q3 + 1.5 * (q3 - q1)]):
            self.main[i, j] = self.main[j, i] = 0
            self.candidate[i, j] = self.candidate[j, i] = 0

    def delete_single_nodes(self):
        single = np.flatnonzero(self.count == 1)
        if len(single) == len(self.count) or len(single) <= self.interval:
            return
        kept = np.setdiff1d(np.arange(len(self.count)), single[: len(single) - self.interval])
        for name in ("w", "count", "scale", "active", "previous_count", "previous_sum", "tolerance"):
            setattr(self, name, getattr(self, name)[kept])
        self.main = self.main[np.ix_(kept, kept)]
        self.candidate = self.candidate[np.ix_(kept, kept)]

    def demote(self):
        activity = (self.count - self.previous_count) + (self.candidate.sum(axis=1) - self.previous_sum)
        self.previous_count, self.previous_sum = self.count.copy(), self.candidate.sum(axis=1)
        if not (activity > 0).any():
            self.tolerance[:] = 0
            return
        q1, q3 = tukey(activity[activity > 0])
        bound = max(q1 - 1.5 * (q3 - q1), 0.0)
        hit = self.active & (self.main.sum(axis=1) == 0) & (activity <= bound)
        self.tolerance = np.where(hit, self.tolerance + 1, 0)
        self.active &= self.tolerance < 2
        self.tolerance[self.tolerance >= 2] = 0

    def recalculate(self):
        share = (max(self.components()) + 1) / len(self.w)
        alpha = 1 / max(self.scale.max(), 1e-6)
        newest = np.array(self.buffer[::-1])
        stored, old = len(newest), self.interval
        similar = np.array([1 / (1 + alpha * np.sqrt(squares(x, newest))) for x in newest])

        def unstable(n):
            try:
                diagonal = np.diag(np.linalg.cholesky(similar[:n, :n]))
            except np.linalg.LinAlgError:
                return True
            return np.prod(diagonal) ** 2 < 1e-6

        def threshold(n, length, ratio):
            ratio = share / length + (1 - 1 / length) * ratio
            nearest = (similar[:n, :n] - 2 * np.eye(n)).max(axis=1)
            return np.quantile(nearest, min(max(1 - ratio, 0), 1), method="hazen"), ratio

        # Shrinking pass.
        accepted = old, self.vigilance, self.ratio
        for n in range(2, min(old, stored) + 1):
            if unstable(n):
                self.interval, self.vigilance, self.ratio = accepted
                return
            accepted = n, *threshold(n, old, accepted[2])
        # Growing pass, from the ratio before.
        if stored <= old:
            return
        end, low, step = min(2 * old, stored), old, 1
        while True:
            length = min(old + step, end)
            if unstable(length):
                _, ratio = threshold(length, old, self.ratio)
                self.interval, (self.vigilance, self.ratio) = low, threshold(low, low, ratio)
                return
            low, step = length, 2 * step
            if length == end:
                break
        self.interval, (self.vigilance, self.ratio) = end, threshold(end, old, self.ratio)

    def components(self):
        return np.array(components(len(self.w), list(zip(*np.nonzero(self.main)))))

    @property
    def considered(self):
        """Return the nodes that prediction considers."""
        return np.flatnonzero(self.active if self.active.any() else np.ones_like(self.active))

    def predict(self, X):
        label, considered = self.components(), self.considered
        return np.array([label[considered[self.similarities(x)[considered].argmax()]] for x in X])

    def similarities(self, x):
        return 1 / (1 + np.sqrt(squares(x, self.w)) / self.scale)
