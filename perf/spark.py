"""What Spark costs: processor time of phida.spark beside jobs that do the same and learn nothing, in turn.

Run: python perf/spark.py learning MASTER ROWS FEATURES [TURNS]   learning beside counting, labels beside zeros
     python perf/spark.py threads ROWS FEATURES [TURNS]           fit_partitions and phida.dask with one and two threads
     python perf/spark.py paper                                   the inputs of the cost model
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil

from phida import PHIDAPlus
from phida.distributed import LocalUpdate, fit_partitions, in_round, learn, partial_fit_partitions, rounds

os.environ["PYSPARK_PYTHON"] = sys.executable

#: Rows of a batch of a stream.
BATCH = 100_000


def session(master):
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "3g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.files.openCostInBytes": "2g",  # so that every file is a partition
        "spark.sql.files.maxPartitionBytes": "2g",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
    }
    spark = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def processor_time():
    """Seconds of this process and all below it, also of those that have ended."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def in_turn(ways, turns, warm_up=2):
    """Processor seconds and seconds of each way, by name, for each turn; the first turns do not count."""
    took = {name: [] for name in ways}
    for turn in range(warm_up + turns):
        for name, work in ways.items():
            began, busy = time.perf_counter(), processor_time()
            work()
            if turn >= warm_up:
                took[name].append((processor_time() - busy, time.perf_counter() - began))
    return took


def blobs(n, dims, seed=0, groups=30):
    centers = 6 * np.random.default_rng(9).normal(size=(groups, dims))
    rng = np.random.default_rng(seed)
    return centers[rng.integers(groups, size=n)] + rng.normal(size=(n, dims))


