"""Exports of the packages, and examples in their docstrings."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest
from waiting import PATIENCE

import phida
import phida_bench
import phida_bench.systems

MODULES = [
    name
    for package in (phida, phida_bench)
    for name in (package.__name__, *(m.name for m in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")))
]
NATIVE = {"phida._core", "phida_bench._systems"}
NEED_JAX = {
    f"phida_bench.systems.{name}"
    for name in ("_autoencoder", "_g_ceals_training", "_jax", "_tabledc_training", "g_ceals", "tabledc")
}
NEED_SPARK = {"phida.spark"}  # submodules are found only with pyspark


def test_modules_are_found():
    assert {"phida.estimators", "phida.records", "phida_bench.systems.gng"} | NATIVE | NEED_JAX <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name not in NATIVE])
def test_docstring_examples_run(name):
    if name in NEED_JAX:
        pytest.importorskip("jax", reason="belongs to the extra phida[deep]: make test-deep")
    if name == "phida.dask":
        pytest.importorskip("dask", reason="belongs to the extra phida[dask]")
    if name in NEED_SPARK:
        pytest.importorskip("pyspark", reason="belongs to the extra phida[spark]: make test-spark")
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_docstring_examples():
    assert doctest.testmod(importlib.import_module("phida.estimators")).attempted > 3


@pytest.mark.parametrize("package", [phida, phida_bench.systems], ids=lambda package: package.__name__)
def test_exported_names_exist_and_are_documented(package):
    for name in package.__all__:
        assert getattr(package, name).__doc__


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
