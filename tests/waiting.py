"""Waits for other threads and processes, with one limit for hanging ones."""

import time

#: Seconds: far more than needed, also on a busy machine, since no test may depend on speed.
PATIENCE = 600


def until(reached, seconds=PATIENCE):
    """Wait for a condition, and return its value; a failure shows the last value."""
    end = time.monotonic() + seconds
    while not (found := reached()):
        assert time.monotonic() < end, found
        time.sleep(0.01)
    return found
