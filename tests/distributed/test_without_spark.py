"""Without pyspark, phida.spark says what to install."""

import subprocess
import sys

CODE = """
import sys
sys.modules["pyspark"] = None
try:
    import phida.spark
except ImportError as error:
    print(error)
"""


def test_missing_spark_names_the_extra():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert 'pip install "phida[spark]"' in found.stdout
