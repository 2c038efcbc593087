"""SR-PCM-HDP by plain loops, for small data in general position."""

from math import dist, exp, isqrt


def mean(points):
    return [sum(column) / len(points) for column in zip(*points)]


def decision_graph(X, n_neighbours):
    """Density and separation of every row."""
    rho = []
    for i, x in enumerate(X):
        others = sorted(dist(x, other) for j, other in enumerate(X) if j != i)
        rho.append(n_neighbours / sum(others[:n_neighbours]))
    order = sorted(range(len(X)), key=lambda i: -rho[i])
    delta = [0.0] * len(X)
    for place, i in enumerate(order):
        if place == 0:
            delta[i] = max(dist(X[i], x) for x in X)
        else:
            delta[i] = min(dist(X[i], X[j]) for j in order[:place])
    return rho, delta


def memberships(centres, x):
    """Fuzzy memberships of one point, with m = 2."""
    closeness = [dist(centre, x) ** -2 if dist(centre, x) > 0 else None for centre in centres]
    if None in closeness:
        return [float(value is None) for value in closeness]
    return [value / sum(closeness) for value in closeness]


def moved(before, after):
    return max(abs(a - b) for old, new in zip(before, after) for a, b in zip(old, new))


def weighted(weights, points):
    total = sum(weights)
    return [sum(w * p[k] for w, p in zip(weights, points)) / total for k in range(len(points[0]))]


def cluster(X, h, alpha, lam, drawn):
    """Return labels and centres, from the given initial rows."""
    rho, delta = decision_graph(X, isqrt(len(X)))
    peaks = sorted(range(len(X)), key=lambda i: -rho[i] * delta[i])[:h]
    G = [X[i] for i in peaks]

    centres = [X[i] for i in drawn]
    for _ in range(150):
        u = [memberships(centres, x) for x in X]
        before, centres = centres, [weighted([row[j] ** 2 for row in u], X) for j in range(len(centres))]
        if moved(before, centres) < 1e-4:
            break
    u = [memberships(centres, x) for x in X]
    eta = [weighted([row[j] for row in u], [[dist(c, x)] for x in X])[0] for j, c in enumerate(centres)]
    eta_bar = sum(eta) / len(eta)

    for t in range(2, 251):
        u = []
        for c, width in zip(centres, eta):
            if width > 0:
                u.append([exp(-alpha * dist(c, x) ** 2 / (eta_bar * width)) for x in X])
            else:
                u.append([float(dist(c, x) == 0) for x in X])
        r = [memberships(centres, g) for g in G]
        new = []
        for j, c in enumerate(centres):
            weights = u[j] + [lam * row[j] for row in r]
            new.append(weighted(weights, X + G) if sum(weights) > 0 else c)
        owner = [max(range(len(centres)), key=lambda j: (u[j][i], j)) for i in range(len(X))]
        alive = sorted(set(owner))
        labels = [alive.index(j) for j in owner]
        eta = []
        for j in alive:
            members = [i for i in range(len(X)) if owner[i] == j]
            average = sum(u[j][i] for i in members) / len(members)
            core = [X[i] for i in members if u[j][i] >= average]
            eta.append(sum(dist(x, mean(core)) for x in core) / len(core))
        unchanged = len(alive) == len(centres) and moved(centres, new) < 1e-4
        centres = [new[j] for j in alive]
        if t >= 3 and (len(centres) == 1 or unchanged):
            break
    return labels, centres
