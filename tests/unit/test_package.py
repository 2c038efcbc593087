"""What the package exports, and its docstrings' examples."""

import doctest
import importlib
import pkgutil

import pytest

import phida

MODULES = ["phida"] + [f"phida.{module.name}" for module in pkgutil.iter_modules(phida.__path__)]


def test_modules_are_found():
    assert {"phida._core", "phida.estimator", "phida.views"} <= set(MODULES)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "phida._core"])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_docstring_examples():
    assert doctest.testmod(importlib.import_module("phida.estimator")).attempted > 3


def test_everything_exported_exists_and_is_documented():
    for name in phida.__all__:
        assert getattr(phida, name).__doc__
