"""Training on all partitions of a table in one barrier job, with one task per partition.

Each task reads its partition and keeps it. The other tasks connect to the first one, which runs the rounds of
:mod:`phida.distributed`: it sends the model and collects the updates. All tasks know the sizes of all partitions, and
so the rows of a round.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from py4j.protocol import Py4JJavaError
from pyspark import BarrierTaskContext, SparkContext
from pyspark.sql import DataFrame

from phida import _validation, distributed
from phida._local_update import LocalUpdate
from phida.estimators import Estimator
from phida.spark.columns import Features, Order, check_names, chosen, in_order, matrix
from phida.spark.connections import Hub, connect
from phida.spark.results import RESULT, Batches, model_of, result

E = TypeVar("E", bound=Estimator)

Rows = NDArray[np.float64]

#: In Spark's message if a task of a barrier stage fails or is lost, but not if the job is cancelled.
_TASK_FAILED = "failed barrier ResultStage"

#: Seconds; as long as Spark itself waits for executors at the beginning (maxRegisteredResourcesWaitingTime).
_EXECUTORS_START_IN = 30.0


def learned_by_partitions(model: E, df: DataFrame, features: Features, order: Order, random_state: int) -> E:
    """Return the model after learning the rows of a table in rounds, all partitions in parallel."""
    rows, names = chosen(df, features, order)
    check_names(model, names)
    rows = in_order(rows, order)
    attempts = int(df.sparkSession.conf.get("spark.stage.maxConsecutiveAttempts", "4"))
    while True:
        check_barrier(rows)
        task = partial(_learn, model=model._with_names(None), key=secrets.token_bytes(32), random_state=random_state)
        try:
            return model_of(rows.mapInArrow(task, RESULT, barrier=True).collect(), model, names)
        except Py4JJavaError as error:
            # A new job, because Spark's own retry of a barrier stage can hang: where a task ends just
            # as another one is lost, the retry leaves out the first one, and the others wait for it.
            attempts -= 1
            if attempts < 1 or _TASK_FAILED not in str(error):
                raise


def check_barrier(df: DataFrame) -> None:
    """Raise an error if Spark cannot run all partitions in parallel; it would wait or fail."""
    if not hasattr(df, "_jdf"):
        raise ValueError('method="partitions" needs a classic Spark session, not Spark Connect; use method="exact".')
    context = df.sparkSession.sparkContext
    if context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true":
        raise ValueError(
            'method="partitions" needs a fixed number of executors, and spark.dynamicAllocation.enabled is true; '
            'turn it off, or use method="exact".'
        )
    rdd = df._jdf.queryExecution().toRdd()
    n_partitions = rdd.getNumPartitions()
    slots = _slots(context, n_partitions)
    if n_partitions > slots:
        raise ValueError(
            f"the table has {n_partitions} partitions, and Spark can run {slots} tasks at the same time; "
            f'method="partitions" needs one for each. Write the table in at most {slots} partitions '
            f'(df.repartition({slots}).write), or use method="exact".'
        )
    if other := _other_partitions(rdd, n_partitions):
        raise ValueError(
            f"the table's {n_partitions} partitions are made of others ({other}), as by coalesce or union, and Spark "
            "cannot run all of them at the same time. Write the table first and learn from the files, use repartition "
            'in place of coalesce, or use method="exact".'
        )


def _slots(context: SparkContext, wanted: int) -> int:
    """Return how many tasks Spark can run in parallel, after waiting for executors that are starting."""
    scala = context._jsc.sc()
    until = time.monotonic() + (0.0 if context.master.split("[")[0] == "local" else _EXECUTORS_START_IN)
    while True:
        slots: int = scala.maxNumConcurrentTasks(scala.resourceProfileManager().defaultResourceProfile())
        if slots >= wanted or time.monotonic() >= until:
            return slots
        time.sleep(0.2)


def _other_partitions(rdd: Any, n_partitions: int) -> str:
    """The first RDD of the last stage that has another number of partitions; Spark's own rule for barrier stages."""
    waiting = [rdd]
    while waiting:
        rdd = waiting.pop()
        if rdd.getNumPartitions() != n_partitions:
            return f"{rdd.getClass().getSimpleName()} with {rdd.getNumPartitions()}"
        dependencies = rdd.dependencies()
        for i in range(dependencies.size()):
            dependency = dependencies.apply(i)
            if "ShuffleDependency" not in dependency.getClass().getSimpleName():
                waiting.append(dependency.rdd())
    return ""


def _learn(batches: Batches, model: Estimator, key: bytes, random_state: int) -> Iterator[pa.RecordBatch]:
    """On a worker: learn this partition together with all others. The first task returns the model."""
    context = BarrierTaskContext.get()
    number = context.partitionId()
    mine = Partition.read(batches, model)
    hub = Hub(context.getTaskInfos()[0].address.rsplit(":", 1)[0], key) if number == 0 else None
    # Once: Spark looks for the messages of the others every second.
    told = context.allGather(json.dumps(mine.facts() | {"address": None if hub is None else hub.address}))
    facts = [json.loads(message) for message in told]
    with_rows = [n for n, fact in enumerate(facts) if fact["rows"]]
    if error := _contradiction(facts, model):
        if hub is not None:
            hub.close()
            yield result(error=error)
        return
    batch = Batch([facts[n]["rows"] for n in with_rows], with_rows, random_state)
    if hub is None:
        if number in with_rows:
            _follow(batch, mine, model, connect(tuple(facts[0]["address"]), key, number), number)
        return
    connections = hub.connections(n for n in with_rows if n != 0)
    hub.close()
    yield result(_lead(batch, mine, model, connections))


