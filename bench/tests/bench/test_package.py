"""Docstring examples of the benchmark, its exports and the stub of its native module."""

import doctest
import importlib
import pkgutil

import pytest
from stubs import assert_up_to_date

import phida_bench
import phida_bench.systems

MODULES = [module.name for module in pkgutil.walk_packages(phida_bench.__path__, "phida_bench.")]
NEED_JAX = ("tabledc", "g_ceals", "_jax", "_autoencoder", "_training")


def test_modules_are_found():
    assert {"phida_bench.systems.gng", "phida_bench.released", "phida_bench._systems"} <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith(("_systems", "__main__"))])
def test_docstring_examples_run(name):
    if name.endswith("automato"):
        pytest.importorskip("gudhi", reason="gudhi is not installed; it is in the extra phida-bench[tda]")
    if name.endswith(NEED_JAX):
        pytest.importorskip("jax", reason="JAX is not installed; it is in the extra phida-bench[deep]")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_estimator_has_an_example():
    for name in phida_bench.systems.__all__:
        exported = getattr(phida_bench.systems, name)
        assert exported.__doc__
        if not issubclass(exported, Exception):
            assert ">>>" in exported.__doc__


def test_stub_equals_native_module():
    assert_up_to_date("phida_bench._systems", "bench/src/phida_bench/_systems.pyi")