def write(folder, n, dims, n_files, seed=0):
    """Files of equal size, and nearly equal rows, with one array column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for k, size in enumerate(len(part) for part in np.array_split(np.empty(n), n_files)):
        rows = blobs(size, dims, seed=1000 * seed + k)
        column = pa.FixedSizeListArray.from_arrays(rows.ravel(), dims).cast(pa.list_(pa.float64()))
        pq.write_table(pa.table({"features": column}), folder / f"{k:03}.parquet", compression="none")


class Idle(PHIDAPlus):
    """Learns its first rows, so that there is a model to save, and no more."""

    def partial_fit(self, X, y=None):
        return self if self.__sklearn_is_fitted__() else super().partial_fit(X[:1000])


def counted(batches):
    """On a worker: the number of rows."""
    import pyarrow as pa

    n = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([n])], names=["n"])


def zeros(batches):
    """On a worker: a label for each row, and no more."""
    import pyarrow as pa

    for arrays in batches:
        yield pa.array(np.zeros(len(arrays), dtype=np.int32))


def learning(master, n, dims, turns=5):
    """Each way beside its yardstick."""
    from pyspark.sql import functions as F

    import phida.spark

    n, dims, turns = int(n), int(dims), int(turns)
    spark = session(master)
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        write(home / "table", n, dims, 2)
        write(home / "stream", n, dims, max(2, n // (BATCH // 2)), seed=1)
        table = spark.read.parquet(str(home / "table"))
        model = fit_partitions([blobs(min(n, 200_000), dims)])

        def streamed(estimator):
            with tempfile.TemporaryDirectory() as kept:
                rows = spark.readStream.schema("features array<double>").option("maxFilesPerTrigger", 2)
                query = phida.spark.fit_stream(
                    rows.parquet(str(home / "stream")),
                    kept,
                    "features",
                    estimator=estimator,
                    trigger={"availableNow": True},
                )
                query.awaitTermination()

        def saved(labels):
            table.select(labels).write.format("noop").mode("overwrite").save()

        compared = {
            "exact": (
                partial(phida.spark.fit, table, "features"),
                lambda: table.coalesce(1).mapInArrow(counted, "n long").collect(),
            ),
            "partitions": (
                partial(phida.spark.fit, table, "features", method="partitions"),
                lambda: table.mapInArrow(counted, "n long").collect(),
            ),
            "stream": (partial(streamed, PHIDAPlus), partial(streamed, Idle)),
            "labels": (
                lambda: phida.spark.predict(table, model, "features").select("prediction").write.format("noop").mode(
                    "overwrite"
                ).save(),
                lambda: saved(F.arrow_udf(zeros, "int")("features")),
            ),
        }
        print("master,rows,features,way,processor s,yardstick s,rows per processor s,share,seconds,from,to")
        for way, (work, yardstick) in compared.items():
            took = in_turn({"work": work, "yardstick": yardstick}, turns)
            (used, seconds), (least, _) = (
                tuple(statistics.median(column) for column in zip(*took[name], strict=True))
                for name in ("work", "yardstick")
            )
            shares = sorted(b[0] / a[0] for a, b in zip(took["work"], took["yardstick"], strict=True))
            print(
                f'"{master}"', n, dims, way, f"{used:.2f}", f"{least:.2f}", round(n / used), f"{least / used:.0%}",
                f"{seconds:.2f}", f"{shares[0]:.0%}", f"{shares[-1]:.0%}", sep=",", flush=True,
            )  # fmt: skip
    spark.stop()


def threads(n, dims, turns=5):
    """Partitions in memory, beside plain learning."""
    import dask
    import dask.array

    import phida.dask

    n, dims, turns = int(n), int(dims), int(turns)
    parts = np.array_split(blobs(n, dims), 8)
    collection = dask.array.concatenate([dask.array.from_array(part, chunks=part.shape) for part in parts])

    def plain():
        model = PHIDAPlus(compute_labels=False)
        for part in parts:
            model.partial_fit(part)

    def on_dask(n_threads):
        with dask.config.set(scheduler="threads", num_workers=n_threads):
            phida.dask.fit(collection)

    ways = {"partial_fit": plain}
    for k in (1, 2):
        ways |= {f"fit_partitions, n_jobs={k}": partial(fit_partitions, parts, n_jobs=k)}
        ways |= {f"phida.dask, {k} threads": partial(on_dask, k)}
    print("rows,features,way,processor s,seconds,rows/s")
    for name, took in in_turn(ways, turns, warm_up=1).items():
        used, seconds = (statistics.median(column) for column in zip(*took, strict=True))
        print(n, dims, f'"{name}"', f"{used:.2f}", f"{seconds:.2f}", round(n / seconds), sep=",", flush=True)


def paper():
    """Inputs of the cost model: a batch as long as what was learned before it, in so many partitions."""
    print("features,rows,partitions,rounds,in order,worker us/row,call ms,update ms,update KB,model KB,row in order us")
    for dims, n, partitions in ((16, 500_000, (8, 64, 512)), (256, 100_000, (8, 64, 512))):
        first, batch = blobs(n, dims), blobs(n, dims, seed=1)
        model = PHIDAPlus(compute_labels=False).partial_fit(first)
        plain = PHIDAPlus.from_bytes(model.to_bytes())
        began = time.process_time()
        plain.partial_fit(batch)
        in_order = (time.process_time() - began) / n
        for n_partitions in partitions:
            print(dims, n, n_partitions, *parts_of_a_batch(model, np.array_split(batch, n_partitions)), f"{in_order * 1e6:.2f}", sep=",", flush=True)  # fmt: skip
    print("megabytes/s of a connection, ms for a message there and back:", *connection())


def parts_of_a_batch(model, parts):
    """What the rounds of a batch are made of, per row, call, update and byte; processor time."""
    model = PHIDAPlus.from_bytes(model.to_bytes())
    spent = {"worker": 0.0, "call": 0.0, "update": 0.0}
    n_updates = n_rest = sent = n_bytes = 0
    n_rounds = sum(1 for _ in rounds(model.n_samples_seen_, [len(rows) for rows in parts]))

    def timed(name, work, *given):
        began = time.process_time()
        done = work(*given)
        spent[name] += time.process_time() - began
        return done

    def updates_of(learning, slices):
        nonlocal n_updates, n_rest, sent, n_bytes
        content, asked, updates = learning.to_bytes(), in_round(slices), []
        for p, begin, end in asked:
            received = timed("call", type(model).from_bytes, content)
            one = timed("call", received.local_update, parts[p][begin : begin + 1])
            update = timed("worker", partial(received.local_update, partition=p, n_partitions=len(parts)), parts[p][begin:end])
            trimmed = timed("call", update.for_sending(n_updates=len(asked), last=p == asked[-1][0]).to_bytes)
            updates.append(timed("update", LocalUpdate.from_bytes, trimmed))
            n_updates, n_rest, sent, n_bytes = n_updates + 1, n_rest + update.n_rest, sent + len(trimmed), len(content)
            assert one.n_rows == 1
        return updates

    apply_updates = PHIDAPlus.apply_updates
    learn(model, [len(rows) for rows in parts], lambda slices: [], updates_of)
    assert apply_updates
    n = sum(map(len, parts))
    return (
        n_rounds, f"{n_rest / n:.2%}", f"{spent['worker'] / n * 1e6:.2f}", f"{spent['call'] / n_updates * 1e3:.2f}",
        f"{spent['update'] / n_updates * 1e3:.3f}", round(sent / n_updates / 1e3, 1), round(n_bytes / 1e3, 1),
    )  # fmt: skip


if __name__ == "__main__":
    {"learning": learning, "threads": threads, "paper": paper}[sys.argv[1]](*sys.argv[2:])
