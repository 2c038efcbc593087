"""A process that runs trials in turn, and the runner's handle of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from phida_bench import datasets, execution, methods, records
from phida_bench.datasets import Dataset, entry, load
from phida_bench.records import Trial

#: One thread per trial: trials run in parallel, and times must be those of one core.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ONE_THREAD = {name: "1" for name in _THREADS} | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Job:
    """A trial and its parameters."""

    trial: Trial
    parameters: Mapping[str, Any]
    shuffled: bool = True
    """Whether the order of the rows is drawn by the seed."""


@dataclass(frozen=True)
class Outcome:
    """The end of a trial."""

    status: str
    reason: str
    seconds: float | None = None
    """Seconds of learning; None if the process was lost: the runner then writes the record."""


@dataclass(frozen=True)
class Surroundings:
    """Folders and limits of all trials."""

    out: Path
    data: Path | None = None
    """Folder of data sets, or the user's own file."""
    plugins: tuple[Path, ...] = ()
    memory: int | None = None
    """Bytes that a trial may use."""


class Worker:
    """The runner's handle of one process."""

    def __init__(self, surroundings: Surroundings) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, remote = context.Pipe()
        self._process = context.Process(target=_serve, args=(remote, surroundings), daemon=True)
        with environment(ONE_THREAD):
            self._process.start()
        remote.close()
        self.job: Job | None = None
        self._since: float | None = None

    def begin(self, job: Job) -> None:
        """Send a job to the process."""
        self.job, self._since = job, None
        self.pipe.send(job)

    def outcome(self) -> Outcome | None:
        """Return the outcome of the job, or None while it runs; raise an EOFError if the process has ended."""
        while self.pipe.poll():
            news = self.pipe.recv()
            if isinstance(news, Outcome):
                return news
            self._since = time.monotonic()
        return None

    @property
    def seconds(self) -> float:
        """Seconds since the trial began, without starting the process and loading the data."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def memory(self) -> int:
        """Memory of the process in bytes."""
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return 0

    def stop(self) -> int | None:
        """Kill the process; return its exit code."""
        self.pipe.close()
        self._process.kill()
        self._process.join()
        return self._process.exitcode

    def ended(self) -> int | None:
        """Return the exit code of a process that ended by itself."""
        self._process.join(timeout=5)
        return self._process.exitcode


def _serve(pipe: Connection, surroundings: Surroundings) -> None:
    """Run jobs until the runner closes the pipe or ends. The runner handles Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for plugin in surroundings.plugins:
        methods.add(plugin)
    datasets.add_own(surroundings.data)
    with suppress(EOFError, ConnectionError):
        _work(pipe, surroundings)


def _work(pipe: Connection, surroundings: Surroundings) -> None:
    held: Dataset | None = None
    while True:
        job: Job = pipe.recv()
        if held is None or held.entry.name != job.trial.dataset:
            held = load(entry(job.trial.dataset), surroundings.data)
        method = methods.method(job.trial.method)
        pipe.send("begins")
        record = execution.run(job.trial, held, method, dict(job.parameters), surroundings.memory)
        records.write(record, surroundings.out)
        pipe.send(Outcome(record.status, record.reason, sum(record.learn_seconds)))


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables that processes started here inherit."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
