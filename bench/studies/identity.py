"""Compare confirmed events and ids with the known events of generated streams.

``stories``: groups are born, move into one, part and stop, with ``half_life`` set. ``steady``: streams that do not
change. ``probes``: how often labels and ids of fixed points change. ``classes``: real data, class by class (digits,
penbased) or in the order of its recordings (anuran_calls). Constants were chosen on seeds 0 to 7; what is printed is of
seeds from 100 on. Run: python studies/identity.py [stories | steady | probes | classes]
"""

import sys
from collections import Counter

import numpy as np
from sklearn.datasets import load_digits

from phida import PHIDAPlus
from phida_bench.datasets import entry, load

#: Rows of each group between two events, and during a movement.
ROWS, MOVING = 1500, 200


def places(rng, count, dims, gap):
    """Draw centres that are at least about so many standard deviations apart."""
    found, side = [], gap * max(1.2 * count ** (1 / min(dims, 3)), 2)
    while len(found) < count:
        place = rng.uniform(0, side, size=dims) if dims <= 3 else rng.normal(size=dims) * 1.6 * gap / np.sqrt(2 * dims)
        if all(np.linalg.norm(place - other) >= gap for other in found):
            found.append(place)
        elif dims <= 3:
            side *= 1.01
        else:
            gap *= 0.9995
    return np.array(found)


def story(seed, dims, groups):
    """Draw rows and their events: two groups merge at a distance of two standard deviations, and split at four."""
    rng = np.random.default_rng([seed, dims, groups])
    center = places(rng, groups + 2, dims, 9.0)
    away, stage, moving = center[groups + 1], ROWS * groups, MOVING * (groups + 1)
    rows = np.empty((5 * stage, dims))
    for t in range(len(rows)):
        alive = [group for group in range(groups) if group != 2 or t < 4 * stage]
        if t >= stage:
            alive.append(groups)
        group = alive[rng.integers(len(alive))]
        at = center[group]
        if group == 0 and 2 * stage <= t < 3 * stage:
            at = at + min((t - 2 * stage) / moving, 1) * (center[1] - at)
        elif group == 0 and t >= 3 * stage:
            at = center[1] + min((t - 3 * stage) / moving, 1) * (away - center[1])
        rows[t] = at + rng.normal(size=dims)
    one = 2 * stage + int(moving * (1 - 2 / np.linalg.norm(center[0] - center[1])))
    apart = 3 * stage + int(moving * min(4 / np.linalg.norm(center[1] - away), 1))
    return rows, [(stage, "born"), (one, "merged"), (apart, "split"), (4 * stage, "died")], moving


def events_of(rows, **limits):
    """Return all confirmed events, and the model."""
    told = []
    model = PHIDAPlus(compute_labels=False, **limits).on_event(told.append).partial_fit(rows)
    return told, model


def stories(seeds=range(100, 120)):
    """Print precision, recall and delay of confirmed events."""
    for dims in (2, 10):
        for groups in (4, 12, 30):
            found, total, delays, wrong = 0, 0, {}, Counter()
            for seed in seeds:
                rows, happenings, moving = story(seed, dims, groups)
                told, _ = events_of(rows, half_life=60 * (groups + 1))
                told = [event for event in told if event.confirmed > 500 * groups]
                total += len(told)
                for at, kind in happenings:
                    hits = [e for e in told if e.kind == kind and at - moving <= e.confirmed < at + 1000 * groups]
                    if hits:
                        found += 1
                        told.remove(hits[0])
                        delays.setdefault(kind, []).append((hits[0].confirmed - at) / (groups + 1))
                wrong.update(event.kind for event in told)
            late = {kind: int(np.median(each)) for kind, each in delays.items()}
            every = np.median(np.concatenate(list(delays.values())))
            print(
                f"{dims:2} dimensions, {groups:2} groups: recall {found / (4 * len(seeds)):.2f}, precision "
                f"{found / total:.2f}, delay {every:.0f} rows of the group {late}; wrong: {dict(wrong)}",
                flush=True,
            )


