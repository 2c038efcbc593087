"""Run missing trials in parallel processes, with limits of time and memory."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path

from phida_bench import records
from phida_bench.records import Record, Trial
from phida_bench.worker import Job, Outcome, Surroundings, Worker

#: Seconds between two checks of the running trials.
_GLANCE = 0.1

#: Age in seconds from which an unfinished file counts as abandoned.
_STALE = 3600.0

#: Statuses that every other seed would have, too.
_FINAL = ("timeout", "memory", "declined")


@dataclass(frozen=True)
class Limits:
    """Limits of a trial."""

    timeout: float | None = None
    """Seconds for a whole trial, labelling included."""
    adaptive: bool = False
    """Whether slow methods get fewer seeds: see :func:`seeds_for`."""


def seeds_for(seconds: float) -> int:
    """Return the number of seeds of a method on a data set, from its seconds of learning: the rule for slow systems."""
    if seconds < 5:
        return 30
    return 10 if seconds < 60 else 3


def missing(
    jobs: Iterable[Job], out: Path, digests: Mapping[str, str] | None = None, *, retry: bool = False
) -> list[Job]:
    """Return the jobs without a record of the same parameters and order; with ``retry``, also failed ones.

    ``digests`` of the data sets: a record of another copy does not count.
    """

    def done(job: Job) -> bool:
        record = records.read(job.trial, out, with_labels=False)
        if record is None or dict(record.parameters) != dict(job.parameters):
            return False
        if not record.ok:
            return not retry
        if record.shuffled != job.shuffled:
            return False
        return digests is None or record.digest == digests[job.trial.dataset]

    return [job for job in jobs if not done(job)]


Progress = Callable[[Trial, str, str], None]
"""Called when a trial ends, with its status and reason; "skipped" if the rule for slow systems drops it."""


def run(jobs: Iterable[Job], surroundings: Surroundings, workers: int, limits: Limits, progress: Progress) -> None:
    """Run jobs and write their records. An interruption loses only the running trials."""
    out = surroundings.out
    _remove_fragments(out)
    pending = deque(jobs)
    with _pool(min(workers, len(pending)), surroundings) as pool:
        while pending or any(worker.job for worker in pool):
            for worker in pool:
                if worker.job is None and pending:
                    worker.begin(pending.popleft())
            wait([worker.pipe for worker in pool if worker.job], timeout=_GLANCE)
            for place, worker in enumerate(pool):
                if worker.job is None:
                    continue
                outcome = _look(worker, limits.timeout, surroundings.memory)
                if outcome is None:
                    continue
                job, worker.job = worker.job, None
                if outcome.seconds is None:
                    worker.stop()
                    pool[place] = Worker(surroundings)
                    records.write(Record(job.trial, outcome.status, outcome.reason, job.parameters), out)
                progress(job.trial, outcome.status, outcome.reason)
                for other, status, reason in _consequences(job, outcome, pending, limits.adaptive):
                    pending.remove(other)
                    if status != "skipped":
                        records.write(Record(other.trial, status, reason, other.parameters), out)
                    progress(other.trial, status, reason)


def _look(worker: Worker, timeout: float | None, memory: int | None) -> Outcome | None:
    """Return the outcome of a worker's trial; None while it runs within its limits."""
    try:
        if outcome := worker.outcome():
            return outcome
    except (EOFError, ConnectionError):
        return Outcome("failed", f"the process ended with code {worker.ended()}")
    if timeout is not None and worker.seconds > timeout:
        return Outcome("timeout", f"exceeded {timeout:g} s")
    if memory is not None and (held := worker.memory) > memory:
        return Outcome("memory", f"held {held / 2**30:.1f} GiB of {memory / 2**30:.1f} GiB allowed")
    return None


def _consequences(job: Job, outcome: Outcome, pending: Iterable[Job], adaptive: bool) -> Iterator[tuple[Job, str, str]]:
    """Yield the waiting seeds of the same cell that need not run, with their status and reason."""
    cell = (job.trial.setting, job.trial.dataset, job.trial.method)
    others = [j for j in pending if (j.trial.setting, j.trial.dataset, j.trial.method) == cell]
    if outcome.status in _FINAL:
        reason = f"as with seed {job.trial.seed}: {outcome.reason}"
        yield from ((other, outcome.status, reason) for other in others)
    elif outcome.status == "ok" and adaptive and outcome.seconds is not None:
        allowed = seeds_for(outcome.seconds)
        yield from ((other, "skipped", "") for other in others if other.trial.seed >= allowed)


@contextmanager
def _pool(workers: int, surroundings: Surroundings) -> Iterator[list[Worker]]:
    pool = [Worker(surroundings) for _ in range(workers)]
    try:
        yield pool
    finally:
        for worker in pool:
            worker.stop()


def _remove_fragments(out: Path) -> None:
    """Remove old files of killed processes; newer ones may belong to another run in the same folder."""
    for fragment in out.glob("*/*/*/.*.part"):
        with suppress(FileNotFoundError):
            if time.time() - fragment.stat().st_mtime > _STALE:
                fragment.unlink()
