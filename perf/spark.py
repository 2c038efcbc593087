"""Costs of Spark, threads and merges: processor time compared with jobs without learning and with plain learning.

Run: python perf/spark.py learning MASTER ROWS FEATURES [TURNS [WAY ...]]
     python perf/spark.py threads ROWS FEATURES [TURNS]    fit with n_jobs and phida.dask with one and two threads
     python perf/spark.py paper                            inputs of the cost model, in memory
     python perf/spark.py job MASTER [TURNS]               cost of a job with few rows
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import copy
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa
from pyspark.sql import functions as F

from phida import PHIDA, PHIDAPlus

os.environ["PYSPARK_PYTHON"] = sys.executable

#: Runs without arguments.
ALL = [
    ("paper",),
    ("threads", "4000000", "16"),
    ("learning", "local[2]", "400000", "16"),
    ("learning", "local-cluster[2,1,2048]", "400000", "16"),
]

#: Rows per batch of a stream.
BATCH = 100_000

#: Rows per Arrow batch in Spark.
ARROW = 10_000


def session(master):
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "3g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.files.openCostInBytes": "2g",  # one partition per file
        "spark.sql.files.maxPartitionBytes": "2g",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
    }
    spark = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def processor_time():
    """Return the seconds of this process and all its descendants, including ended ones."""
    total = 0.0
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


def in_turn(ways, turns, warm_up=2):
    """Return processor seconds and seconds of each way, by name, for each turn after the warm-up."""
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
    """Write files with equal numbers of rows and one column per feature."""
    import pandas as pd

    folder.mkdir()
    for k, size in enumerate(len(part) for part in np.array_split(np.empty(n), n_files)):
        rows = blobs(size, dims, seed=1000 * seed + k)
        pd.DataFrame(rows, columns=[f"f{j}" for j in range(dims)]).to_parquet(folder / f"{k:03}.parquet")


class Idle(PHIDAPlus):
    """Learns only its first rows, to have a model to save."""

    def _partial_fit(self, X, sample_weight=None, *, follow=True):
        return self if self.__sklearn_is_fitted__() else super()._partial_fit(X[:1000], follow=follow)


def counted(batches):
    """Return the number of rows, on a worker."""
    n = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_arrays([pa.array([n])], names=["n"])


def zeros(batches: Iterator[pa.Array]) -> Iterator[pa.Array]:
    """Yield a constant label for each row, on a worker."""
    for arrays in batches:
        yield pa.array(np.zeros(len(arrays), dtype=np.int32))


def plain(estimator, rows):
    """Learn rows on one core, in batches as large as Spark's."""
    model = estimator(compute_labels=False)
    for first in range(0, len(rows), ARROW):
        model.partial_fit(rows[first : first + ARROW])
    return model.refresh()