def unchanging(kind, seed, n_rows, dims):
    """Return the rows of a stream that does not change."""
    rng = np.random.default_rng([seed, 77])
    if kind == "one cloud":
        return rng.normal(size=(n_rows, dims))
    if kind == "six touching groups":
        center = 6 * rng.normal(size=(6, dims))
        return center[rng.integers(6, size=n_rows)] + rng.normal(size=(n_rows, dims))
    count, gap = {"six groups": (6, 6.0), "50 groups": (50, 6.0), "heavy tails": (6, 12.0), "noise": (6, 7.0)}[kind]
    center = places(rng, count, dims, gap)
    group = rng.integers(count, size=n_rows)
    if kind == "heavy tails":
        return center[group] + rng.standard_t(3, size=(n_rows, dims))
    rows = center[group] + rng.normal(size=(n_rows, dims))
    if kind == "noise":
        uniform = rng.random(n_rows) < 0.05
        low, high = center.min(axis=0) - 4, center.max(axis=0) + 4
        rows[uniform] = rng.uniform(low, high, size=(uniform.sum(), dims))
    return rows


def steady(n_rows=1_000_000):
    """Print confirmed events after the first 5,000 rows of streams that do not change."""
    for dims in (2, 10):
        for kind in ("six groups", "50 groups", "one cloud", "heavy tails", "noise"):
            told, model = events_of(unchanging(kind, 100, n_rows, dims))
            late = Counter(event.kind for event in told if event.confirmed > 5000)
            print(f"{dims:2} dimensions, {kind}: {dict(late) or 'no events'}, {model.n_clusters_} clusters", flush=True)


def probes(seeds=range(100, 110), n_rows=8000, batch=100):
    """Print the shares of probes whose id and label change from batch to batch after the first 1,000 rows."""
    for dims in (2, 10):
        changes = []
        for seed in seeds:
            rows = unchanging("six touching groups", seed, n_rows + 200, dims)
            model, points, before = PHIDAPlus(compute_labels=False), rows[n_rows:], None
            for first in range(0, n_rows, batch):
                model.partial_fit(rows[first : first + batch])
                now = np.array([model.predict_id(points), model.predict(points)])
                if first >= 1000:
                    changes.append((now != before).mean(axis=1))
                before = now
        ids, labels = 100 * np.mean(changes, axis=0)
        print(f"{dims:2} dimensions: ids change in {ids:.2f} % of the probes, labels in {labels:.2f} %")


def classes(first_rows=200):
    """Print whether a class has its own id after its first rows, and the number of other events."""
    for name in ("digits", "penbased", "anuran_calls"):
        if name == "digits":
            rows, target = load_digits(return_X_y=True)
        else:
            data = load(entry(name))
            rows, target = data.X, data.y
        if name != "anuran_calls":
            order = np.argsort(target, kind="stable")
            rows, target = rows[order], target[order]
        told, born, delays = [], 0, []
        model = PHIDAPlus(compute_labels=False).on_event(told.append)
        known, waiting = {}, {}
        for t, label in enumerate(target.tolist()):
            if label not in known:
                known[label] = {id_ for event in told for id_ in event.after}
                waiting[label] = np.flatnonzero(target == label)[:first_rows]
            model.partial_fit(rows[t : t + 1])
            if label not in waiting or waiting[label][-1] > t:
                continue
            own = waiting.pop(label)
            id_ = Counter(model.predict_id(rows[own]).tolist()).most_common(1)[0][0]
            if id_ in known[label]:
                continue
            born += 1
            confirmed = next(event.confirmed for event in told if id_ in event.after)
            delays.append(np.sum(target[:confirmed] == label))
        kinds = dict(Counter(event.kind for event in told))
        print(
            f"{name}: {born} of {len(known)} classes have an id of their own after {first_rows} rows, "
            f"confirmed after {np.median(delays):.0f}; {len(told) - born} other events; all: {kinds}",
            flush=True,
        )


if __name__ == "__main__":
    studies = {"stories": stories, "steady": steady, "probes": probes, "classes": classes}
    for name in sys.argv[1:] or studies:
        studies[name]()
