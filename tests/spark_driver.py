"""A driver in which something fails. Run: python spark_driver.py MASTER SOURCE FOLDER HAPPENING MARKER.

A *happening* takes place once: it creates its marker, and does nothing if the marker exists. SIGQUIT prints all stacks.
"""

import faulthandler
import os
import signal
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

import phida.spark
from phida import PHIDA, PHIDAPlus

SCHEMA = "a double, b double, c double, d double"
#: Options for short jobs, which gain nothing from the JVM's optimising compiler.
QUICK = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "300",  # several batches per partition
    "spark.sql.files.openCostInBytes": "1g",  # one partition per file
    "spark.sql.files.maxPartitionBytes": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(master, **more):
    """Return a new Spark session, or the existing one."""
    made = SparkSession.builder.master(master).config(map=QUICK | more).getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def learned(spark, source, checkpoint, on_batch=None, deadly=None, estimator=PHIDAPlus):
    """Learn all batches of two files."""
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2).parquet(f"{source}/stream")
    if deadly is not None:
        stream = stream.mapInArrow(deadly, SCHEMA)
    phida.spark.fit_stream(
        stream, str(checkpoint), estimator=estimator, on_batch=on_batch, trigger={"availableNow": True}
    ).awaitTermination()


def hang(marker):
    """Create the marker, on which the test kills this process, and wait."""
    marker.touch()
    time.sleep(600)


def hanging_estimator(marker):
    """Return an estimator that hangs after the second batch is learned and before the model is saved."""

    class Hanging(PHIDAPlus):
        def merge(self, *others):
            super().merge(*others)
            if self.n_samples_seen_ > 2000:
                hang(marker)
            return self

    return Hanging


def strike(marker, kill):
    """Kill, unless that has happened already."""
    try:
        marker.touch(exist_ok=False)  # atomic, so that only one of two tasks kills
    except FileExistsError:
        return
    kill()
    time.sleep(600)


def parent_of(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


def kill_workers():
    """Kill all Python workers of this executor, this process last."""
    workers = [int(name) for name in os.listdir("/proc") if name.isdecimal() and name != str(os.getpid())]
    for process in workers:
        try:
            if parent_of(process) == os.getppid():
                os.kill(process, signal.SIGKILL)
        except OSError:  # it has ended
            continue
    os.kill(os.getpid(), signal.SIGKILL)


def kill_executor():
    """Kill the executor: the parent of the daemon, which is the parent of this process."""
    os.kill(parent_of(os.getppid()), signal.SIGKILL)


def deadly_estimator(estimator, marker):
    """Return an estimator that kills its worker, and later its executor, during learning."""
    worker, executor = marker.with_suffix(".worker"), marker.with_suffix(".executor")

    class Deadly(estimator):
        def _partial_fit(self, X, sample_weight=None, *, follow=True):
            super()._partial_fit(X, sample_weight, follow=follow)
            if self.n_samples_seen_ > 1000:
                strike(worker, kill_workers)
            if self.n_samples_seen_ > 2000:
                strike(executor, kill_executor)
            return self

    return Deadly


def deadly_rows(marker):
    """Return a query step that kills the workers of its task, and then the executor, after its first rows."""
    worker, executor = marker.with_suffix(".worker"), marker.with_suffix(".executor")

    def passed_on(batches):
        for batch in batches:
            yield batch
            strike(worker, kill_workers)
            strike(executor, kill_executor)

    return passed_on


def main(master, source, folder, happening, marker):
    faulthandler.register(signal.SIGQUIT)
    marker, folder = Path(marker), Path(folder)
    on_batch, deadly, estimator = None, None, PHIDAPlus
    if happening == "in a batch":
        estimator = hanging_estimator(marker)
    elif happening == "behind a batch":  # the model is saved, but Spark has not committed the batch

        def on_batch(model, batch):
            if model.n_samples_seen_ > 2500 and not marker.exists():
                hang(marker)

    elif happening == "in tasks":
        deadly = deadly_rows(marker.with_name("stream"))
    spark = session(master)
    learned(spark, source, folder, on_batch, deadly, estimator)
    if happening == "in tasks":
        df = spark.read.parquet(f"{source}/table")
        for estimator in (PHIDA, PHIDAPlus):
            deadly = deadly_estimator(estimator, marker.with_name(estimator.__name__))
            model = phida.spark.fit(df, order="n", estimator=deadly)
            model.save(folder / f"{estimator.__name__}.safetensors")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
