"""Delay and reliability of drift detection: phida.drift against ADWIN and KSWIN of river, on the same streams.

River's detectors take numbers: each feature has a detector of its own, the first that detects a drift counts, and the
level of each is divided by the number of features (Bonferroni). Otherwise all have their default settings. KSWIN takes
0.4 ms per number, which makes up most of the time that this takes.

The default of phida.drift was chosen on seeds 0 to 9 (``python studies/drift.py choose``). The tables show seeds 100
to 119 and streams of river's generators, which played no part in choosing. Run: python studies/drift.py
"""

import copy
import sys

import numpy as np
from river import drift
from river.datasets import synth

from phida.drift import ClusterDrift

AT, AFTER, WIDTH = 4000, 2000, 1000
CHOSEN, REPORTED = range(10), range(100, 120)
KINDS = {
    "group appears": "one group more, as large as the average",
    "rare group": "one group more, 3 % of the rows",
    "group vanishes": "the rows of one group end",
    "group jumps": "one group is elsewhere from one row to the next",
    "group shifts": "one group is two standard deviations away",
    "group creeps": "one group moves by a standard deviation every 250 rows",
    "shares change": "the smallest group gets four times its rows, the largest half",
    "gradual": "two groups are elsewhere, little by little over 1,000 rows",
    "wider": "all groups are twice as wide",
}


