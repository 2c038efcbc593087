"""One Spark for all tests, on two threads. Without Java or pyspark they skip, and say what is missing."""

import shutil
import sys

import pytest

pytest.importorskip("pyspark", reason="belongs to the extra phida[spark]: make test-spark")

NO_JAVA = "Spark needs Java 17; on Debian and Ubuntu, as root: apt-get install openjdk-17-jre-headless"


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    if shutil.which("java") is None:
        pytest.skip(NO_JAVA)
    import os

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "300")  # so that partitions have several batches
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
