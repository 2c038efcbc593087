"""Exports of the package, docstring examples and the stub of the native core."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest
from stubs import assert_up_to_date
from waiting import PATIENCE

import phida

MODULES = [phida.__name__, *(module.name for module in pkgutil.walk_packages(phida.__path__, "phida."))]
NEED_SPARK = {"phida.spark"}  # submodules are found only with pyspark


@pytest.mark.parametrize("name", [name for name in MODULES if name != "phida._core"])
def test_docstring_examples_run(name):
    if name == "phida.dask":
        pytest.importorskip("dask", reason="belongs to the extra phida[dask]")
    if name in NEED_SPARK:
        pytest.importorskip("pyspark", reason="belongs to the extra phida[spark]: make test-spark")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_exported_names_exist_and_are_documented():
    for name in phida.__all__:
        assert getattr(phida, name).__doc__


def test_plot_names_are_the_public_ones():
    import phida.plots

    assert dir(phida.plots) == sorted(phida.plots.__all__)


def test_python_exits_silently_while_a_thread_holds_a_model():
    program = """
import threading, time
import phida
model = phida.PHIDAPlus().fit([[0.0], [1.0], [2.0]])
threading.Thread(target=lambda: (model, time.sleep(60)), daemon=True).start()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_stub_declares_what_the_native_core_has():
    assert_up_to_date("phida._core", "src/phida/_core.pyi")
