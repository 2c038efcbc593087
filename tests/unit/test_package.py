"""What the package exports, and its docstrings' examples."""

import doctest
import importlib
import pkgutil

import pytest

import phida
import phida.baselines

MODULES = ["phida"] + [module.name for module in pkgutil.walk_packages(phida.__path__, "phida.")]


def imported(name):
    """The module, or a skip where it belongs to an extra that is not installed here."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "pip install" in str(error):
            pytest.skip(str(error))
        raise


def test_modules_are_found():
    assert {"phida._core", "phida.estimator", "phida.views", "phida.baselines.gng"} <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "phida._core"])
def test_docstring_examples(name):
    result = doctest.testmod(imported(name))
    assert result.failed == 0


def test_there_are_docstring_examples():
    assert doctest.testmod(importlib.import_module("phida.estimator")).attempted > 3


@pytest.mark.parametrize("package", [phida, phida.baselines], ids=lambda package: package.__name__)
def test_everything_exported_exists_and_is_documented(package):
    for name in package.__all__:
        assert getattr(package, name).__doc__