@dataclass(frozen=True)
class Batch:
    """The partitions that have rows, as known to all tasks."""

    sizes: list[int]
    tasks: list[int]
    """Task of each partition."""
    random_state: int

    def update(self, model: Estimator, rows: Rows, task: int, slices: distributed.Slices) -> LocalUpdate:
        """Return the update of a task for its rows of a round."""
        partition = self.tasks.index(task)
        update = model.local_update(
            rows, partition=partition, n_partitions=len(self.tasks), random_state=self.random_state
        )
        asked = distributed.in_round(slices)
        return update.for_sending(n_updates=len(asked), last=partition == asked[-1][0])


def _lead(batch: Batch, mine: Partition, model: E, connections: dict[int, Connection]) -> E:
    """Run the rounds in the first task."""

    def rows_of(slices: distributed.Slices) -> Iterator[Rows]:
        for p, begin, end in distributed.in_round(slices):
            if (task := batch.tasks[p]) == 0:
                yield mine.rows(begin, end)
            else:
                yield np.frombuffer(connections[task].recv_bytes()).reshape(end - begin, -1)

    def updates_of(learning: E, slices: distributed.Slices) -> Iterator[LocalUpdate]:
        asked = [(batch.tasks[p], begin, end) for p, begin, end in distributed.in_round(slices)]
        content = learning.to_bytes()
        for task, _, _ in asked:
            if task != 0:
                connections[task].send_bytes(content)
        # Before the updates of others are awaited.
        own = [batch.update(learning, mine.rows(begin, end), 0, slices) for task, begin, end in asked if task == 0]
        for task, _, _ in asked:
            yield own[0] if task == 0 else LocalUpdate.from_bytes(connections[task].recv_bytes())

    return distributed.learn(model, batch.sizes, rows_of, updates_of)


def _follow(batch: Batch, mine: Partition, model: Estimator, first: Connection, task: int) -> None:
    """Run the rounds in any other task."""
    known = model.n_samples_seen_ if model.__sklearn_is_fitted__() else 0
    learned = known > 0
    for slices in distributed.rounds(known, batch.sizes, model._settings().get("half_life")):
        bounds = slices[batch.tasks.index(task)]
        if bounds[0] < bounds[1]:
            rows = mine.rows(*bounds)
            if learned:
                sent = type(model).from_bytes(first.recv_bytes())
                first.send_bytes(batch.update(sent, rows, task, slices).to_bytes())
            else:
                first.send_bytes(rows.tobytes())
        learned = True


class Partition:
    """The rows of a task."""

    def __init__(self) -> None:
        self.blocks: list[Rows] = []
        self.stops = [0]
        """End of each block, after a leading 0."""
        self.error: str | None = None

    @classmethod
    def read(cls, batches: Batches, model: Estimator) -> Partition:
        """All rows, checked as they are before they are learned; the first error is kept."""
        partition = cls()
        for batch in batches:
            if not batch.num_rows or partition.error is not None:
                continue
            try:
                rows = _validation.rows(model, matrix(batch.column(0)))
                if partition.blocks and rows.shape[1] != partition.blocks[0].shape[1]:
                    raise ValueError(
                        "rows have different numbers of features, or none; every row needs the same number."
                    )
            except ValueError as error:
                partition.error = str(error)
                continue
            partition.blocks.append(rows)
            partition.stops.append(partition.stops[-1] + len(rows))
        return partition

    def facts(self) -> dict[str, Any]:
        """What other tasks must know."""
        width = self.blocks[0].shape[1] if self.blocks else None
        return {"rows": self.stops[-1], "width": width, "error": self.error}

    def rows(self, begin: int, end: int) -> Rows:
        """Some of the rows."""
        first, last = np.searchsorted(self.stops, [begin, end - 1], side="right") - 1
        parts = [self.blocks[k][max(begin - self.stops[k], 0) : end - self.stops[k]] for k in range(first, last + 1)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _contradiction(facts: list[dict[str, Any]], model: Estimator) -> ValueError | None:
    """Why the partitions cannot be learned, if they cannot."""
    for number, fact in enumerate(facts):
        if fact["error"] is not None:
            return ValueError(f"partition {number}: {fact['error']}")
    widths = {fact["width"] for fact in facts if fact["rows"]}
    if model.__sklearn_is_fitted__():
        widths.add(model.n_features_in_)
    if len(widths) > 1:
        return ValueError(
            f"rows have {' or '.join(map(str, sorted(widths)))} features; every row needs the same number."
        )
    return None
