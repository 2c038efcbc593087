"""What Spark costs: processor time of phida.spark beside jobs that do the same and learn nothing, in turn.

Run: python perf/spark.py learning MASTER ROWS FEATURES [TURNS [WAY ...]]
     python perf/spark.py threads ROWS FEATURES [TURNS]    fit_partitions and phida.dask with one and two threads
     python perf/spark.py paper                            the inputs of the cost model, in memory
     python perf/spark.py job MASTER [TURNS]               what a job costs whatever its rows
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyspark.sql import functions as F

from phida import PHIDA, PHIDAPlus
from phida.distributed import LocalUpdate, fit_partitions, in_round, learn, rounds

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
    """Files with as many rows each, and a column for each feature."""
    import pandas as pd

    folder.mkdir()
    for k, size in enumerate(len(part) for part in np.array_split(np.empty(n), n_files)):
        rows = blobs(size, dims, seed=1000 * seed + k)
        pd.DataFrame(rows, columns=[f"f{j}" for j in range(dims)]).to_parquet(folder / f"{k:03}.parquet")


class Idle(PHIDAPlus):
    """Learns its first rows, so that there is a model to save, and no more."""

    def partial_fit(self, X, y=None):
        return self if self.__sklearn_is_fitted__() else super().partial_fit(X[:1000])


def counted(batches):
    """On a worker: the number of rows."""
    n = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([n])], names=["n"])


def zeros(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
    """On a worker: a label for each row, and no more."""
    for arrays in batches:
        yield pa.array(np.zeros(len(arrays), dtype=np.int32))


def learning(master, n, dims, turns=5, *chosen):
    """Each way beside its yardstick."""
    import phida.spark

    n, dims, turns = int(n), int(dims), int(turns)
    spark = session(master)
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        write(home / "table", n, dims, 2)
        write(home / "stream", n, dims, max(2, n // (BATCH // 2)), seed=1)
        table = spark.read.parquet(str(home / "table"))
        features = table.select(F.array(*table.columns).alias("features"))
        model = PHIDAPlus(compute_labels=False).partial_fit(blobs(min(n, 200_000), dims))

        def streamed(estimator):
            with tempfile.TemporaryDirectory() as kept:
                rows = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 2)
                rows = rows.parquet(str(home / "stream"))
                now = {"availableNow": True}
                phida.spark.fit_stream(rows, kept, estimator=estimator, trigger=now).awaitTermination()

        def saved(df):
            df.write.format("noop").mode("overwrite").save()

        def count_in_one_task():
            features.coalesce(1).mapInArrow(counted, "n long").collect()

        def count_in_all_tasks():
            features.mapInArrow(counted, "n long").collect()

        compared = {
            "exact": (partial(phida.spark.fit, table), count_in_one_task),
            "exact, PHIDA": (partial(phida.spark.fit, table, estimator=PHIDA), count_in_one_task),
            "partitions": (partial(phida.spark.fit, table, method="partitions"), count_in_all_tasks),
            "stream": (partial(streamed, PHIDAPlus), partial(streamed, Idle)),
            "labels": (
                lambda: saved(phida.spark.predict(table, model, table.columns).select("prediction")),
                lambda: saved(features.select(F.arrow_udf(zeros, "int")("features"))),
            ),
        }
        print("master,rows,features,way,processor s,yardstick s,rows per processor s,share,from,to,seconds")
        for way in chosen or compared:
            took = in_turn(dict(zip(("work", "yardstick"), compared[way], strict=True)), turns)
            used, least = (statistics.median(cpu for cpu, _ in took[name]) for name in ("work", "yardstick"))
            shares = sorted(b[0] / a[0] for a, b in zip(took["work"], took["yardstick"], strict=True))
            seconds = statistics.median(wall for _, wall in took["work"])
            print(
                f'"{master}"', n, dims, f'"{way}"', f"{used:.2f}", f"{least:.2f}", round(n / used),
                f"{least / used:.0%}", f"{shares[0]:.0%}", f"{shares[-1]:.0%}", f"{seconds:.2f}", sep=",", flush=True,
            )  # fmt: skip
    spark.stop()


def job(master, turns=5):
    """Learning of 2,000 rows."""
    import phida.spark

    spark = session(master)
    with tempfile.TemporaryDirectory() as home:
        write(Path(home) / "table", 2000, 16, 2)
        table = spark.read.parquet(f"{home}/table")
        ways = {method: partial(phida.spark.fit, table, method=method) for method in ("exact", "partitions")}
        print("master,method,processor s,seconds")
        for method, took in in_turn(ways, int(turns), warm_up=4).items():
            used, seconds = (statistics.median(column) for column in zip(*took, strict=True))
            print(f'"{master}"', method, f"{used:.2f}", f"{seconds:.2f}", sep=",", flush=True)
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
    print("rows,features,way,processor s,seconds,fastest")
    for name, took in in_turn(ways, turns, warm_up=1).items():
        used, seconds = (statistics.median(column) for column in zip(*took, strict=True))
        fastest = min(wall for _, wall in took)
        print(n, dims, f'"{name}"', f"{used:.2f}", f"{seconds:.2f}", f"{fastest:.2f}", sep=",", flush=True)


def paper():
    """Inputs of the cost model: a batch as long as what was learned before it, in so many partitions."""
    print("features,rows,partitions,rounds,in order,worker us/row,call ms,update ms,update KB,model KB,row in order us")
    for dims, n, partitions in ((16, 500_000, (8, 64, 512)), (256, 100_000, (8, 64, 512))):
        model = PHIDAPlus(compute_labels=False).partial_fit(blobs(n, dims))
        batch, plain = blobs(n, dims, seed=1), PHIDAPlus.from_bytes(model.to_bytes())
        began = time.process_time()
        plain.partial_fit(batch)
        in_order = (time.process_time() - began) / n
        for n_partitions in partitions:
            parts = np.array_split(batch, n_partitions)
            found = parts_of_a_batch(model, parts, in_order)
            print(dims, n, n_partitions, *found, f"{in_order * 1e6:.2f}", sep=",", flush=True)
    there_and_back, rate = connection()
    print(f"a connection on one machine: {there_and_back * 1e6:.0f} us there and back, {rate / 1e6:.0f} MB/s")


class Timed(PHIDAPlus):
    """Notes how long updates took to apply, all models together."""

    applying = 0.0

    def apply_updates(self, updates):
        updates, began = list(updates), time.process_time()
        super().apply_updates(updates)
        Timed.applying += time.process_time() - began
        return self


def parts_of_a_batch(model, parts, in_order):
    """What the rounds of a batch are made of, per row, call, update and byte; processor time."""
    model = Timed.from_bytes(model.to_bytes())
    n_rounds = sum(1 for _ in rounds(model.n_samples_seen_, [len(rows) for rows in parts]))
    spent = {"rows": 0.0, "call": 0.0, "update": 0.0}
    updates, carried, sent, model_bytes = 0, 0, 0, 0

    def timed(name, work, *given, **named):
        began = time.process_time()
        done = work(*given, **named)
        spent[name] += time.process_time() - began
        return done

    def updates_of(learning, slices):
        nonlocal updates, carried, sent, model_bytes
        content, asked, received = learning.to_bytes(), in_round(slices), []
        for p, begin, end in asked:
            copy = timed("call", Timed.from_bytes, content)
            timed("call", copy.local_update, parts[p][begin : begin + 1])
            update = timed("rows", copy.local_update, parts[p][begin:end], partition=p, n_partitions=len(parts))
            update = update.for_sending(n_updates=len(asked), last=p == asked[-1][0])
            message = timed("call", update.to_bytes)
            received.append(timed("update", LocalUpdate.from_bytes, message))
            updates, carried, sent = updates + 1, carried + update.n_rest, sent + len(message)
        model_bytes = len(content)
        return received

    Timed.applying = 0.0
    learn(model, [len(rows) for rows in parts], lambda slices: [], updates_of)
    n = sum(map(len, parts))
    spent["update"] += max(Timed.applying - carried * in_order, 0.0)
    return (
        n_rounds, f"{carried / n:.2%}", f"{spent['rows'] / n * 1e6:.2f}", f"{spent['call'] / updates * 1e3:.2f}",
        f"{spent['update'] / updates * 1e3:.3f}", f"{sent / updates / 1e3:.1f}", f"{model_bytes / 1e3:.1f}",
    )  # fmt: skip


def connection():
    """Seconds for a short message there and back, and bytes a second one way."""
    from phida.spark.connections import Hub, connect

    hub = Hub("127.0.0.1", b"key")
    other = threading.Thread(target=lambda: echo(connect(hub.address, b"key", 1)))
    other.start()
    peer = hub.connections([1])[1]
    began = time.perf_counter()
    for _ in range(1000):
        peer.send_bytes(b"x")
        peer.recv_bytes()
    there_and_back = (time.perf_counter() - began) / 1000
    block = bytes(1 << 20)
    began = time.perf_counter()
    for _ in range(500):
        peer.send_bytes(block)
        peer.recv_bytes()
    rate = 500 * len(block) / (time.perf_counter() - began - 500 * there_and_back)
    peer.close()
    other.join()
    hub.close()
    return there_and_back, rate


def echo(peer):
    """Answer every message with a byte."""
    while True:
        try:
            peer.recv_bytes()
        except EOFError:
            return
        peer.send_bytes(b"x")


if __name__ == "__main__":
    {"learning": learning, "job": job, "threads": threads, "paper": paper}[sys.argv[1]](*sys.argv[2:])
