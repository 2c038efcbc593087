"""A process that runs trials one after the other, and the handle by which the runner watches and stops it."""

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

#: One thread each: trials run side by side, and times must be those of one core.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
ONE_THREAD = {name: "1" for name in _THREADS} | {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}


@dataclass(frozen=True)
class Job:
    """A trial and what it is run with."""

    trial: Trial
    parameters: Mapping[str, Any]
    shuffled: bool = True
    """Whether the order of the rows is drawn by the seed."""


@dataclass(frozen=True)
class Outcome:
    """How a trial ended."""

    status: str
    reason: str
    seconds: float | None = None
    """Spent learning; None where the process was lost, so that the record is for the runner to write."""


@dataclass(frozen=True)
class Surroundings:
    """Where trials find what they need, and leave what they gave."""

    out: Path
    data: Path | None = None
    """Folder of data sets, or a file of the user's."""
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
        """Hand over a job."""
        self.job, self._since = job, None
        self.pipe.send(job)

    def outcome(self) -> Outcome | None:
        """What became of the job; None while it goes on. An EOFError where the process is gone."""
        while self.pipe.poll():
            news = self.pipe.recv()
            if isinstance(news, Outcome):
                return news
            self._since = time.monotonic()
        return None

    @property
    def seconds(self) -> float:
        """How long the trial has been under way; starting the process and loading the data do not count."""
        return 0.0 if self._since is None else time.monotonic() - self._since

    @property
    def memory(self) -> int:
        """Bytes that the process holds."""
        try:
            return int(psutil.Process(self._process.pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return 0

    def stop(self) -> int | None:
        """End the process, whatever it does; answer its exit code."""
        self.pipe.close()
        self._process.kill()
        self._process.join()
        return self._process.exitcode

    def ended(self) -> int | None:
        """The exit code of a process that ended by itself."""
        self._process.join(timeout=5)
        return self._process.exitcode


def _serve(pipe: Connection, surroundings: Surroundings) -> None:
    """Run jobs until the runner closes the pipe, or is gone. Ctrl-C is the runner's business."""
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
    """Environment variables that a process started here inherits."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
