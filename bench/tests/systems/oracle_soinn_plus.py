"""SOINN+, step by step and slowly."""

import numpy as np

from systems.graphs import components, squares


class OracleSOINNPlus:
    def __init__(self, *, count_indices=False, usual_of_renewed=False):
        self.count_indices, self.usual_of_renewed = count_indices, usual_of_renewed
        self.t = 0
        self.w, self.c, self.last, self.age = [], [], [], {}
        self.m, self.S, self.L = np.zeros(2), np.zeros(2), 0
        self.n_edges = self.mean_age = self.n_nodes = self.mean_unutility = 0.0

    def neighbours(self, i):
        return sorted(j for edge in self.age if i in edge for j in edge if j != i)

    def learn(self, rows):
        for x in rows:
            self.learn_one(x)

    def learn_one(self, x):
        self.t += 1
        if len(self.w) < 3:
            self.add(x)
            return
        square = squares(x, self.w)
        s = np.argsort(square, kind="stable")[:2].tolist()
        T = np.array([self.threshold(i) for i in s])
        permitted = self.permission(s, T)
        if np.any(np.sqrt(square[s]) > T):
            self.add(x)
        else:
            self.link_and_learn(x, s, T, permitted)
        self.delete_noise()

    def add(self, x):
        self.w.append(x.copy())
        self.c.append(1)
        self.last.append(self.t)

    def threshold(self, i):
        distance = np.sqrt(squares(self.w[i], self.w))
        around = self.neighbours(i)
        return distance[around].max() if around else np.delete(distance, i).min()

    def permission(self, s, T):
        linked = [self.c[i] for i in range(len(self.w)) if self.neighbours(i)]
        if np.any(self.S == 0) or not linked:
            return True
        h = 2 * np.sqrt(self.S / self.L)
        trust = np.array([self.c[i] for i in s]) / max(linked)
        return np.any(T * (1 - trust) < self.m + h)

    def link_and_learn(self, x, s, T, permitted):
        s1, edge = s[0], frozenset(s)
        if permitted:
            if (edge in self.age) == self.usual_of_renewed:
                self.L += 1
                before = self.m
                self.m = self.m + (T - self.m) / self.L
                self.S = self.S + (T - before) * (T - self.m)
            self.age[edge] = 1
        for n in self.neighbours(s1):
            self.age[frozenset((s1, n))] += 1
        lonely = self.delete_edges(s1)
        self.c[s1] += 1
        self.w[s1] = self.w[s1] + (x - self.w[s1]) / self.c[s1]
        self.last[s1] = self.t
        for n in self.neighbours(s1):
            self.w[n] = self.w[n] + (x - self.w[n]) / (100 * self.c[n])
        self.n_nodes += sum(i + 1 for i in lonely) if self.count_indices else len(lonely)
        self.delete_nodes(lonely)

    def delete_edges(self, s1):
        """Returns the nodes that are left without edges."""
        component = components(len(self.w), self.age)
        ages = [age for edge, age in self.age.items() if component[min(edge)] == component[s1]]
        if not ages:
            return []
        q1, q3 = np.quantile(ages, [0.25, 0.75], method="hazen")
        if q3 == q1:
            return []
        r = self.n_edges / (self.n_edges + len(ages))
        limit = self.mean_age * r + (q3 + 2 * (q3 - q1)) * (1 - r)
        old = {edge: age for edge, age in self.age.items() if s1 in edge and age > limit}
        for edge in old:
            del self.age[edge]
        if old:
            self.mean_age = (self.n_edges * self.mean_age + sum(old.values())) / (self.n_edges + len(old))
            self.n_edges += len(old)
        return [n for edge in old for n in edge - {s1} if not self.neighbours(n)]

    def delete_noise(self):
        data = [i for i in range(len(self.w)) if self.neighbours(i)]
        noise = [i for i in range(len(self.w)) if not self.neighbours(i)]
        if not data:
            return
        u = (self.t - np.array(self.last)) / np.array(self.c)
        median = np.quantile(u[data], 0.5, method="hazen")
        mad = 1.4826 * np.quantile(np.abs(u[data] - median), 0.5, method="hazen")
        limit_now = median + 2 * mad
        r = self.n_nodes / (self.n_nodes + len(data))
        level = len(noise) / len(self.w)
        limit = self.mean_unutility * r + limit_now * (1 - r) * (1 - level)
        gone = [i for i in noise if u[i] > limit]
        if gone:
            total = self.n_nodes * self.mean_unutility + u[gone].sum()
            self.n_nodes += len(gone)
            self.mean_unutility = total / self.n_nodes
            self.delete_nodes(gone)

    def delete_nodes(self, gone):
        for i in sorted(gone, reverse=True):
            del self.w[i], self.c[i], self.last[i]
            self.age = {frozenset(j - (j > i) for j in edge): age for edge, age in self.age.items()}

    def assign(self, rows):
        cluster = components(len(self.w), self.age)
        return np.array([cluster[np.argmin(squares(x, self.w))] for x in rows])
