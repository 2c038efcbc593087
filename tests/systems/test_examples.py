"""What phida_bench.systems exports, and its docstrings' examples."""

import doctest
import importlib
import pkgutil

import pytest

import phida_bench.systems

MODULES = [f"phida_bench.systems.{module.name}" for module in pkgutil.iter_modules(phida_bench.systems.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    if name.endswith("automato"):
        pytest.importorskip("gudhi", reason="gudhi is not installed; it is in the extra phida[tda]")
    if name.endswith(("tabledc", "g_ceals", "_jax", "_autoencoder", "_training")):
        pytest.importorskip("jax", reason="JAX is not installed; it is in the extra phida[deep]")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_estimator_has_an_example():
    for name in phida_bench.systems.__all__:
        exported = getattr(phida_bench.systems, name)
        assert exported.__doc__
        if not issubclass(exported, Exception):
            assert ">>>" in exported.__doc__