class Stream:
    """3 to 8 groups in 2, 4 or 8 dimensions, in every third stream with heavy tails; then a change."""

    def __init__(self, seed):
        self.seed = seed
        self.rng = rng = np.random.default_rng(seed)
        self.dims, self.groups = (2, 4, 8)[seed % 3], int(rng.integers(3, 9))
        self.heavy = seed % 3 == seed // 3 % 3
        self.centers = 6 * rng.normal(size=(self.groups, self.dims))
        self.shares = rng.dirichlet(np.full(self.groups, 5.0))
        self.elsewhere = 6 * rng.normal(size=(2, self.dims))
        direction = rng.normal(size=self.dims)
        self.direction = direction / np.linalg.norm(direction)
        self.before = self._rows(self.centers, self.shares, AT)

    def _rows(self, centers, shares, n):
        rng = self.rng
        groups = rng.choice(len(shares), size=n, p=shares / np.sum(shares))
        spread = rng.standard_t(3, size=(n, self.dims)) if self.heavy else rng.normal(size=(n, self.dims))
        self.member = groups
        self.noise = spread
        return centers[groups] + spread

    def after(self, kind):
        """Return the rows after the change."""
        self.rng = np.random.default_rng([self.seed, list(KINDS).index(kind)])
        centers, shares = self.centers.copy(), self.shares.copy()
        first = int(np.argsort(shares)[len(shares) // 2])
        if kind in ("group appears", "rare group"):
            centers = np.vstack([centers, self.elsewhere[:1]])
            shares = np.append(shares, 1 / self.groups if kind == "group appears" else 0.03 / 0.97)
        elif kind == "group vanishes":
            shares[first] = 0.0
        elif kind == "group jumps":
            centers[first] = self.elsewhere[0]
        elif kind == "group shifts":
            centers[first] += 2 * self.direction
        elif kind == "shares change":
            order = np.argsort(shares)
            shares[order[0]] *= 4
            shares[order[-1]] /= 2
        elif kind == "gradual":
            centers[:2] = self.elsewhere
        rows = self._rows(centers, shares, AFTER)
        if kind == "group creeps":
            rows += np.outer((self.member == first) * np.arange(AFTER) / 250, self.direction)
        elif kind == "wider":
            rows += self.noise
        elif kind == "gradual":
            stays = self.rng.random(AFTER) >= np.arange(AFTER) / WIDTH
            rows[stays] = self.centers[self.member[stays]] + self.noise[stays]
        return rows


class PerFeature:
    """A detector of river per feature."""

    def __init__(self, make, dims):
        self.detectors = [make(dims) for _ in range(dims)]

    def update(self, x):
        for detector, value in zip(self.detectors, x.values(), strict=True):
            detector.update(value)

    @property
    def drift_detected(self):
        return any(detector.drift_detected for detector in self.detectors)


METHODS = {
    "ClusterDrift": lambda dims: ClusterDrift(),
    "ADWIN": lambda dims: PerFeature(lambda d: drift.ADWIN(delta=0.002 / d), dims),
    "KSWIN": lambda dims: PerFeature(lambda d: drift.KSWIN(alpha=0.005 / d, seed=0), dims),
}


def alarms(detector, rows):
    """Return the rows at which a drift is detected, and the kind of change if the detector reports it."""
    for t, row in enumerate(rows):
        detector.update(dict(enumerate(row.tolist())))
        if detector.drift_detected:
            yield t, getattr(detector, "change", None)


def measure(make, seed):
    """Return the false alarms before the change, and the first alarm after it by kind."""
    stream = Stream(seed)
    detector = make(stream.dims)
    false = sum(1 for _ in alarms(detector, stream.before))
    return false, [next(alarms(copy.deepcopy(detector), stream.after(kind)), None) for kind in KINDS]


def measure_all(make, seeds):
    """Return the sum of false alarms, and the first alarms of all seeds by kind."""
    false, first = zip(*(measure(make, seed) for seed in seeds), strict=True)
    return sum(false), dict(zip(KINDS, zip(*first, strict=True), strict=True))


def shown(found):
    """Return detected changes of all changes, and the median delay, as text."""
    delays = [alarm[0] for alarm in found if alarm is not None]
    return f"{len(delays)} of {len(found)}, {np.median(delays):.0f}" if delays else f"0 of {len(found)}"


def kinds_named(found):
    """Return how often each kind was named, as text."""
    named = [alarm[1].kind for alarm in found if alarm is not None and alarm[1] is not None]
    return ", ".join(f"{kind} {named.count(kind)}" for kind in ("new", "vanished", "moved", "share") if kind in named)


def river_streams():
    """Return streams of river's generators: rows before and after the change. The target is one more feature."""
    take = {
        "RandomRBF, other centres": (synth.RandomRBF(1, 1, n_features=4), synth.RandomRBF(2, 2, n_features=4)),
        "SEA, target only": (synth.SEA(0, seed=1), synth.SEA(3, seed=2)),
        "Hyperplane, target only": (synth.Hyperplane(1, 4), synth.Hyperplane(2, 4)),
        "Sine, target only": (synth.Sine(0, seed=1), synth.Sine(1, seed=2)),
        "Mixed, target only": (synth.Mixed(0, seed=1), synth.Mixed(1, seed=2)),
        "LED, 4 features swapped": (synth.LED(1), synth.LEDDrift(2, n_drift_features=4)),
    }
    for name, pair in take.items():
        yield name, *([[*x.values(), y] for x, y in part.take(n)] for part, n in zip(pair, (AT, AFTER), strict=True))
    friedman = synth.FriedmanDrift("gra", position=(AT, AT + 500), transition_window=10, seed=1)
    rows = [[*x.values(), y] for x, y in friedman.take(AT + AFTER)]
    yield "Friedman, target only", rows[:AT], rows[AT:]
    moving = synth.RandomRBFDrift(1, 1, n_features=4, change_speed=0.001, n_drift_centroids=10)
    still = synth.RandomRBFDrift(1, 1, n_features=4, change_speed=0.0, n_drift_centroids=10)
    rows = [[[*x.values(), y] for x, y in part.take(n)] for part, n in ((still, AT), (moving, AFTER))]
    yield "RandomRBFDrift, begins to move", *rows


def choose():
    """Print false alarms and delays by significance, on the seeds that are not reported."""
    for delta in (1e-3, 1e-4, 1e-5):
        false, first = measure_all(lambda dims, delta=delta: ClusterDrift(delta), CHOSEN)
        print(f"delta {delta:g}: false alarms {false} in {AT * len(CHOSEN):,} rows", flush=True)
        for kind, found in first.items():
            print(f"  {kind:15} {shown(found):16} {kinds_named(found)}", flush=True)


def report():
    """Print delays and false alarms of all methods."""
    results = {name: measure_all(make, REPORTED) for name, make in METHODS.items()}
    print("| detected, median delay in rows |", " | ".join(METHODS), "| kinds named by ClusterDrift |")
    print("|---" * (len(METHODS) + 2) + "|")
    for kind in KINDS:
        cells = [shown(first[kind]) for _, first in results.values()]
        print(f"| {kind} |", " | ".join(cells), "|", kinds_named(results["ClusterDrift"][1][kind]), "|")
    cells = [str(false) for false, _ in results.values()]
    print(f"| false alarms in {AT * len(REPORTED):,} rows before |", " | ".join(cells), "| |", flush=True)


def report_river():
    """Print first alarms on streams of river's generators."""
    print("\n| delay in rows (false alarms before) |", " | ".join(METHODS), "| kind |")
    print("|---" * (len(METHODS) + 2) + "|")
    for name, before, after in river_streams():
        cells, kind = [], ""
        for make in METHODS.values():
            detector = make(len(before[0]))
            false = sum(1 for _ in alarms(detector, np.array(before, dtype=float)))
            found = next(alarms(detector, np.array(after, dtype=float)), None)
            cells.append(f"{'–' if found is None else found[0]} ({false})")
            if found is not None and found[1] is not None:
                kind = found[1].kind
        print(f"| {name} |", " | ".join(cells), f"| {kind} |", flush=True)


def unchanged(kind, n=60_000, dims=3):
    """Yield a long stream that does not change."""
    rng = np.random.default_rng(1000)
    groups = {"one cloud": 1, "50 groups": 50}.get(kind, 6)
    centers = (20 if groups == 50 else 6) * rng.normal(size=(groups, dims))
    member = rng.integers(groups, size=n)
    heavy = kind == "heavy tails"
    rows = centers[member] + (rng.standard_t(3, size=(n, dims)) if heavy else rng.normal(size=(n, dims)))
    if kind == "uniform noise":
        noise = rng.random(n) < 0.05
        rows[noise] = rng.uniform(-15, 15, size=(noise.sum(), dims))
    return rows


def report_unchanged():
    """Print false alarms of ClusterDrift on long streams."""
    print("\nfalse alarms of ClusterDrift in 60,000 rows each:")
    for kind in ("6 groups", "50 groups", "one cloud", "heavy tails", "uniform noise"):
        found = [f"row {t}: {change.kind}" for t, change in alarms(ClusterDrift(), unchanged(kind))]
        print(f"  {kind:13} {len(found)}  {', '.join(found)}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["choose"]:
        choose()
    else:
        report()
        report_river()
        report_unchanged()
