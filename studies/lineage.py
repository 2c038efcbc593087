"""How well ids and events follow what happens in a stream that is made up.

First, groups that stay: how often labels and ids of probe points change from batch to batch. Then streams in which
groups are born, move into one, split and stop, with ``half_life`` set: which of these the lineage tells, and what it
tells beside. Run: python studies/lineage.py
"""

import numpy as np

from phida import PHIDAPlus
from phida.lineage import Lineage

HALF_LIFE = 300
#: Rows after a change within which its event counts. What stops must first fade.
PATIENCE = {"born": 600, "split": 1500, "merged": 1500, "died": 12 * HALF_LIFE}


def steady(seed, batch, rows=4000, groups=6):
    """Shares of probes whose label and id changed, per batch; and how often ids did while the partition did not."""
    rng = np.random.default_rng(seed)
    center = 6 * rng.normal(size=(groups, 2))
    draw = lambda n: center[rng.integers(groups, size=n)] + rng.normal(size=(n, 2))  # noqa: E731
    stream, probes = draw(rows), draw(200)
    model = PHIDAPlus(compute_labels=False)
    changes, broken, last = [], 0, None
    for first in range(0, rows, batch):
        model.partial_fit(stream[first : first + batch])
        now = model.predict(probes), model.predict_id(probes)
        if last is not None:
            changes.append([np.mean(now[0] != last[0]), np.mean(now[1] != last[1])])
            pairs = set(zip(now[0].tolist(), last[0].tolist(), strict=True))
            same = len(pairs) == len(np.unique(now[0])) == len(np.unique(last[0]))
            broken += same and bool((now[1] != last[1]).any())
        last = now
    return *np.mean(changes, axis=0), broken


def story(seed):
    """Rows, and what happens at which row: four groups on a circle, changed one after the other."""
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi)
    place = lambda k: 20 * np.array([np.cos(turn + k), np.sin(turn + k)])  # noqa: E731
    happenings = [(4000, "born"), (8000, "merged"), (14000, "split"), (20000, "died")]
    rows = []
    for t in range(26000):
        groups = [place(0), place(1.2), place(2.4), place(3.6)]
        if t >= 4000:
            groups.append(place(4.8))
        if 8000 <= t < 14000:  # the first moves over to the second
            groups[0] = place(1.2 * min((t - 8000) / 800, 1))
        elif t >= 14000:  # and away again, to the other side of the circle's middle
            groups[0] = place(1.2) * (1 - min((t - 14000) / 800, 1))
        if t >= 20000:
            del groups[2]
        rows.append(groups[rng.integers(len(groups))] + rng.normal(size=2))
    return np.array(rows), happenings


def told(seed):
    """The happenings of a story, and all events after a warm-up."""
    rows, happenings = story(seed)
    events = []
    PHIDAPlus(half_life=HALF_LIFE, compute_labels=False).on_event(events.append).partial_fit(rows)
    return happenings, Lineage([event for event in events if event.sample > 2000])


def score(results, lasting):
    """Print which happenings are told, and how much else is, where changes must last so many rows."""
    found, matched, total = {kind: 0 for kind in PATIENCE}, 0, 0
    for happenings, lineage in results:
        events = lineage.lasting(lasting)
        for at, kind in happenings:
            found[kind] += any(tells(event, at, kind) for event in events)
        matched += sum(any(tells(event, at, kind) for at, kind in happenings) for event in events)
        total += len(events)
    shown = ", ".join(f"{kind} {count}" for kind, count in found.items())
    recall = sum(found.values()) / (len(found) * len(results))
    print(
        f"changes that last {lasting:4d} rows: of {len(results)} each, told {shown} (recall {recall:.2f}); "
        f"{total} events, of which {matched} tell a happening (precision {matched / max(total, 1):.2f})"
    )


def tells(event, at, kind):
    """Whether an event tells that this happened then. What was a cluster before and comes out again is a split too."""
    if event.kind not in ((kind, "revived") if kind == "split" else (kind,)):
        return False
    return at <= event.sample < at + PATIENCE[kind]


def main():
    """Print the figures."""
    for batch in (20, 100, 500):
        labels, ids, broken = np.array([steady(seed, batch) for seed in range(10)]).T
        print(
            f"six groups, batches of {batch:3d}: labels change in {100 * labels.mean():.1f} %, ids in "
            f"{100 * ids.mean():.1f} % of probes ({ids.mean() / labels.mean():.2f}); "
            f"{broken.sum():.0f} ids changed while the partition did not"
        )
    results = [told(seed) for seed in range(10)]
    for lasting in (0, 100, 300, 1000):
        score(results, lasting)


if __name__ == "__main__":
    main()
