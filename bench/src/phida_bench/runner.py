"""Running what is missing: trials side by side in processes, each watched for time and memory."""

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

#: How often a trial under way is looked at, in seconds.
_GLANCE = 0.1

#: Seconds after which a file that was not finished never will be.
_STALE = 3600.0

#: Failures that another seed would only repeat.
_FINAL = ("timeout", "memory", "declined")


@dataclass(frozen=True)
class Limits:
    """What a trial may use."""

    timeout: float | None = None
    """Seconds for a whole trial, labelling included."""
    adaptive: bool = False
    """Fewer seeds where learning is slow: see :func:`seeds_for`."""


def seeds_for(seconds: float) -> int:
    """How many seeds a method gets on a data set, by the seconds that it learns: the rule for slow systems."""
    if seconds < 5:
        return 30
    return 10 if seconds < 60 else 3


def missing(
    jobs: Iterable[Job], out: Path, digests: Mapping[str, str] | None = None, *, retry: bool = False
) -> list[Job]:
    """The jobs that have no record with the same parameters and order yet; with ``retry`` also those that failed.

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
"""Called when a trial is settled, with its status and reason; "skipped" where the rule for slow systems drops it."""


def run(jobs: Iterable[Job], surroundings: Surroundings, workers: int, limits: Limits, progress: Progress) -> None:
    """Run jobs, each to a record. Interrupted at any moment, at most the trials under way are lost."""
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
    """What became of the trial that a worker has under way; None while it goes on within its limits."""
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
    """What a settled trial means for the other seeds of its cell, which wait."""
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
    """What a killed process left half written, long ago: another run may be writing into the same folder."""
    for fragment in out.glob("*/*/*/.*.part"):
        with suppress(FileNotFoundError):
            if time.time() - fragment.stat().st_mtime > _STALE:
                fragment.unlink()
