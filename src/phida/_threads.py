"""Numbers of threads."""

from __future__ import annotations

import os
from functools import cache
from numbers import Integral

#: Values in a batch below which one thread is always best.
SMALL_BATCH = 100_000


@cache
def _available() -> int:
    from joblib import cpu_count

    return int(cpu_count())  # respects affinity and container limits


def for_jobs(n_jobs: int) -> int:
    """Return the number of threads for ``n_jobs``: -1 means one per core."""
    from joblib import effective_n_jobs

    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None, a number of threads, or -1 for one per core, not {n_jobs!r}.")
    return int(effective_n_jobs(n_jobs))


def for_batch(n_values: int) -> int:
    """Return ``OMP_NUM_THREADS`` if set, as in joblib's workers, or one thread per usable core."""
    if n_values < SMALL_BATCH:
        return 1
    wish = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(max(1, int(wish)), _available()) if wish.isdecimal() else _available()
