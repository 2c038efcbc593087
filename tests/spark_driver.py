"""A driver that something happens to. Run: python spark_driver.py MASTER SOURCE CHECKPOINT HAPPENING MARKER.

A *happening* takes place once: when its marker is there, nothing more happens.
"""

import os
import signal
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession

import phida.spark
from phida import PHIDAPlus
from phida.spark import learning

SCHEMA = "a double, b double, c double, d double"
#: Short jobs, which need no compiling to the last.
QUICK = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "300",  # so that partitions have several batches
    "spark.sql.files.openCostInBytes": "1g",  # so that every file is a partition
    "spark.sql.files.maxPartitionBytes": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(master, **more):
    """A Spark of its own, or the one that is there."""
    made = SparkSession.builder.master(master).config(map=QUICK | more).getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def learned(spark, source, checkpoint, on_batch=None):
    """All batches of two files that are there."""
    stream = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2).parquet(str(source))
    phida.spark.fit_stream(
        stream, str(checkpoint), on_batch=on_batch, trigger={"availableNow": True}
    ).awaitTermination()


def hang(marker):
    """Let the one who waits for the marker strike."""
    marker.touch()
    time.sleep(600)


def in_a_batch(marker):
    """Hang after some rounds of the second batch."""
    apply_updates = PHIDAPlus.apply_updates

    def hanging(self, updates):
        apply_updates(self, updates)
        if self.n_samples_seen_ > 2000:
            hang(marker)

    PHIDAPlus.apply_updates = hanging


def in_a_task(marker, kill, n_seen):
    """Have a worker call ``kill`` in the middle of a round, once so many rows are learned."""
    updates = learning._updates

    def deadly(model, numbers, random_state):
        work = updates(model, numbers, random_state)
        late = model.n_samples_seen_ > n_seen

        def done(rows, partition):
            if late and numbers[partition] == 1 and not marker.exists():
                marker.touch()
                kill()
                time.sleep(600)
            return work(rows, partition)

        return done

    learning._updates = deadly


def kill_worker():
    os.kill(os.getpid(), signal.SIGKILL)


def kill_executor():
    """The daemon of Python workers is the executor's child, and this process the daemon's."""
    with open(f"/proc/{os.getppid()}/stat") as file:
        executor = int(file.read().rsplit(")", 1)[1].split()[1])
    os.kill(executor, signal.SIGKILL)


def main(master, source, checkpoint, happening, marker):
    marker = Path(marker)
    on_batch = None
    if happening == "in a batch":
        in_a_batch(marker)
    elif happening == "behind a batch":  # the model is saved; Spark does not know it yet

        def on_batch(model, batch):
            if model.n_samples_seen_ > 2500 and not marker.exists():
                hang(marker)

    elif happening == "in a task":
        in_a_task(marker.with_suffix(".worker"), kill_worker, 500)
        in_a_task(marker, kill_executor, 2000)
    spark = session(master)
    learned(spark, source, checkpoint, on_batch)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
