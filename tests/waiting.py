"""Waits for what other threads and processes do. The one limit is against hanging alone."""

import time

#: Seconds. Much more than anything needs, also on a crowded machine: no test may depend on speed.
PATIENCE = 600


def until(reached, seconds=PATIENCE):
    """Wait for a condition, and return its value; a failure shows the last value."""
    end = time.monotonic() + seconds
    while not (found := reached()):
        assert time.monotonic() < end, found
        time.sleep(0.01)
    return found
