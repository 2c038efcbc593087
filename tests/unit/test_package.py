"""What the package exports, and its docstrings' examples."""

import doctest
import importlib
import pkgutil

import pytest

import phida
import phida.baselines

MODULES = ["phida"] + [module.name for module in pkgutil.walk_packages(phida.__path__, "phida.")]
NEED_JAX = {
    f"phida.baselines.{name}"
    for name in ("_autoencoder", "_g_ceals_training", "_jax", "_tabledc_training", "g_ceals", "tabledc")
}
NEED_SPARK = {"phida.spark"}  # those below it are found only where pyspark is


def test_modules_are_found():
    assert {"phida._core", "phida.estimators", "phida.records", "phida.baselines.gng"} | NEED_JAX <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "phida._core"])
def test_docstring_examples(name):
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


@pytest.mark.parametrize("package", [phida, phida.baselines], ids=lambda package: package.__name__)
def test_everything_exported_exists_and_is_documented(package):
    for name in package.__all__:
        assert getattr(package, name).__doc__
