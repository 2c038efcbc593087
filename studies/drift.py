"""How soon and how surely drift is told: phida.drift beside ADWIN and KSWIN of river, on the same streams.

River's detectors take numbers, so that each feature has one of its own, and the first that tells counts. All have their
default settings. Run: python studies/drift.py
"""

import numpy as np
from river import drift

from phida.drift import ClusterDrift

ROWS, AT, WIDTH, FEATURES, GROUPS, SEEDS = 8000, 4000, 1000, 4, 5, 5


def rows(kind, seed):
    """Five groups; from the middle on, two of them elsewhere, one more, or all wider."""
    rng = np.random.default_rng(seed)
    before = 6 * rng.normal(size=(GROUPS, FEATURES))
    after = before.copy()
    after[:2] += 3 * rng.normal(size=(2, FEATURES))
    born = np.vstack([before, 6 * rng.normal(size=(1, FEATURES))])
    for t in range(ROWS):
        changed = {"no drift": 0.0, "gradual": (t - AT) / WIDTH}.get(kind, float(t >= AT))
        centers, noise = before, 1.0
        if rng.random() < changed:
            centers = {"new group": born, "wider": before}.get(kind, after)
            noise = 2.0 if kind == "wider" else 1.0
        yield centers[rng.integers(len(centers))] + noise * rng.normal(size=FEATURES)


class PerFeature:
    """A detector of river for each feature."""

    def __init__(self, make):
        self.detectors = [make() for _ in range(FEATURES)]

    def update(self, x):
        for detector, value in zip(self.detectors, x.values(), strict=True):
            detector.update(value)

    @property
    def drift_detected(self):
        return any(detector.drift_detected for detector in self.detectors)


METHODS = {
    "ClusterDrift": lambda seed: ClusterDrift(),
    "ADWIN": lambda seed: PerFeature(drift.ADWIN),
    "KSWIN": lambda seed: PerFeature(lambda: drift.KSWIN(seed=seed)),
}


def told(make, kind, seed):
    """The rows at which a drift was told."""
    detector = make(seed)
    for t, row in enumerate(rows(kind, seed)):
        detector.update(dict(enumerate(row.tolist())))
        if detector.drift_detected:
            yield t


def main():
    """Print delays and false alarms."""
    print(f"{SEEDS} streams of {ROWS:,} rows each, a change at {AT:,}; false alarms are those before it")
    for kind in ("no drift", "abrupt", "gradual", "new group", "wider"):
        for name, make in METHODS.items():
            alarms = [list(told(make, kind, seed)) for seed in range(SEEDS)]
            end = ROWS if kind == "no drift" else AT
            false = sum(t < end for ts in alarms for t in ts)
            delays = [next((t - AT for t in ts if t >= AT), None) for ts in alarms]
            found = [delay for delay in delays if delay is not None]
            shown = f"told in {len(found)} of {SEEDS}, delay {np.median(found):5.0f} rows" if found else "never told"
            shown = "" if kind == "no drift" else shown
            print(f"{kind:10} {name:13} false alarms {false:4d}   {shown}", flush=True)


if __name__ == "__main__":
    main()
