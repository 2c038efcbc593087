"""Threads: how many, and work ahead of or after the main thread."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from numbers import Integral
from typing import Any, TypeVar

from phida.errors import ParameterError

T = TypeVar("T")

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
        raise ParameterError(f"n_jobs must be None, a number of threads, or -1 for one per core, not {n_jobs!r}.")
    return int(effective_n_jobs(n_jobs))


def for_batch(n_values: int) -> int:
    """Return ``OMP_NUM_THREADS`` if set, as in joblib's workers, or one thread per usable core."""
    if n_values < SMALL_BATCH:
        return 1
    wish = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(max(1, int(wish)), _available()) if wish.isdecimal() else _available()


@contextmanager
def ahead(items: Iterator[T], most: int) -> Iterator[Iterator[T]]:
    """Return an iterator over items that a thread makes, at most so many early; 0: without a thread.

    An error is raised after the items before it. The thread ends with the context, after the item that it is making.
    """
    if not most:
        yield items
        return
    end: Any = object()
    with ThreadPoolExecutor(1, "phida reading") as thread:
        made = deque(thread.submit(next, items, end) for _ in range(most))

        def each() -> Iterator[T]:
            while (item := made.popleft().result()) is not end:
                made.append(thread.submit(next, items, end))
                yield item

        try:
            yield each()
        finally:
            thread.shutdown(cancel_futures=True)


class Behind:
    """Calls in a thread, one after the other, while the main thread goes on; with ``most`` 0, calls in the main thread.

    At most ``most`` calls wait. After an error no further call is made, and the next use of this object raises it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._thread = ThreadPoolExecutor(1, "phida writing") if most else None
        self._waiting: deque[Future[None]] = deque()
        self._error: BaseException | None = None

    def __enter__(self) -> Behind:
        return self

    def __exit__(self, *error: object) -> None:
        if self._thread is not None:
            self._thread.shutdown()

    def call(self, work: Callable[..., None], *arguments: Any) -> None:
        """Call a function after all earlier calls."""
        if self._thread is None:
            work(*arguments)
            return
        self._wait(self._most - 1)
        self._waiting.append(self._thread.submit(self._call, work, *arguments))

    def wait(self) -> None:
        """Wait for all calls."""
        self._wait(0)

    def _wait(self, most: int) -> None:
        while len(self._waiting) > most:
            self._waiting.popleft().result()
        if self._error is not None:
            raise self._error

    def _call(self, work: Callable[..., None], *arguments: Any) -> None:
        if self._error is None:
            try:
                work(*arguments)
            except BaseException as error:
                self._error = error