def learning(master, n, dims, turns=5, *chosen):
    """Measure each way, next to the same job without learning and to plain learning."""
    import phida.spark

    n, dims, turns = int(n), int(dims), int(turns)
    spark = session(master)
    with tempfile.TemporaryDirectory() as home:
        home = Path(home)
        write(home / "table", n, dims, 2)
        write(home / "stream", n, dims, max(2, n // (BATCH // 2)), seed=1)
        table = spark.read.parquet(str(home / "table"))
        features = table.select(F.array(*table.columns).alias("features"))
        rows = blobs(n, dims)
        model = plain(PHIDAPlus, rows[:200_000])

        def streamed(estimator):
            with tempfile.TemporaryDirectory() as kept:
                files = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 2)
                files = files.parquet(str(home / "stream"))
                now = {"availableNow": True}
                phida.spark.fit_stream(files, kept, estimator=estimator, trigger=now).awaitTermination()

        def saved(df):
            df.write.format("noop").mode("overwrite").save()

        def count(df):
            df.mapInArrow(counted, "n long").collect()

        compared = {
            "fit": (
                partial(phida.spark.fit, table),
                partial(count, features),
                partial(plain, PHIDAPlus, rows),
            ),
            "fit, PHIDA": (
                partial(phida.spark.fit, table, estimator=PHIDA),
                partial(count, features.coalesce(1)),
                partial(plain, PHIDA, rows),
            ),
            "stream": (
                partial(streamed, PHIDAPlus),
                partial(streamed, Idle),
                partial(plain, PHIDAPlus, rows),
            ),
            "labels": (
                lambda: saved(phida.spark.predict(table, model, table.columns).select("prediction")),
                lambda: saved(features.select(F.arrow_udf(zeros, "int")("features"))),
                lambda: model.predict(rows),
            ),
        }
        print("master,rows,features,way,processor s,Spark alone s,plain s,ratio,from,to,seconds,plain seconds")
        for way in chosen or compared:
            took = in_turn(dict(zip(("work", "spark", "plain"), compared[way], strict=True)), turns)
            used = {name: statistics.median(cpu for cpu, _ in times) for name, times in took.items()}
            wall = {name: statistics.median(seconds for _, seconds in times) for name, times in took.items()}
            ratios = sorted(w[0] / (s[0] + p[0]) for w, s, p in zip(*took.values(), strict=True))
            print(
                f'"{master}"', n, dims, f'"{way}"', *(f"{seconds:.2f}" for seconds in used.values()),
                f"{used['work'] / (used['spark'] + used['plain']):.2f}", f"{ratios[0]:.2f}", f"{ratios[-1]:.2f}",
                f"{wall['work']:.2f}", f"{wall['plain']:.2f}", sep=",", flush=True,
            )  # fmt: skip
    spark.stop()


def job(master, turns=5):
    """Measure learning of 2,000 rows."""
    import phida.spark

    spark = session(master)
    with tempfile.TemporaryDirectory() as home:
        write(Path(home) / "table", 2000, 16, 2)
        table = spark.read.parquet(f"{home}/table")
        ways = {kind.__name__: partial(phida.spark.fit, table, estimator=kind) for kind in (PHIDA, PHIDAPlus)}
        print("master,estimator,processor s,seconds")
        for name, took in in_turn(ways, int(turns), warm_up=4).items():
            used, seconds = (statistics.median(column) for column in zip(*took, strict=True))
            print(f'"{master}"', name, f"{used:.2f}", f"{seconds:.2f}", sep=",", flush=True)
    spark.stop()


def threads(n, dims, turns=5):
    """Measure parts in memory, compared with plain learning."""
    import dask
    import dask.array

    import phida.dask

    n, dims, turns = int(n), int(dims), int(turns)
    rows = blobs(n, dims)
    collection = dask.array.from_array(rows, chunks=(-(-n // 8), dims))

    def on_dask(n_threads):
        with dask.config.set(scheduler="threads", num_workers=n_threads):
            phida.dask.fit(collection)

    ways = {"partial_fit": partial(plain, PHIDAPlus, rows)}
    for k in (1, 2):
        ways |= {f"fit, n_jobs={k}": partial(PHIDAPlus(compute_labels=False).fit, rows, n_jobs=k)}
        ways |= {f"phida.dask, {k} threads": partial(on_dask, k)}
    print("rows,features,way,processor s,seconds,fastest")
    for name, took in in_turn(ways, turns, warm_up=1).items():
        used, seconds = (statistics.median(column) for column in zip(*took, strict=True))
        fastest = min(wall for _, wall in took)
        print(n, dims, f'"{name}"', f"{used:.2f}", f"{seconds:.2f}", f"{fastest:.2f}", sep=",", flush=True)


def paper():
    """Measure the inputs of the cost model: learning per row, and the cost to send and merge a model."""
    print("features,rows,learning us/row,model KB,to bytes ms,from bytes ms,merge ms,refresh ms")
    for dims, n in ((16, 500_000), (256, 100_000)):
        rows = blobs(n, dims)
        (one, learning), (other, _) = (timed(partial(plain, PHIDAPlus, half)) for half in np.array_split(rows, 2))
        content = one.to_bytes()
        spent = []
        for _ in range(9):
            model = copy.deepcopy(one)
            works = (model.to_bytes, partial(PHIDAPlus.from_bytes, content), partial(model.merge, other), model.refresh)
            spent.append([timed(work)[1] for work in works])
        medians = (f"{1e3 * statistics.median(column):.1f}" for column in zip(*spent, strict=True))
        print(dims, n, f"{2e6 * learning / n:.2f}", f"{len(content) / 1e3:.0f}", *medians, sep=",", flush=True)


def timed(work):
    """Return the result and the processor time in seconds."""
    began = time.process_time()
    return work(), time.process_time() - began


if __name__ == "__main__":
    kinds = {"learning": learning, "job": job, "threads": threads, "paper": paper}
    for kind, *words in [sys.argv[1:]] if len(sys.argv) > 1 else ALL:
        kinds[kind](*words)
