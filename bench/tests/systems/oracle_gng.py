"""Growing Neural Gas, step by step and slowly."""

import numpy as np

from systems.graphs import components, squares


class OracleGNG:
    def __init__(self, *, lam, a_max, eps_b, eps_n, alpha, d, n_max):
        self.lam, self.a_max, self.eps_b, self.eps_n = lam, a_max, eps_b, eps_n
        self.alpha, self.d, self.n_max = alpha, d, n_max
        self.t = 0
        self.w, self.error, self.age = [], [], {}

    def neighbours(self, i):
        return sorted(j for edge in self.age if i in edge for j in edge if j != i)

    def learn(self, rows):
        for x in rows:
            self.learn_one(x)

    def learn_one(self, x):
        self.t += 1
        if len(self.w) < 2:
            self.w.append(x.copy())
            self.error.append(0.0)
            return
        distance = squares(x, self.w)
        s1, s2 = np.argsort(distance, kind="stable")[:2].tolist()
        for n in self.neighbours(s1):
            self.age[frozenset((s1, n))] += 1
        self.error[s1] += distance[s1]
        self.w[s1] = self.w[s1] + self.eps_b * (x - self.w[s1])
        for n in self.neighbours(s1):
            self.w[n] = self.w[n] + self.eps_n * (x - self.w[n])
        self.age[frozenset((s1, s2))] = 0
        self.delete_old(s1)
        if self.t % self.lam == 0 and len(self.w) < self.n_max:
            self.insert()
        self.error = [error * self.d for error in self.error]

    def delete_old(self, s1):
        old = [edge for edge, age in self.age.items() if age > self.a_max]
        touched = {i for edge in old for i in edge}
        for edge in old:
            del self.age[edge]
        for i in sorted(touched, reverse=True):
            if not self.neighbours(i):
                self.delete_node(i)

    def delete_node(self, i):
        del self.w[i], self.error[i]
        self.age = {frozenset(j - (j > i) for j in edge): age for edge, age in self.age.items()}

    def insert(self):
        q = int(np.argmax(self.error))
        around = self.neighbours(q)
        if not around:
            return
        f = max(around, key=lambda n: (self.error[n], -n))
        r = len(self.w)
        self.w.append((self.w[q] + self.w[f]) / 2)
        del self.age[frozenset((q, f))]
        self.age[frozenset((q, r))] = self.age[frozenset((r, f))] = 0
        self.error[q] *= self.alpha
        self.error[f] *= self.alpha
        self.error.append(self.error[q])

    def assign(self, rows):
        cluster = components(len(self.w), self.age)
        return np.array([cluster[np.argmin(squares(x, self.w))] for x in rows])
