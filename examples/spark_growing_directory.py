"""A growing directory of Parquet files, learned by Spark.

Run: python examples/spark_growing_directory.py [FOLDER]. It needs ``pip install "phida[spark]"`` and Java 17. A thread
writes a file of readings every second. The query learns new files, and its model is on disk after every batch. Stop it
and start it again on the same folder: it resumes.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession

import phida.spark
from phida import PHIDAPlus

FILES, ROWS = 6, 2000
MODES = np.array([[20.0, 1.0, 0.2], [60.0, 1.5, 0.4], [75.0, 4.0, 1.6], [30.0, 4.5, 0.3]])
SPREAD = np.array([3.0, 0.15, 0.06])


def write(folder: Path) -> None:
    """Write readings of machines with a growing number of modes; each file appears complete, by renaming."""
    first = len(list(folder.glob("*.parquet")))
    for number in range(first, first + FILES):
        rng = np.random.default_rng(number)
        mode = rng.integers(min(2 + number // 2, len(MODES)), size=ROWS)
        rows = pd.DataFrame(MODES[mode] + SPREAD * rng.normal(size=(ROWS, 3)), columns=["heat", "pressure", "shake"])
        part = folder / f".{number:05}.part"
        rows.to_parquet(part)
        part.rename(folder / f"{number:05}.parquet")
        time.sleep(1)


def tell(model: PHIDAPlus, batch: DataFrame) -> None:
    """Print the state of the model after a batch."""
    print(f"  {model.n_samples_seen_:6,} rows: {model.n_clusters_} clusters with ids {sorted(model.cluster_ids_)}")


def main(folder: Path) -> None:
    """Learn files as they appear, then label all."""
    readings = folder / "readings"
    readings.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    writer = threading.Thread(target=write, args=[readings])
    writer.start()
    files = spark.readStream.schema("heat double, pressure double, shake double").parquet(str(readings))
    query = phida.spark.fit_stream(files, str(folder / "checkpoint"), on_batch=tell)
    writer.join()
    query.processAllAvailable()
    query.stop()

    model = PHIDAPlus.load(folder / "checkpoint" / "model.safetensors")
    labelled = phida.spark.predict(spark.read.parquet(str(readings)), model)
    labelled.groupBy("prediction").agg({"heat": "mean", "pressure": "mean", "shake": "mean", "*": "count"}).orderBy(
        "prediction"
    ).show()
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as home:
            main(Path(home))
