"""What Spark costs: labels against native prediction, learning by partitions, and the parts of a model on paper.

Run: python perf/spark.py labels FOLDER          letter and isolet, on one slot
     python perf/spark.py learning MASTER        rows a second, and the driver's share, by partitions
     python perf/spark.py bits FOLDER            rice, penbased and letter, beside the loop in memory
     python perf/spark.py paper                  the parts that the model on paper is made of, in memory
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import math
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from phida import PHIDA
from phida.distributed import fit_partitions, partial_fit_partitions, rounds

os.environ["PYSPARK_PYTHON"] = sys.executable


def session(master):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.files.openCostInBytes": "1g",
        "spark.sql.files.maxPartitionBytes": "1g",
        "spark.executorEnv.OMP_NUM_THREADS": "1",
    }.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def fastest(work, times=5):
    """Seconds of the fastest of several calls, and processor time of all that work for this process in the leanest."""
    took = []
    for _ in range(times):
        began, busy = time.perf_counter(), processor_time()
        work()
        took.append((time.perf_counter() - began, processor_time() - busy))
    return min(seconds for seconds, _ in took), min(busy for _, busy in took)


def processor_time():
    """Of this process, Spark's and the workers'; workers must not end in between."""
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return sum(used.user + used.system for used in (process.cpu_times() for process in processes))


def labels(folder):
    """Rows a second of phida.spark.predict on one slot, beside the model's own predict on one thread."""
    import pandas as pd

    import phida.spark
    from phida_bench.datasets import entries, load

    spark = session("local[1]")
    print("data,features,nodes,columns,native rows/s,spark rows/s,share,share by processor time")
    for name, copies in (("letter", 25), ("isolet", 4)):
        X = load(entries()[name], Path(folder)).X
        model = PHIDA(compute_labels=False).fit(X)
        model.predict(X)
        rows = np.tile(X, (copies, 1))
        native, busy = fastest(lambda: [model.predict(part) for part in np.array_split(rows, copies)])
        with tempfile.TemporaryDirectory() as home:
            named = pd.DataFrame(rows, columns=[f"f{j}" for j in range(rows.shape[1])])
            named.to_parquet(f"{home}/named.parquet")
            pd.DataFrame({"features": list(rows)}).to_parquet(f"{home}/array.parquet")
            for kind, features in (("named", list(named.columns)), ("array", "features")):
                if kind == "named" and rows.shape[1] > 100:
                    continue
                df = spark.read.parquet(f"{home}/{kind}.parquet").cache()
                df.count()
                labelled = phida.spark.predict(df, model, features).select("prediction")
                save = labelled.write.format("noop").mode("overwrite").save
                save()
                seconds, used = fastest(save)
                print(
                    name, rows.shape[1], model.n_nodes_, kind, round(len(rows) / native), round(len(rows) / seconds),
                    f"{native / seconds:.0%}", f"{busy / used:.0%}", sep=",", flush=True,
                )  # fmt: skip
                df.unpersist()
    spark.stop()


def bits(folder):
    """The benchmark's streams on Spark, stage by stage: are they learned to the bit as by the loop in memory?"""
    import pandas as pd

    from phida.spark.learning import learn
    from phida_bench.datasets import entries, load
    from phida_bench.protocol import stages

    def states(model):
        state = model._model.learner.__getstate__()
        return {name: np.asarray(value).tobytes() for name, value in state.items()}

    spark = session("local[2]")
    print("data,setting,partitions,rows,clusters,same bits")
    for name, setting, n_partitions in (
        ("rice", "nonstationary", 4),
        ("penbased", "stationary", 16),
        ("letter", "stationary", 4),
    ):
        dataset = load(entries()[name], Path(folder))
        one, other = PHIDA(compute_labels=False), PHIDA(compute_labels=False)
        for rows in stages(setting, dataset.y, dataset.entry.spelling, 0):
            parts = np.array_split(dataset.X[rows], n_partitions)
            partial_fit_partitions(one, parts)
            one.refresh()
            with tempfile.TemporaryDirectory() as home:
                for k, part in enumerate(parts):
                    pd.DataFrame({"features": list(part)}).to_parquet(f"{home}/{k:03}.parquet")
                # One file after another: Spark would begin with the largest.
                df = spark.read.parquet(f"{home}/000.parquet")
                for k in range(1, n_partitions):
                    df = df.union(spark.read.parquet(f"{home}/{k:03}.parquet"))
                learn(other, df, "features", 0)
            other.refresh()
        same = states(one) == states(other)
        print(name, setting, n_partitions, len(dataset.X), other.n_clusters_, same, sep=",", flush=True)
    spark.stop()


