"""One Spark for all tests, on two threads. Without Java or pyspark the tests are skipped with the reason."""

import os
import shutil
import sys

import pytest

pytest.importorskip("pyspark", reason="belongs to the extra phida[spark]: make test-spark")

NO_JAVA = "Spark needs Java 17; on Debian and Ubuntu, as root: apt-get install openjdk-17-jre-headless"


@pytest.fixture(scope="session")
def java():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip(NO_JAVA)


@pytest.fixture(scope="session")
def spark(java, tmp_path_factory):
    from spark_driver import session

    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = session("local[2]", **{"spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse"))})
    yield made
    made.stop()
