"""Readings of a machine whose states begin, drift, meet and end, as CSV for the live page.

    python examples/live_stream.py | phida serve --from - --rate 600

The stream starts with three states. One splits in two, a new one appears, two merge, and one ends.
"""

import numpy as np

FEATURES = ("temperature", "pressure", "flow", "vibration", "current", "humidity")
ROWS = 36_000

#: Centre and drift of each state, the part of the stream with this drift, and the lifetime of the state.
IDLE, LOAD, PEAK, WORN, FAULT = range(5)
CENTERS = np.array(
    [[20, 3, 1, 1, 2, 40], [55, 6, 6, 3, 9, 35], [80, 8, 9, 4, 14, 30], [55, 6, 6, 3, 9, 35], [95, 2, 2, 12, 18, 30.0]]
)
DRIFT = np.array(
    [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [-25, -2, -3, -1, -5, 5], [0, -1, -2, 8, 4, 12], [0, 0, 0, 0, 0, 0.0]]
)
MOVES = ((0, 1), (0, 1), (0.6, 0.85), (0.15, 0.4), (0, 1))
THERE = ((0, 0.75), (0, 1), (0, 1), (0.05, 1), (0.4, 0.7))
SPREAD = np.array([2.2, 0.4, 0.5, 0.4, 0.6, 1.5])


def main():
    """Print the rows."""
    rng = np.random.default_rng(11)
    print(",".join(FEATURES))
    for row in range(ROWS):
        part = row / ROWS
        here = [state for state, (begin, end) in enumerate(THERE) if begin <= part < end]
        state = rng.choice(here)
        begin, end = MOVES[state]
        moved = min(max((part - begin) / (end - begin), 0), 1)
        reading = CENTERS[state] + moved * DRIFT[state] + SPREAD * rng.normal(size=len(FEATURES))
        print(",".join(f"{value:.3f}" for value in reading))


if __name__ == "__main__":
    main()