def blobs(n, dims, seed=0, groups=30):
    centers = 6 * np.random.default_rng(9).normal(size=(groups, dims))
    rng = np.random.default_rng(seed)
    return centers[rng.integers(groups, size=n)] + rng.normal(size=(n, dims))


class Timed(PHIDA):
    """Notes how long workers and the driver had to do, and what they sent."""

    def __init__(self, **parameters):
        super().__init__(**parameters)
        self.note = {"worker": 0.0, "driver": 0.0, "bytes": 0, "rest": 0, "rounds": 0}

    def local_update(self, X, **which):
        began = time.process_time()
        update = super().local_update(X, **which)
        self.note["worker"] += time.process_time() - began
        self.note["bytes"] += sum(np.asarray(value).nbytes for value in update.columns.values())
        return update

    def apply_updates(self, updates):
        updates = list(updates)
        began = time.process_time()
        super().apply_updates(updates)
        self.note["driver"] += time.process_time() - began
        self.note["rest"] += sum(update.n_rest for update in updates)
        self.note["rounds"] += 1
        return self


def learning(master):
    """Rows a second of phida.spark.fit, the fastest of three, with where the driver's time goes."""
    import pandas as pd

    import phida.spark

    applying = 0.0
    apply_updates = PHIDA.apply_updates

    def watched(self, updates):
        nonlocal applying
        updates = list(updates)  # waiting for workers is not applying
        began = time.perf_counter()
        apply_updates(self, updates)
        applying += time.perf_counter() - began
        return self

    PHIDA.apply_updates = watched
    spark = session(master)
    print("master,features,rows,partitions,rounds,seconds,rows/s,driver learns,ms a round,processor s")
    for dims, n, partitions in ((16, 400_000, (2, 8, 16)), (1024, 8_000, (2, 8))):
        rows = blobs(n, dims)
        for n_partitions in partitions:
            parts = np.array_split(rows, n_partitions)
            with tempfile.TemporaryDirectory() as home:
                for k, part in enumerate(parts):
                    pd.DataFrame({"features": list(part)}).to_parquet(f"{home}/{k:03}.parquet")
                df = spark.read.parquet(home)
                runs = []
                for _ in range(2):
                    applying, began, busy = 0.0, time.perf_counter(), processor_time()
                    phida.spark.fit(df, "features")
                    runs.append((time.perf_counter() - began, applying, processor_time() - busy))
            seconds, driver, used = min(runs)
            n_rounds = sum(1 for _ in rounds(0, [len(part) for part in parts]))
            print(
                master, dims, n, n_partitions, n_rounds, round(seconds, 2), round(n / seconds),
                f"{driver / seconds:.1%}", round((seconds - driver) / n_rounds * 1e3), round(used, 1),
                sep=",", flush=True,
            )  # fmt: skip
    spark.stop()


def paper():
    """Processor time of workers and driver, and bytes, for one batch as long as what was learned before it."""
    print("features,learned,rows,partitions,rounds,worker us/row,driver s,in order,MB to the driver,model MB")
    for dims, n in ((16, 500_000), (1024, 20_000)):
        first = fit_partitions(np.array_split(blobs(n, dims), 8))
        batch = blobs(n, dims, seed=1)
        for n_partitions in (2, 8, 64, 512) if dims == 16 else (2, 8, 64):
            model = Timed(compute_labels=False)
            model.__dict__.update(PHIDA.from_bytes(first.to_bytes()).__dict__)
            partial_fit_partitions(model, np.array_split(batch, n_partitions))
            note = model.note
            print(
                dims, n, n, n_partitions, note["rounds"], round(note["worker"] / n * 1e6, 2), round(note["driver"], 3),
                f"{note['rest'] / n:.2%}", round(note["bytes"] / 1e6, 1), round(len(model.to_bytes()) / 1e6, 2),
                sep=",", flush=True,
            )  # fmt: skip
    for n_learned in (10**6, 10**8, 10**9):
        print("rounds of a batch as long as", n_learned, ":", math.ceil(1 + math.log2(n_learned / 2 / 64)))


if __name__ == "__main__":
    {"labels": labels, "bits": bits, "learning": learning, "paper": paper}[sys.argv[1]](*sys.argv[2:])
